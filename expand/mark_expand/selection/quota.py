"""What one source may still take: its cap and its share, in units."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mark_expand.selection.bounds import SelectionLimits, SourceLimits
from mark_expand.trace import Reason


@dataclass(slots=True)
class Quota:
    """The limits of a source, and the units that are left of its cap and of its share (None: no such limit).

    With `slotted`, a source without a share gets nothing.
    """

    source: SourceLimits
    cap: int | None
    share: int | None
    slotted: bool

    @classmethod
    def of(cls, source: SourceLimits, limits: SelectionLimits, room: int, *, slotted: bool) -> Quota:
        """Give a source's quota; shares are of the `room` that pinned items leave."""
        cap = None if source.cap is None else limits.counter.units(source.cap)
        share = None if source.part is None else math.floor(source.part * room)
        return cls(source, cap, share, slotted)

    def refusal(self, fits: Callable[[int], bool]) -> Reason:
        """Say which limit is too small, "" if none; `fits` tells whether so many units are enough."""
        if self.cap is not None and not fits(self.cap):
            return "source_cap"
        if self.share is None:
            return "no_share" if self.slotted else ""
        return "" if fits(self.share) else "share_exhausted"

    def spend(self, units: int) -> None:
        """Take units off both."""
        if self.cap is not None:
            self.cap = max(0, self.cap - units)
        if self.share is not None:
            self.share = max(0, self.share - units)
