"""Whether a text has more tokens than there is room for, told without counting it: many times as quick.

Of ten thousand candidates a few hundred may be printed; of the others it is enough to know that they do not.
"""

from __future__ import annotations

from typing import Final

from mark_outline import Counter

# The longest token of either encoding has 128 bytes, and so at most 128 characters.
_LONGEST_TOKEN = 128
# Characters a piece that prose mostly stays below: it has four or five.
_PLENTY = 8

# What is known of a character by its last byte in UTF-8, a bit each. Both encodings cut a text into pieces
# before they merge, and cut it for certain behind a character with one of the upper three bits where the next
# has the bit that stands three places below, in the next byte.
_IS_WORD, _IS_BREAKING, _IS_BLANK = 1, 2, 4
_BEHIND_LINE, _BEHIND_WORD, _BEHIND_OTHER = 8, 16, 32
_TO_THE_NEXT = 5
# Bytes that white space of more than one byte ends with (U+180E is such for some): nothing is known of them.
_DOUBTFUL = frozenset((*range(0x80, 0x8B), 0x8E, 0x9F, 0xA0, 0xA8, 0xA9, 0xAF))
_CONTINUED = range(0x80, 0xC0)


def exceeds(text: str, room: int, counter: Counter) -> bool:
    """Tell whether `text` certainly has more than `room` units; False where that would have to be counted."""
    if counter.encoding == "bytes":
        return len(text) > room
    if len(text) > room * _LONGEST_TOKEN:
        return True
    # Where a part holds as many pieces, the rest need not be looked at.
    part = text[: room * _PLENTY]
    return least_pieces(part) > room or (len(part) < len(text) and least_pieces(text) > room)


def least_pieces(text: str) -> int:
    """Give the pieces into which both encodings cut a text, or less; no token holds parts of two.

    >>> least_pieces("Two words, one comma.")
    6
    """
    # All places at once, as bits of one number: less than half of the time that it takes to split at blanks,
    # and nine in ten of the tokens of prose, where words are eight.
    known = int.from_bytes(text.encode().translate(_KNOWN), "little")
    return (known & known << _TO_THE_NEXT).bit_count() + bool(text)


def _known(byte: int) -> int:
    if byte in _CONTINUED:
        return 0 if byte in _DOUBTFUL else _BEHIND_OTHER
    character = chr(byte) if byte < _CONTINUED.start else ""
    if character.isalnum():
        return _IS_WORD | _BEHIND_WORD
    if character == "'":  # It's one piece, or two.
        return _BEHIND_OTHER
    if character in ("\r", "\n"):
        return _IS_BREAKING | _BEHIND_LINE
    if character in (" ", "\t", "\v", "\f"):
        return _IS_BREAKING | _IS_BLANK
    if character.isprintable() and character:
        return _IS_BREAKING | _BEHIND_OTHER
    return _IS_BREAKING if character else 0


_KNOWN: Final = bytes(map(_known, range(256)))
