"""Near copies: texts of which four fifths of the shorter one stand in the other, by shingles of five words.

A text is compared only with what was really printed (C3), and only when it is about to be printed itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mark_expand.selection.differences import differ_in_substance
from mark_outline import segment

_WORDS = 5
# Containment of 0.8, in whole numbers.
_OF, _PARTS = 4, 5
_COMPARED = 8


def shingles(text: str) -> frozenset[int]:
    """Give hashes of the runs of five words of a text; in scripts without blanks, of pairs of neighbours.

    >>> len(shingles("a b c d e f")), len(shingles("a b c d e f") & shingles("a b c d e g"))
    (2, 1)
    """
    words = segment(text.lower()).split()
    if len(words) < _WORDS:
        return frozenset([hash(tuple(words))] if words else ())
    # Hashes, not tuples: the collector has to visit each of ten thousands of those.
    return frozenset(map(hash, zip(*(words[start:] for start in range(_WORDS)), strict=False)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """The number of a printed text that another is a near copy of, and whether that one can be spared."""

    number: int
    is_spare: bool


@dataclass(slots=True)
class NearCopies:
    """The texts that were printed, numbered from 0, and which shingles each holds."""

    _texts: list[tuple[str, int]] = field(default_factory=list)  # With the number of their shingles.
    _holding: dict[int, int] = field(default_factory=dict)  # Shingle: a bit for each text that holds it.
    _last: tuple[str, frozenset[int]] = ("", frozenset())  # What is added was mostly looked for just before.

    def add(self, text: str) -> None:
        """Note that a text was printed."""
        found = self._shingles(text)
        bit = 1 << len(self._texts)
        holding = self._holding
        for shingle in found:
            holding[shingle] = holding.get(shingle, 0) | bit
        self._texts.append((text, len(found)))

    def find(self, text: str, *, spare: bool = True) -> Likeness | None:
        """Find the printed text most like this one; with `spare`, first one that makes it needless."""
        alike = self._alike(self._shingles(text))
        # Of hundreds of near copies the nearest decide: comparing word by word takes long.
        for number, is_contained in alike[:_COMPARED] if spare else ():
            if is_contained and not differ_in_substance(text, self._texts[number][0]):
                return Likeness(number, True)
        return Likeness(alike[0][0], False) if alike else None

    def _shingles(self, text: str) -> frozenset[int]:
        if self._last[0] != text:
            self._last = (text, shingles(text))
        return self._last[1]

    def _alike(self, found: frozenset[int]) -> list[tuple[int, bool]]:
        """Give near copies, most shared shingles first; the flag tells where `found` may be spare."""
        masks = Counter(map(self._holding.get, found))
        del masks[None]
        shared: Counter[int] = Counter()
        for mask, count in masks.items():
            for number in _numbers(mask or 0):
                shared[number] += count
        nearest = sorted(shared.items(), key=lambda one: (-one[1], one[0]))
        return [near for number, count in nearest if (near := self._near(number, count, len(found)))]

    def _near(self, number: int, count: int, size: int) -> tuple[int, bool] | None:
        shorter, longer = sorted((self._texts[number][1], size))
        if count * _PARTS < _OF * shorter:
            return None
        # What is left out must itself stand in the other: a fragment that was printed is no reason to leave
        # its document out.
        return number, 2 * shorter >= longer and count * _PARTS >= _OF * size


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        yield bits.bit_length() - 1
        bits &= ~(1 << bits.bit_length() - 1)
