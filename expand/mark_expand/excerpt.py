"""Choosing an excerpt: the verbatim window of a text that answers a question best within its room.

Deterministic: the terms decide, wherever they stand, then the order of the text. What an excerpt costs, and
how it is framed, is the caller's, who tells it by `fits`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log

from mark_expand.blocks import SHORT, Cut, Span, blocks, is_fenced, lines, runs, sentences
from mark_outline import WHITE, Presence

Fits = Callable[[int, int], bool]

_CUTS: tuple[Cut, ...] = (blocks, lines, sentences, runs)


def excerpt(text: str, span: Span, terms: tuple[str, ...], fits: Fits) -> Span | None:
    """Find the window of `text` inside `span` (characters); None when not even its best piece fits.

    The best piece is the one whose terms weigh most, a term weighing more the fewer pieces hold it; the first
    of equals. A block that does not fit is cut at lines, a line at sentences, a sentence at words. The window
    begins where the block does if that fits, and takes in neighbours while there is room.
    """
    outer = span
    for cut in _CUTS:
        pieces = [piece for piece in cut(text, *span) if text[slice(*piece)].strip(WHITE)]
        if not pieces:
            return None
        held = _held(text, pieces, terms, SHORT if cut is runs else 0)
        best = _best(held)
        if fits(*pieces[best]):
            return _Window(text, pieces, held, fits).grown(best, outer if cut is not blocks else None)
        span = outer = pieces[best]
    return None


class _Window:
    """A run of pieces that is being extended."""

    def __init__(self, text: str, pieces: Sequence[Span], held: Sequence[frozenset[str]], fits: Fits) -> None:
        self._text = text
        self._pieces = pieces
        self._held = held
        self._fits = fits
        self._weights = _weights(held)

    def grown(self, seed: int, outer: Span | None) -> Span:
        """Extend the piece `seed`: to the start of `outer`, then by neighbours, the weightier side first."""
        low, high = seed, seed
        if outer and self._fits(outer[0], self._pieces[seed][1]):
            low = 0
        known = frozenset[str]().union(*self._held[low : high + 1])
        open_sides = {-1, 1}
        while sides := [side for side in (1, -1) if side in open_sides]:
            side = max(sides, key=lambda side: self._gain(high + 1 if side > 0 else low - 1, known))
            place = high + 1 if side > 0 else low - 1
            first, last = min(low, place), max(high, place)
            if not (0 <= place < len(self._pieces) and self._fits_run(first, last)):
                open_sides.discard(side)
                continue
            low, high = first, last
            known |= self._held[place]
        return self._pieces[low][0], self._filled(self._pieces[low][0], high)

    def _fits_run(self, first: int, last: int) -> bool:
        return self._fits(self._pieces[first][0], self._pieces[last][1])

    def _gain(self, place: int, known: frozenset[str]) -> float:
        if not 0 <= place < len(self._pieces):
            return -1.0
        return _weight(self._held[place] - known, self._weights)

    def _filled(self, start: int, high: int) -> int:
        """Take in whole lines, then whole sentences, of the next piece, which does not fit as it is."""
        end = self._pieces[high][1]
        if high + 1 == len(self._pieces) or is_fenced(self._text, *self._pieces[high + 1]):
            return end
        rest = self._pieces[high + 1]
        for cut in (lines, sentences):
            for piece in cut(self._text, *rest):
                if not self._fits(start, piece[1]):
                    rest = piece
                    break
                end = piece[1]
        return end


def _held(text: str, pieces: Sequence[Span], terms: tuple[str, ...], reach: int) -> list[frozenset[str]]:
    """The terms that each piece holds; `reach` characters behind it count, where words may be cut."""
    if not terms:
        return [frozenset()] * len(pieces)
    texts = (Presence(text[start : end + reach]) for start, end in pieces)
    return [frozenset(term for term in terms if present.holds_akin(term)) for present in texts]


def _best(held: Sequence[frozenset[str]]) -> int:
    weights = _weights(held)
    return max(range(len(held)), key=lambda place: (_weight(held[place], weights), -place))


def _weights(held: Sequence[frozenset[str]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for terms in held:
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
    return {term: log(1 + len(held) / count) for term, count in counts.items()}


def _weight(terms: frozenset[str], weights: dict[str, float]) -> float:
    # Sorted, or the sum would depend on the order of a set, which differs from process to process.
    return sum(weights[term] for term in sorted(terms))
