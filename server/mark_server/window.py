"""Windows: lossless pages of a text inside a token budget.

Pages are verbatim slices, cut at line ends where one fits, in an over-long line at a sentence or word end,
never inside a character; joined they are the text. What stands around a page is the caller's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_SENTENCE = re.compile(r"[.!?…。！？｡।۔][\"'”’)\]”」』）]*\s*")
_WORD = re.compile(r"\s+")
# Joiners and selectors that belong to the character before them, besides combining marks.
_JOINED = "\u200d\ufe0e\ufe0f"


def window_end(text: str, start: int, fits: Callable[[int], bool]) -> int:
    """Find where the page that begins at character `start` ends; `start` itself when nothing fits.

    `fits(end)` tells whether the page text[start:end] is within the budget.
    """
    if fits(len(text)):
        return len(text)
    most = _last_fitting(start, len(text), fits)
    line = text.rfind("\n", start, most) + 1
    if line > start and fits(line):
        return line
    for pattern in (_SENTENCE, _WORD):
        ends = [mark.end() for mark in pattern.finditer(text, start, most)]
        if ends and fits(ends[-1]):
            return ends[-1]
    whole = _whole_character(text, start, most)
    while whole > start and not fits(whole):
        whole = _whole_character(text, start, whole - 1)
    return whole if whole > start else most


def _last_fitting(start: int, stop: int, fits: Callable[[int], bool]) -> int:
    """Bisect for an end that fits while the next does not: counts grow with the text, but for a token."""
    step = 256
    low = start
    while low + step < stop and fits(low + step):
        low, step = low + step, step * 2
    high = min(low + step, stop)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _whole_character(text: str, start: int, end: int) -> int:
    """Step back so that what a reader sees as one character is not torn."""
    while start < end < len(text) and (
        unicodedata.combining(text[end])
        or text[end] in _JOINED
        or text[end - 1] == "\u200d"
        or text[end - 1 : end + 1] == "\r\n"
    ):
        end -= 1
    return end
