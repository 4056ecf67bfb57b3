"""The order of several ranked lists: by rank divided by the list's weight, ties in the order of the lists.

Pure, and decided by lengths alone, so that a page far down costs no more than the first. What the lists
hold, and what is printed of them, is left to others.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

_Entry = TypeVar("_Entry")


def spans(
    weights: Sequence[float], lengths: Sequence[int | None], offset: int, limit: int
) -> list[tuple[int, int]]:
    """Give for each list the part of it, `start` and `end`, that lies in `limit` places from `offset` on.

    A length of None is one that is not known, and taken to be endless. Weights are finite and positive.

    >>> spans((1, 2), (None, None), 3, 6)
    [(1, 3), (2, 6)]
    >>> spans((1, 2), (None, 3), 3, 6)
    [(1, 6), (2, 3)]
    """
    strides = _strides(weights)
    starts, ends = _taken(strides, lengths, offset), _taken(strides, lengths, offset + limit)
    return list(zip(starts, ends, strict=True))


def headed_spans(
    weights: Sequence[float], heads: Sequence[int], lengths: Sequence[int | None], offset: int, limit: int
) -> list[tuple[int, int]]:
    """The same where the first so many of each list, its head, come before the rest of all lists.

    >>> headed_spans((1, 1), (0, 2), (None, None), 0, 4)
    [(0, 1), (0, 3)]
    """
    first = spans(weights, heads, offset, limit)
    left = limit - sum(end - start for start, end in first)
    tails = [None if length is None else length - head for length, head in zip(lengths, heads, strict=True)]
    rest = spans(weights, tails, max(0, offset - sum(heads)), left)
    # Of both at most one begins after its first entry, so that what a list gives is in one piece.
    return [(one[0] + two[0], one[1] + two[1]) for one, two in zip(first, rest, strict=True)]


def interleaved(
    weights: Sequence[float], parts: Sequence[tuple[int, Sequence[_Entry]]], heads: Sequence[int] = ()
) -> list[_Entry]:
    """Put parts of lists, each with the index of its first entry, into the one order of all, heads first.

    >>> interleaved((1, 2), [(0, "ab"), (0, "ABCD")])
    ['A', 'a', 'B', 'C', 'b', 'D']
    >>> interleaved((1, 2), [(0, "ab"), (0, "ABCD")], (2, 0))
    ['a', 'b', 'A', 'B', 'C', 'D']
    """
    keyed: list[tuple[bool, int, int, int]] = []
    tops = heads or [0] * len(parts)
    for number, (stride, top, (start, entries)) in enumerate(
        zip(_strides(weights), tops, parts, strict=True)
    ):
        for place in range(len(entries)):
            index = start + place
            keyed.append((index >= top, (index - top * (index >= top) + 1) * stride, number, place))
    return [parts[number][1][place] for _, _, number, place in sorted(keyed)]


def _strides(weights: Sequence[float]) -> list[int]:
    """How far apart the entries of each list stand, as whole numbers, so that equal shares are equal.

    >>> _strides((1, 2, 0.3))
    [6, 3, 20]
    """
    shares = [Fraction(repr(weight)) for weight in weights]
    scale = math.lcm(*(share.numerator for share in shares))
    return [scale * share.denominator // share.numerator for share in shares]


def _taken(strides: Sequence[int], lengths: Sequence[int | None], count: int) -> list[int]:
    """How many of each list are among the first `count` of all."""

    def before(key: int) -> list[int]:
        return [
            key // stride if length is None else min(length, key // stride)
            for stride, length in zip(strides, lengths, strict=True)
        ]

    low, high = 0, max(strides, default=0) * count
    if sum(before(high)) <= count:
        return before(high)
    while low < high:  # the least key up to which there are `count` entries
        middle = (low + high) // 2
        low, high = (low, middle) if sum(before(middle)) >= count else (middle + 1, high)
    taken, upto = before(max(0, low - 1)), before(low)
    missing = count - sum(taken)
    for place, most in enumerate(upto):
        if missing and most > taken[place]:
            taken[place] += 1
            missing -= 1
    return taken
