"""Raw scores of one source as numbers from 0 to 1 that can be compared with those of another.

Equal scores stay equal, and scores that differ only by float noise count as equal. No mode but `zscore` looks
at how many hits there are or how bad the last one is: what a source lists below must not change what is worth
printing above (theoretical instead of observed minimum: Bruch, Gai and Ingber, "An Analysis of Fusion
Functions for Hybrid Retrieval", 2022). Weights and signals are `scoring`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Literal

Calibration = Literal["rank", "minmax", "zscore", "blend", "joint", "reciprocal"]
"""`joint` is `minmax` over all sources at once; `reciprocal` is that of the rank policy: 1 / rank."""

# The eleventh hit counts half of the first.
_HALF = 10
_NOISE = 1e-9


def calibrate(
    mode: Calibration,
    scores: Sequence[float | None],
    standing: Sequence[bool],
    others: Sequence[float] = (),
) -> list[float]:
    """Calibrate the scores of one source, given in its own order; None where it gave none.

    Only hits that are `standing` (neither pinned nor hopeless) make the scale; the others are read off it.
    `others` are the scores that make it, too, where it is that of all sources (`joint`).

    >>> calibrate("minmax", [8.0, 4.0, 4.0], [True, True, True])
    [1.0, 0.5, 0.5]
    """
    even = _even(scores)
    ranks = _ranks(even, standing)
    known = [score for score in even if score is not None]
    measured = list(compress(known, standing)) if len(known) == len(even) else []
    if mode not in ("rank", "reciprocal") and not measured:
        mode = "rank"
    return _MODES[mode](ranks, known, [*measured, *others] if mode == "joint" else measured)


def _even(scores: Sequence[float | None]) -> list[float | None]:
    """Give each score as the highest of those that equal it but for noise; all None where one is missing."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return [None] * len(scores)
    stands_for: dict[float, float] = {}
    first: float | None = None
    near_zero = max(map(abs, known), default=0.0) * _NOISE / 1000
    for score in sorted(set(known), reverse=True):
        if first is not None and math.isclose(first, score, rel_tol=_NOISE, abs_tol=near_zero):
            stands_for[score] = first
        else:
            first = score
    return [stands_for.get(score, score) for score in known]


def _ranks(even: Sequence[float | None], standing: Sequence[bool]) -> list[int]:
    """Count the standing hits from 1; neighbours of one score share a rank, others take none."""
    ranks: list[int] = []
    place, shared = 0, 1
    before: float | None = None
    for score, stands in zip(even, standing, strict=True):
        if score is None or score != before or not place:
            shared = place + 1
        ranks.append(shared)
        if stands:
            place += 1
            before = score
    return ranks


# Of ranks from 1 (equal hits share the first one's), of the scores that stand for all that equal them, and of
# those scores that make the scale.
Measure = Callable[[Sequence[int], Sequence[float], Sequence[float]], list[float]]


def _rank(ranks: Sequence[int], _: Sequence[float], __: Sequence[float]) -> list[float]:
    return [_HALF / (_HALF + rank - 1) for rank in ranks]


def _reciprocal(ranks: Sequence[int], _: Sequence[float], __: Sequence[float]) -> list[float]:
    return [1 / rank for rank in ranks]


def _minmax(_: Sequence[int], scores: Sequence[float], measured: Sequence[float]) -> list[float]:
    """From zero, or from the lowest score where one is negative, to the best."""
    low, high = min(0.0, *measured), max(measured)
    # Halves, because the span of two finite scores need not be finite.
    least = low / 2
    span = high / 2 - least
    if span <= 0:
        return [1.0] * len(scores)
    shares = [(score / 2 - least) / span for score in scores]
    return [0.0 if share <= 0 else 1.0 if share > 1 else share for share in shares]


def _zscore(_: Sequence[int], scores: Sequence[float], measured: Sequence[float]) -> list[float]:
    """How far above the mean, in deviations, through the logistic function; a lone hit is 0.5."""
    largest = max(map(abs, measured)) or 1.0
    scaled = [score / largest for score in measured]
    mean = math.fsum(scaled) / len(scaled)
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scaled) / len(scaled))
    if deviation <= _NOISE:
        return [0.5] * len(scores)
    steps = ((score / largest - mean) / deviation for score in scores)
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, step)))) for step in steps]


def _blend(ranks: Sequence[int], scores: Sequence[float], measured: Sequence[float]) -> list[float]:
    one, two = _rank(ranks, scores, measured), _minmax(ranks, scores, measured)
    return [(first + second) / 2 for first, second in zip(one, two, strict=True)]


_MODES: Mapping[str, Measure] = {
    "rank": _rank,
    "reciprocal": _reciprocal,
    "minmax": _minmax,
    "joint": _minmax,
    "zscore": _zscore,
    "blend": _blend,
}
