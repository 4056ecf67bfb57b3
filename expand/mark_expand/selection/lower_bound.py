"""Whether a text has more tokens than there is room for, told without counting it: many times as quick.

Of ten thousand candidates a few hundred may be printed; of the others it is enough to know that they do not.
"""

from __future__ import annotations

from mark_outline import Counter

# The longest token of either encoding has 128 bytes, and so at most 128 characters.
_LONGEST_TOKEN = 128
# Unlike the encodings, str.split takes these for white space.
_SEPARATORS = ("\x1c", "\x1d", "\x1e", "\x1f")


def exceeds(text: str, room: int, counter: Counter) -> bool:
    """Tell whether `text` certainly has more than `room` units; False where that would have to be counted.

    Both encodings cut a text into pieces before they merge, and no piece holds parts of two words, but for
    slashes and line ends behind punctuation. So there are at least as many tokens as words less slashes.
    """
    if counter.encoding == "bytes":
        return len(text) > room
    if len(text) > room * _LONGEST_TOKEN:
        return True
    # One word more than there is room for is enough; the rest need not be cut.
    words = len(text.split(None, room + 1))
    return words > room and words - text.count("/") > room and not any(one in text for one in _SEPARATORS)
