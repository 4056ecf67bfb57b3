"""An outline as the index keeps it: small on disk, and readable for one row without building all of it.

Costs of each section are kept ready-made beside the outline, so that a lookup adds nothing up.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mark_outline import Costs, Outline, Section

from .port import RowCosts


@dataclass(frozen=True, slots=True)
class Contents:
    """The pieces of one body: 0 is the text before the first heading, i the own text of section i - 1.

    `places` holds, for each piece, byte offset, character offset and line of its start; `titles`,
    `anchors`, `slugs` and `levels` have one item for each section; `whole` and `own` are units of
    `encoding` for each piece.
    """

    size: int
    chars: int
    opening: str
    encoding: str
    titles: list[str]
    anchors: list[str]
    slugs: list[str]
    levels: list[int]
    starts: list[int]
    char_starts: list[int]
    lines: list[int]
    counts: list[int]
    full: list[int]
    trimmed: list[int]
    whole: list[int]
    own: list[int]

    def anchor(self, piece: int) -> str:
        """The anchor of a piece, "" for the text before the first heading."""
        return self.anchors[piece - 1] if piece else ""

    def trail(self, piece: int) -> tuple[str, ...]:
        """Heading titles from the outermost down to the piece's own; empty for the text before them."""
        titles: list[str] = []
        level = 7
        for index in range(piece - 1, -1, -1):
            if self.levels[index] < level:
                titles.append(self.titles[index])
                level = self.levels[index]
            if level == 1:
                break
        return tuple(reversed(titles))

    def spans(self) -> Iterator[tuple[int, int]]:
        """Character offsets of each piece; together they tile the body."""
        return pairwise([0, *self.char_starts, self.chars])

    def span(self, piece: int) -> tuple[int, int]:
        """Character offsets of one piece."""
        start = self.char_starts[piece - 1] if piece else 0
        return start, self.char_starts[piece] if piece < len(self.char_starts) else self.chars

    def costs(self, piece: int) -> RowCosts:
        """What a row on this piece costs; the text before the first heading stands for the document."""
        return RowCosts(self.encoding, self.whole[piece], self.own[piece])

    def outline(self) -> Outline:
        """The outline that was packed, costs included."""
        lasts = _lasts(self.levels)
        bytes_at = [*self.starts, self.size]
        chars_at = [*self.char_starts, self.chars]
        sections = tuple(
            Section(
                level=level,
                title=self.titles[i],
                anchor=self.anchors[i],
                slug=self.slugs[i],
                start=bytes_at[i],
                own_end=bytes_at[i + 1],
                end=bytes_at[lasts[i]],
                char_start=chars_at[i],
                char_own_end=chars_at[i + 1],
                char_end=chars_at[lasts[i]],
                line=self.lines[i],
                lines=self.counts[i],
                last=lasts[i],
            )
            for i, level in enumerate(self.levels)
        )
        costs = Costs(self.encoding, tuple(self.full), tuple(self.trimmed))
        return Outline(sections, self.size, self.chars, self.opening, costs)


def contents_of(outline: Outline) -> Contents:
    """The kept form of an outline whose costs were counted."""
    costs = outline.costs
    assert costs is not None, "an outline is kept with its costs"
    found = outline.sections
    document = costs.span(0, len(found) + 1)
    return Contents(
        size=outline.size,
        chars=outline.chars,
        opening=outline.opening,
        encoding=costs.encoding,
        titles=[s.title for s in found],
        anchors=[s.anchor for s in found],
        slugs=[s.slug for s in found],
        levels=[s.level for s in found],
        starts=[s.start for s in found],
        char_starts=[s.char_start for s in found],
        lines=[s.line for s in found],
        counts=[s.lines for s in found],
        full=list(costs.full),
        trimmed=list(costs.trimmed),
        whole=[document, *(costs.span(i + 1, s.last + 1) for i, s in enumerate(found))],
        own=[document, *(costs.span(i + 1, i + 2) for i in range(len(found)))],
    )


def pack(contents: Contents) -> bytes:
    """The bytes that `unpack` reads; slugs that equal their anchors are left out."""
    slugs = [None if s == a else s for s, a in zip(contents.slugs, contents.anchors, strict=True)]
    values = [getattr(contents, name) for name in _FIELDS]
    values[_FIELDS.index("slugs")] = slugs
    return zlib.compress(json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def unpack(packed: bytes) -> Contents:
    """The contents that were packed."""
    contents = Contents(*json.loads(zlib.decompress(packed)))
    for index, anchor in enumerate(contents.anchors):
        if contents.slugs[index] is None:
            contents.slugs[index] = anchor
    return contents


def _lasts(levels: list[int]) -> list[int]:
    lasts = [len(levels)] * len(levels)
    unclosed: list[int] = []
    for index, level in enumerate(levels):
        while unclosed and levels[unclosed[-1]] >= level:
            lasts[unclosed.pop()] = index
        unclosed.append(index)
    return lasts


_FIELDS = tuple(Contents.__slots__)
