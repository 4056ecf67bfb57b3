"""Windows: lossless pages of a text inside a token budget.

Pages are verbatim slices, cut at line ends where one fits, in an over-long line at a sentence or word end,
never inside a character; joined they are the text. What stands around a page is the caller's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Fits = Callable[[int], bool]

# A full stop in Latin text ends a sentence only before a blank: not in 3.14, not in a host's name.
SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡।۔][\"'”’)\]”」』）]*\s*")
_WORD = re.compile(r"\s+")
_STEP = 256  # characters; some 60 tokens of English
# So near the end, the rest may fit although this page with its `next` line does not.
_NEAR = 128


def window_end(text: str, start: int, fits: Fits) -> int:
    """Find where the page that begins at character `start` ends; `start` itself when nothing fits.

    `fits(end)` tells whether the page text[start:end] is within the budget. It is asked of few ends, none of
    them much beyond the page: paging a text costs about as much as counting it twenty times.
    """
    most = _last_fitting(start, len(text), fits)
    if most >= len(text) - _NEAR and fits(len(text)):
        return len(text)
    line = text.rfind("\n", start, most) + 1
    if line > start and fits(line):
        return line
    for pattern in (SENTENCE, _WORD):
        ends = (mark.end() for mark in pattern.finditer(text, start, most))
        whole = [end for end in ends if not is_inside_character(text, end)]
        if whole and fits(whole[-1]):
            return whole[-1]
    return _character_end(text, start, most, fits)


def _last_fitting(start: int, stop: int, fits: Fits) -> int:
    """Bisect for an end that fits while the next does not: counts grow with the text, but for a token."""
    low, step = start, _STEP
    while low < stop and fits(min(low + step, stop)):
        low, step = min(low + step, stop), step * 2
    high = min(low + step, stop)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _character_end(text: str, start: int, most: int, fits: Fits) -> int:
    """Step back from `most` to the end of a character; a character that is too large for a page is torn."""
    end = most
    while end > start and (is_inside_character(text, end) or not fits(end)):
        end -= 1
    return end if end > start else most


def is_inside_character(text: str, end: int) -> bool:
    """Tell whether a cut here would tear what a reader sees as one character (UAX 29, rare scripts aside)."""
    if not 0 < end < len(text):
        return False
    before, after = text[end - 1], text[end]
    if before == "\r" and after == "\n":
        return True
    if before in "\r\n":
        return False
    return before == "\u200d" or _extends(after) or (_is_flag(after) and _opens_flag(text, end - 1))


def _extends(character: str) -> bool:
    """Marks, joiners, emoji modifiers and tags, and the vowels and finals of decomposed Hangul."""
    code = ord(character)
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or 0x1F3FB <= code <= 0x1F3FF
        or 0x1160 <= code <= 0x11FF
        or 0xE0020 <= code <= 0xE007F
        or character in "\u200c\u200d"
    )


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _opens_flag(text: str, place: int) -> bool:
    """Tell whether the letter here is the first of a flag's two: an even number of them stands before it."""
    first = place
    while first >= 0 and _is_flag(text[first]):
        first -= 1
    return (place - first) % 2 == 1
