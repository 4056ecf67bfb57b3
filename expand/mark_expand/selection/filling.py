"""Filling a window: the rules that every policy keeps, whichever item it offers first.

What must be printed comes first: pinned items and the last turn of the user, then (for a prompt cache) stable
items, then the minimums of the sources. Then the policy offers the rest one by one. Room only ever shrinks,
so a decision once made stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mark_expand.selection.arrangement import arranged, fixed
from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.calibration import Calibration
from mark_expand.selection.candidate import Candidate
from mark_expand.selection.duplicates import Duplicates
from mark_expand.selection.errors import DoesNotFit
from mark_expand.selection.item import Item
from mark_expand.selection.quota import Quota
from mark_expand.selection.scoring import is_pinned, scored, spellings_of
from mark_expand.selection.selection import Selection
from mark_expand.trace import Scored, Trace


class Filling:
    """A window being filled; with `slotted`, a source without a share gets nothing.

    Raises:
        DoesNotFit: What has to be printed is more than the budget.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        limits: SelectionLimits,
        calibration: Calibration = "blend",
        *,
        slotted: bool = False,
    ) -> None:
        self._limits = limits
        self._items = scored(candidates, limits, calibration)
        self._room = limits.counter.units(limits.budget)
        self._duplicates = Duplicates(limits.near)
        self._sources = limits.of(candidate.source for candidate in candidates)
        self._filled = [0] * len(self._sources)
        self._tried: list[Item] = []
        self._events: list[str] = []
        self._pinned = self._print_pinned()
        self._quotas = [Quota.of(source, limits, self._room, slotted=slotted) for source in self._sources]
        for item in self._pinned:
            self._quotas[item.source].spend(item.units)
        if limits.order == "cache":
            for item in sorted((one for one in self.open if one.candidate.life == "stable"), key=fixed):
                self.offer(item)
        self._offer_minimums()
        self._preferred = len(self._tried)

    @property
    def open(self) -> list[Item]:
        """The items that nothing was decided about yet, strongest first."""
        return [item for item in self._items if item.outcome is None]

    def offer(self, item: Item) -> bool:
        """Print an item if every limit allows it; tell whether it is printed."""
        if item.outcome is None:
            self._tried.append(item)
            quota = self._quotas[item.source]
            if quota.source.floor and round(item.calibrated, 12) < quota.source.floor:
                item.decide("omitted", "below_floor")
            elif not self._duplicates.leave_out_exact(item):
                reason = quota.refusal(item.fits) or ("" if item.fits(self._room) else "budget")
                if reason:
                    item.decide("omitted", reason)
                elif not self._duplicates.leave_out_near(item):
                    self._print(item)
                    quota.spend(item.units)
        return item.is_printed

    def offer_all(self) -> None:
        """Offer whatever nothing was decided about yet, strongest first."""
        for item in self._items:
            self.offer(item)

    def selection(self) -> Selection:
        """Give the window as it is now; what was never offered is entered as skipped."""
        found: list[Item] = []
        for item in self._items:
            if item.outcome is None:
                item.decide("skipped")
            elif item.outcome == "printed":
                found.append(item)
        printed = arranged(found, self._limits.order, self._pinned)
        blocks = [item.block for item in printed]
        stable = 0
        if self._limits.order == "cache":
            stable = sum(
                len(block)
                for item, block in zip(printed, blocks, strict=True)
                if item.candidate.life == "stable" and item.candidate.turn is None
            )
        return Selection(
            [item.candidate for item in printed],
            "".join(blocks),
            stable,
            [item.candidate for item in self._items],
            tried=[item.candidate for item in self._tried],
            preferred=self._preferred,
            trace=self._trace,
        )

    def _trace(self) -> Trace:
        counter = self._limits.counter
        return Trace(
            counter.encoding,
            self._limits.budget,
            [_entry(item) for item in self._items],
            self._events,
            tokens=counter.tokens(sum(item.units for item in self._items if item.is_printed)),
        )

    def sizes(self) -> list[tuple[str, int]]:
        """Give location and tokens of every item that is printed or would be if the budget were larger."""
        return self._sizes(item for item in self._items if item.is_printed or item.reason == "budget")

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out for want of budget."""
        return all(item.reason != "budget" for item in self._items)

    def _sizes(self, items: Iterable[Item]) -> list[tuple[str, int]]:
        return [(item.candidate.where, self._limits.counter.tokens(item.units)) for item in items]

    def _sort_out(self) -> tuple[list[Item], list[Item]]:
        """Leave out the hopeless ones; give the pinned ones, and the turns of the user."""
        pinned: list[Item] = []
        asked: list[Item] = []
        for item in self._items:
            is_kept = self._is_pinned(item)
            if item.is_empty:
                item.decide("omitted", "empty")
            elif item.signals.deprecated and not is_kept:
                item.decide("omitted", "deprecated", item.successor)
            else:
                if is_kept:
                    pinned.append(item)
                if item.candidate.role == "user" and item.candidate.turn is not None:
                    asked.append(item)
        return sorted(pinned, key=fixed), asked

    def _is_pinned(self, item: Item) -> bool:
        source = self._sources[item.source]
        return item.candidate.pinned or (bool(source.pins) and is_pinned(item.candidate, source))

    def _print_pinned(self) -> list[Item]:
        pinned, asked = self._sort_out()
        last = max(asked, key=_moment, default=None)
        needed = []
        for item in pinned if last is None or last in pinned else (*pinned, last):
            self._tried.append(item)
            if not self._duplicates.leave_out_exact(item):
                needed.append(item)
                self._print(item)
        if self._room < 0:
            raise DoesNotFit("pinned", self._sizes(needed), self._limits.budget)
        self._tell_missing_pins()
        return needed

    def _tell_missing_pins(self) -> None:
        for number, source in enumerate(self._sources):
            known: set[str] = set()
            if source.pins:
                known.update(*(spellings_of(item.candidate) for item in self._items if item.source == number))
            self._events += [f"not_found:{source.name}:{pin}" for pin in source.pins if pin not in known]

    def _offer_minimums(self) -> None:
        """Let the sources fill their minimums in turn, each with its strongest that still fits."""
        counter = self._limits.counter
        least = [counter.units(source.minimum) for source in self._sources]
        lacking = [number for number, units in enumerate(least) if self._filled[number] < units]
        queues = {number: iter([one for one in self.open if one.source == number]) for number in lacking}
        while lacking:
            lacking = [
                number
                for number in lacking
                if any(self.offer(item) for item in queues[number]) and self._filled[number] < least[number]
            ]
        for source, units, filled in zip(self._sources, least, self._filled, strict=True):
            if filled < units:
                told = f"{counter.tokens(filled)} of {source.minimum}"
                self._events.append(f"minimum_unmet:{source.name}:{told}")

    def _print(self, item: Item) -> None:
        item.decide("printed")
        self._room -= item.units
        self._filled[item.source] += item.units
        self._duplicates.keep(item)


def _moment(item: Item) -> tuple[int, int]:
    return item.candidate.turn or 0, -item.source


def _entry(item: Item) -> Scored:
    counted = None if item.cost is None else item.counter.tokens(item.cost)
    one = item.candidate
    assert item.outcome is not None, "every item is decided before the trace is made"
    return Scored(
        "candidate",
        item.place + 1,
        one.where,
        item.outcome,
        item.reason,
        "turn" if one.turn is not None else "",
        counted,
        item.within,
        source=one.source,
        raw=one.score,
        calibrated=item.calibrated,
        final=item.final,
        adjustments=item.adjustments,
        least=item.counter.tokens(item.least) if counted is None and item.text else None,
        similar=item.similar,
    )
