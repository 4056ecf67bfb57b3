"""Pieces of a text to choose among: blocks, lines, sentences, and runs of a few dozen characters.

Each of these cuts tiles a range of the text with ranges of characters, so that any run of neighbours is a
verbatim slice. Which pieces are printed is `excerpt`'s part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mark_expand.opening import fence_after
from mark_expand.window import SENTENCE, is_inside_character
from mark_outline import WHITE

Span = tuple[int, int]
Cut = Callable[[str, int, int], Iterable[Span]]

# Pieces below the first size join the next one when that is below the second: choosing among ten thousand
# one-word lines would take long and find no more.
SHORT = 48
_JOINED = 200
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t\r\n]")
_ROW = re.compile(r"[ \t>]*\|")
_BLANK = re.compile(r"\s+")


def blocks(text: str, start: int, stop: int) -> Iterator[Span]:
    """Cut at paragraphs, headings, list items, tables and fences; blank lines go with what stands above."""
    yield from _joined(_blocks(text, start, stop))


def lines(text: str, start: int, stop: int) -> Iterator[Span]:
    """Cut behind line feeds."""
    yield from _joined(_lines(text, start, stop))


def sentences(text: str, start: int, stop: int) -> Iterator[Span]:
    """Cut behind sentences, in scripts without blanks too."""
    ends = [mark.end() for mark in SENTENCE.finditer(text, start, stop)]
    yield from _joined(_between(start, ends, stop))


def runs(text: str, start: int, stop: int) -> Iterator[Span]:
    """Cut every 48 characters or less: behind a blank where there is one, never inside a character."""
    while start < stop:
        end = min(start + SHORT, stop)
        if end < stop:
            blank = [mark.end() for mark in _BLANK.finditer(text, start, end)]
            end = blank[-1] if blank else end
            most = min(stop, end + _JOINED)  # what goes on is no character that a reader would miss
            while end < most and is_inside_character(text[start : end + 1], end - start):
                end += 1
        yield start, end
        start = end


def is_fenced(text: str, start: int, stop: int) -> bool:
    """Tell whether a block is fenced code, which is not printed in part where it may be left out."""
    return bool(fence_after("", text[start : line_end(text, start, stop)]))


def line_end(text: str, start: int, stop: int) -> int:
    """Find where the line that holds `start` ends, behind its line feed."""
    found = text.find("\n", start, stop)
    return stop if found < 0 else found + 1


def _lines(text: str, start: int, stop: int) -> Iterator[Span]:
    while start < stop:
        end = line_end(text, start, stop)
        yield start, end
        start = end


def _blocks(text: str, start: int, stop: int) -> Iterator[Span]:
    begin, fence, before = start, "", ""
    for first, last in _lines(text, start, stop):
        line = text[first:last]
        if first > begin and not fence and line.strip(WHITE) and _opens(line, before):
            yield begin, first
            begin = first
        fence, before = fence_after(fence, line), line
    if begin < stop:
        yield begin, stop


def _opens(line: str, before: str) -> bool:
    """Tell whether a line begins a block, below the line `before`."""
    if not before.strip(WHITE) or _HEADING.match(before) or _HEADING.match(line) or _ITEM.match(line):
        return True
    return bool(fence_after("", line)) or bool(_ROW.match(line)) != bool(_ROW.match(before))


def _between(start: int, ends: Iterable[int], stop: int) -> Iterator[Span]:
    for end in ends:
        yield start, end
        start = end
    if start < stop:
        yield start, stop


def _joined(pieces: Iterable[Span]) -> Iterator[Span]:
    held: Span | None = None
    for start, end in pieces:
        if held and held[1] - held[0] < SHORT and end - start < _JOINED:
            held = (held[0], end)
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held
