"""What was really printed, and what a further passage has to do with it (C1, C2, C3)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

from mark_expand.frame import note, stub_text
from mark_expand.passage import Passage

# Byte range, order of printing, location. Ranges of one document never overlap: what would is not printed.
_Range = tuple[int, int, int, str]


def _start(printed: _Range) -> int:
    return printed[0]


@dataclass(slots=True)
class Printed:
    """Byte ranges by document in ascending order, and texts with the location that printed them first."""

    _ranges: dict[str, list[_Range]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether no text was printed."""
        return not self._texts

    def holds(self, path: str) -> bool:
        """Tell whether any text of a document was printed."""
        return path in self._ranges

    def overlap(self, passage: Passage) -> tuple[str, str] | None:
        """Name the printed location that holds this passage, or lies in it, with the note to print (C1).

        Ranges that merely touch, and passages without a range, overlap nothing.
        """
        hits = self._hits(passage.path, passage.start, passage.end)
        if not hits:
            return None
        start, end, _, where = hits[0]
        if start <= passage.start and passage.end <= end:
            return where, note(f"{passage.name} {'are' if passage.part else 'is'} within {where} above")
        where = min(hits, key=lambda printed: printed[2])[3]
        return where, note(
            f"{passage.name} {'overlap' if passage.part else 'encloses'} {where} above; skipped"
        )

    def after(self, path: str, place: int) -> int | None:
        """Give where the next printed text of a document begins from a byte on, None where there is none."""
        ranges = self._ranges.get(path, [])
        following = bisect_left(ranges, place, key=_start)
        return ranges[following][0] if following < len(ranges) else None

    def stand_in(self, passage: Passage) -> tuple[str, str] | None:
        """Name the location that printed this very text, with the stub text that may stand for it (C2).

        None when the text is new, or when the stub would have more bytes than the text.
        """
        first = self._texts.get(passage.text)
        if first is None:
            return None
        stub = stub_text(first)
        return None if len(stub.encode()) > len(passage.text.encode()) else (first, stub)

    def add(self, passage: Passage) -> None:
        """Remember a passage that was printed, as a block or as a stub."""
        if passage.start < passage.end:
            ranges = self._ranges.setdefault(passage.path, [])
            insort(ranges, (passage.start, passage.end, len(ranges), passage.where))
        self._texts.setdefault(passage.text, passage.where)

    def _hits(self, path: str, start: int, end: int) -> list[_Range]:
        if start == end:
            return []
        ranges = self._ranges.get(path, [])
        first = bisect_right(ranges, start, key=_start)
        if first and ranges[first - 1][1] > start:
            first -= 1
        return ranges[first : bisect_left(ranges, end, key=_start)]
