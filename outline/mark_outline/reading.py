"""Reading a body: from its text to its outline.

The parts are elsewhere: block structure in `blocks`, titles in `titles`, anchors in `slug`, costs in `costs`.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from mark_outline.section import Section
from mark_outline.slug import anchors, slugify
from mark_outline.tree import Outline
from mark_outline.white import WHITE

if TYPE_CHECKING:
    from mark_outline.titles import Titled


MOST_SECTIONS: Final = 20_000
"""Sections of one document; a heading after that many is text of the last one (OL7)."""


def outline(body: str) -> Outline:
    """Read the sections of one markdown body, front matter already taken off; never raises.

    >>> outline("# Billing\\n\\nHow we bill.\\n\\n## Storage\\n").anchors()
    ('billing', 'storage')
    """
    # Imported here: with an up-to-date index no markdown is read, and the parser takes 15 ms to import.
    from mark_outline.blocks import parse_blocks  # noqa: PLC0415 - see above
    from mark_outline.titles import titled  # noqa: PLC0415 - see above

    blocks = parse_blocks(body)
    headings = titled(blocks.headings, blocks.references)[:MOST_SECTIONS]
    starts = _line_starts(body)
    chars = [*(starts[heading.line] for heading in headings), len(body)]
    offsets = _byte_offsets(body, chars)
    sections = tuple(_sections(headings, chars, offsets, len(starts) - 1))
    first, stop = blocks.opening or (0, 0)
    return Outline(sections, offsets[-1], len(body), body[starts[first] : starts[stop]].strip(WHITE))


def _sections(
    headings: "Sequence[Titled]", chars: Sequence[int], offsets: Sequence[int], line_count: int
) -> Iterator[Section]:
    slugs = [slugify(heading.title) for heading in headings]
    names = anchors(slugs, [heading.id for heading in headings])
    lines = [*(heading.line for heading in headings), line_count]
    for index, last in enumerate(_ends([heading.level for heading in headings])):
        yield Section(
            level=headings[index].level,
            title=headings[index].title,
            anchor=names[index],
            slug=slugs[index],
            start=offsets[index],
            own_end=offsets[index + 1],
            end=offsets[last],
            char_start=chars[index],
            char_own_end=chars[index + 1],
            char_end=chars[last],
            line=lines[index],
            lines=lines[last] - lines[index],
            last=last,
        )


def _ends(levels: Sequence[int]) -> list[int]:
    """Give for each heading the index of the next one of its level or a higher one; one pass."""
    ends = [len(levels)] * len(levels)
    open_sections: list[int] = []
    for index, level in enumerate(levels):
        while open_sections and levels[open_sections[-1]] >= level:
            ends[open_sections.pop()] = index
        open_sections.append(index)
    return ends


def _line_starts(body: str) -> list[int]:
    """Give the character offset of every line, and at last the length of the body."""
    starts = list(accumulate((len(line) + 1 for line in body.split("\n")), initial=0))
    if body.endswith("\n") or not body:
        starts.pop()
    starts[-1] = len(body)
    return starts


def _byte_offsets(body: str, chars: Sequence[int]) -> list[int]:
    """Give the UTF-8 byte offset of every character offset; a lone surrogate has three bytes."""
    if body.isascii():
        return list(chars)
    cuts = pairwise([0, *chars])
    return list(accumulate(len(body[start:end].encode("utf-8", "surrogatepass")) for start, end in cuts))
