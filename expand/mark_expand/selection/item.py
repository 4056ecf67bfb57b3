"""An item: a candidate while it is being decided, with its scores, its cost and what became of it."""

from __future__ import annotations

from mark_expand.frame import frame_safe, header
from mark_expand.selection.adjustments import signal_adjustments
from mark_expand.selection.candidate import Candidate
from mark_expand.selection.lower_bound import exceeds
from mark_expand.trace import Adjustment, Outcome, Reason
from mark_outline import WHITE, Counter

# Scores that differ by less are told apart by rank and by the order of the sources.
_DIGITS = 12
# Wherever this is cut for certain, every header is.
_SHORTEST = header("/")


class Item:
    """One candidate being decided. `place` counts from 0 in its source, `source` in the order of priority."""

    __slots__ = (
        *("adjustments", "calibrated", "candidate", "cost", "counter", "final", "least", "outcome", "place"),
        *("reason", "signals", "similar", "source", "successor", "text", "unscored", "within", "worth"),
    )

    def __init__(self, candidate: Candidate, source: int, place: int, counter: Counter) -> None:
        self.candidate = candidate
        self.source = source
        self.place = place
        self.counter = counter
        # As it is printed, trimmed but not made frame-safe.
        self.text = candidate.text.strip(WHITE)
        self.cost = None if self.text else candidate.cost
        self.signals = candidate.signals
        self.successor = candidate.successor
        self.calibrated = self.final = self.worth = 0.0
        self.unscored = False
        self.adjustments: tuple[Adjustment, ...] = ()
        self.outcome: Outcome | None = None
        self.reason: Reason = ""
        self.within = self.similar = ""
        self.least = 1  # Units that the block has at least, where it is not counted.

    @property
    def block(self) -> str:
        """The block as it is printed, closing blank line included; "" where the text is not known yet."""
        return f"{header(self.candidate.where)}{frame_safe(self.text)}\n\n" if self.text else ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to print, now or later."""
        return not self.text and self.cost is None

    @property
    def is_printed(self) -> bool:
        """Whether it was admitted."""
        return self.outcome == "printed"

    @property
    def strength(self) -> tuple[float, bool, int, int]:
        """The sort key of items: strongest first, of equals the first of each source in turn."""
        return -self.worth, self.unscored, self.place, self.source

    @property
    def units(self) -> int:
        """Units of the block, counted once."""
        if self.cost is None:
            self.cost = self.counter.count(self.block)
        return self.cost

    def fits(self, room: int) -> bool:
        """Tell whether the block has at most `room` units; counts only where that is open."""
        if self.cost is None and exceeds(f"{_SHORTEST}{self.text}\n\n", room, self.counter):
            self.least = max(self.least, room + 1)
            return False
        return self.units <= room

    def decide(self, outcome: Outcome, reason: Reason = "", within: str = "") -> None:
        """Settle what becomes of the item."""
        self.outcome, self.reason, self.within = outcome, reason, within

    def adjust(self, *adjustments: Adjustment) -> None:
        """Multiply the final score, visibly."""
        for one in adjustments:
            self.score(self.final * one.value)
        self.adjustments += adjustments

    def score(self, final: float) -> None:
        """Set the final score; `worth` is the same without float noise."""
        self.final, self.worth = final, round(final, _DIGITS)

    def stand_for(self, copy: Item) -> None:
        """Take over the signals of a copy that is left out in favour of this item, and rescore it."""
        self.adjust(*signal_adjustments(copy.signals, copy.candidate.where, self.signals))
        self.signals = self.signals | copy.signals
