"""The limits of one selection: the budget and what each source may take of it, checked when they are made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from mark_expand.selection.errors import WrongLimit
from mark_outline import Counter, counter

Near = Literal["flag", "drop"]
"""What becomes of a near copy: only told, or left out where nothing of weight differs."""
Order = Literal["rank", "cache"]
"""How the window is ordered: strongest first, or so that a prompt cache keeps its prefix."""
Share = Fraction | float | str
"""A part of the budget: `0.25`, `"1/3"`; decimals are taken as they are written."""


def exact(share: Share, name: str = "share") -> Fraction:
    """Give a share as an exact fraction.

    >>> sum(exact(share) for share in (0.1, 0.2, 0.7)) == 1
    True

    Raises:
        WrongLimit: It is no number above 0 and up to 1.
    """
    allowed = 'a number above 0 and up to 1, such as 0.25 or "1/3"'
    try:
        made = Fraction(str(share).strip())
    except (ValueError, ZeroDivisionError):
        raise WrongLimit(name, share, allowed) from None
    if isinstance(share, bool) or not 0 < made <= 1:
        raise WrongLimit(name, share, allowed)
    return made


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """What one source may take.

    `weight` multiplies its scores; `cap` is the most tokens that it fills, `minimum` the tokens that it fills
    before others get more; `floor` is the least calibrated score that is printed, 0 to 1; `share` is its part
    of the budget; `pins` are locations that are always printed.

    Raises:
        WrongLimit: A value is not finite, not positive, or of another kind.
    """

    name: str
    weight: float = 1.0
    cap: int | None = None
    minimum: int = 0
    floor: float = 0.0
    share: Share | None = None
    pins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = f"{self.name}: "
        if not (_is_number(self.weight) and self.weight > 0):
            raise WrongLimit(f"{where}weight", self.weight, "a finite number above 0")
        if not (_is_number(self.floor) and 0 <= self.floor <= 1):
            raise WrongLimit(f"{where}floor", self.floor, "a number from 0 to 1")
        if self.cap is not None and not (_is_whole(self.cap) and self.cap > 0):
            raise WrongLimit(f"{where}cap", self.cap, "a whole number of tokens above 0")
        if not (_is_whole(self.minimum) and self.minimum >= 0):
            raise WrongLimit(f"{where}minimum", self.minimum, "a whole number of tokens from 0")
        if self.share is not None:
            object.__setattr__(self, "share", exact(self.share, f"{where}share"))

    @property
    def part(self) -> Fraction | None:
        """The share as an exact fraction."""
        return None if self.share is None else exact(self.share)


@dataclass(frozen=True, slots=True)
class SelectionLimits:
    """The budget in tokens of `counter`, and the limits of the sources in the order of their priority.

    A source that is not named has no limits of its own and comes after those that are.

    Raises:
        WrongLimit: The budget is not positive, a source stands twice, or the shares are more than the whole.
    """

    budget: int
    sources: tuple[SourceLimits, ...] = ()
    near: Near = "flag"
    order: Order = "rank"
    counter: Counter = field(default_factory=lambda: counter("bytes"))

    def __post_init__(self) -> None:
        if not (_is_whole(self.budget) and self.budget > 0):
            raise WrongLimit("budget", self.budget, "a whole number of tokens above 0")
        _check_word("near", self.near, ("flag", "drop"))
        _check_word("order", self.order, ("rank", "cache"))
        names = [source.name for source in self.sources]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise WrongLimit("sources", twice[0], "every source once")
        whole = sum((source.part or Fraction(0) for source in self.sources), Fraction(0))
        if whole > 1:
            raise WrongLimit("shares", float(whole), "at most 1 together")

    def of(self, names: Iterable[str]) -> tuple[SourceLimits, ...]:
        """Give the limits of the named sources too, those without any in the order of their names."""
        known = {source.name for source in self.sources}
        return (*self.sources, *(SourceLimits(name) for name in sorted(set(names) - known)))


def _check_word(name: str, given: str, words: tuple[str, ...]) -> None:
    if given not in words:
        raise WrongLimit(name, given, ", ".join(words))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
