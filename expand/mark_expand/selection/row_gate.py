"""What a policy says while rows are printed: how much each store may still take, and what is said already.

The texts of rows are known only then, and so are their sizes; the order of the rows is `row_choice`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mark_expand.selection.bounds import Near, SelectionLimits, SourceLimits
from mark_expand.selection.near_copies import NearCopies
from mark_expand.selection.quota import Quota
from mark_expand.trace import Reason


@dataclass(slots=True)
class RowGate:
    """The quotas of the stores during one expansion, by name; `events` tells of near copies."""

    _source_of: Callable[[str], str]
    _quotas: dict[str, Quota]
    _near: Near
    events: list[str] = field(default_factory=list)
    _spent: dict[str, int] = field(default_factory=dict)
    _copies: NearCopies = field(default_factory=NearCopies)
    _printed: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, limits: SelectionLimits, room: int, source_of: Callable[[str], str], *, slotted: bool
    ) -> RowGate:
        """Make the gate of one lookup with `room` units for its blocks; `source_of` names a path's store."""
        quotas = {source.name: Quota.of(source, limits, room, slotted=slotted) for source in limits.sources}
        return cls(source_of, quotas, limits.near)

    def refusal(self, path: str, units: int) -> Reason:
        """Say why the store of `path` may not print so much more, "" where it may."""
        quota = self._quotas.get(self._source_of(path))
        return "" if quota is None else quota.refusal(lambda room: units <= room)

    def twin(self, text: str) -> str:
        """Name the printed location that `text` is a spare near copy of, where those are dropped; else ""."""
        found = self._copies.find(text) if self._near == "drop" else None
        return self._printed[found.number] if found and found.is_spare else ""

    def admit(self, path: str, where: str, text: str, units: int) -> None:
        """Note what was printed; `text` is "" for a stub or a relation line."""
        source = self._source_of(path)
        self._spent[source] = self._spent.get(source, 0) + units
        if quota := self._quotas.get(source):
            quota.spend(units)
        if not text:
            return
        if found := self._copies.find(text, spare=False):
            self.events.append(f"similar_to:{where}:{self._printed[found.number]}")
        self._copies.add(text)
        self._printed.append(where)

    def unmet(self, sources: tuple[SourceLimits, ...], limits: SelectionLimits) -> list[str]:
        """Tell which minimums were not filled."""
        counter = limits.counter
        return [
            f"minimum_unmet:{source.name}:{counter.tokens(spent)} of {source.minimum}"
            for source in sources
            if (spent := self._spent.get(source.name, 0)) < counter.units(source.minimum)
        ]
