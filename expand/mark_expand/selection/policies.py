"""The four policies behind one signature: what tells them apart. What all of them keep is `filling`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, get_args

from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.calibration import Calibration
from mark_expand.selection.candidate import Candidate
from mark_expand.selection.errors import DoesNotFit, WrongLimit
from mark_expand.selection.filling import Filling
from mark_expand.selection.item import Item
from mark_expand.selection.selection import Selection

PolicyName = Literal["rank", "knapsack", "slots", "everything"]
"""The policies by the names that settings have for them."""


@dataclass(frozen=True, slots=True)
class RankOrder:
    """Rank order; several sources interleaved by rank divided by their weight, ties in configured order."""

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose by rank.

        Raises:
            DoesNotFit: Pinned candidates are more than the budget.
        """
        return _filled(Filling(candidates, limits, "reciprocal"))


@dataclass(frozen=True, slots=True)
class ScoredKnapsack:
    """One budget for all sources, by calibrated score; `beta` weighs value per token, 0 not at all.

    Raises:
        WrongLimit: `beta` is negative or not finite, or there is no such calibration.
    """

    beta: float = 0.0
    calibration: Calibration = "blend"

    def __post_init__(self) -> None:
        _check_calibration(self.calibration)
        if isinstance(self.beta, bool) or not 0 <= self.beta < math.inf:
            raise WrongLimit("beta", self.beta, "a finite number from 0")

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose by score, or by score per token.

        Raises:
            DoesNotFit: Pinned candidates are more than the budget.
        """
        filling = Filling(candidates, limits, self.calibration)
        if not self.beta:
            return _filled(filling)
        for item in sorted(filling.open, key=self._density):
            filling.offer(item)
        return filling.selection()

    def _density(self, item: Item) -> tuple[bool, float]:
        """Sort by value per token, equals as they stand; unscored ones stay below scored ones."""
        if item.final <= 0:
            return item.unscored, math.inf
        # The logarithm of final / units ** beta, which no beta overflows.
        return item.unscored, -round(math.log(item.final) - self.beta * math.log(max(1, item.units)), 12)


@dataclass(frozen=True, slots=True)
class FixedSlots:
    """A fixed share of the budget for each source, filled in configured order; what one leaves no other gets.

    Raises:
        WrongLimit: There is no such calibration.
    """

    calibration: Calibration = "blend"

    def __post_init__(self) -> None:
        _check_calibration(self.calibration)

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose by source, in each by score.

        Raises:
            DoesNotFit: Pinned candidates are more than the budget.
            WrongLimit: No source has a share.
        """
        if not any(source.part for source in limits.sources):
            raise WrongLimit("shares", None, "a share for at least one source, by which slots divide")
        filling = Filling(candidates, limits, self.calibration, slotted=True)
        for item in sorted(filling.open, key=attrgetter("source")):
            filling.offer(item)
        return filling.selection()


@dataclass(frozen=True, slots=True)
class Everything:
    """Every candidate, or an error with sizes; with `truncate` by score as far as they fit.

    Raises:
        WrongLimit: There is no such calibration.
    """

    truncate: bool = False
    calibration: Calibration = "blend"

    def __post_init__(self) -> None:
        _check_calibration(self.calibration)

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose all.

        Raises:
            DoesNotFit: The candidates are more than the budget, and `truncate` is off.
            WrongLimit: A limit leaves candidates out, and `truncate` is off.
        """
        if not self.truncate:
            _check_unlimited(limits)
        filling = Filling(candidates, limits, self.calibration)
        selection = _filled(filling)
        if not (self.truncate or filling.is_complete):
            raise DoesNotFit("everything", filling.sizes(), limits.budget)
        return selection


def _filled(filling: Filling) -> Selection:
    filling.offer_all()
    return filling.selection()


def _check_unlimited(limits: SelectionLimits) -> None:
    for source in limits.sources:
        for name, given in (("cap", source.cap), ("share", source.part), ("floor", source.floor or None)):
            if given is not None:
                raise WrongLimit(
                    f"{source.name}: {name}", given, "none with the policy everything, unless it truncates"
                )
    if limits.near == "drop":
        raise WrongLimit("near", limits.near, "flag with the policy everything, unless it truncates")


def _check_calibration(given: str) -> None:
    known = [word for word in get_args(Calibration) if word != "reciprocal"]
    if given not in known:
        raise WrongLimit("calibration", given, ", ".join(known))
