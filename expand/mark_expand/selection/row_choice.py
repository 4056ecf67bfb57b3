"""How a policy chooses among the rows of a lookup, before any of their documents is read.

Texts are not known yet: a row costs what its store says, or next to nothing. So the policy decides the order
of the rows and which of them have no chance; caps, shares and near copies are kept by `row_gate` while the
expansion prints, with the sizes of what is really printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from mark_expand.ask import Row
from mark_expand.frame import header, location
from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.candidate import Candidate
from mark_expand.selection.policies import FixedSlots, RankOrder
from mark_expand.selection.row_gate import RowGate
from mark_expand.selection.scoring import is_pinned
from mark_expand.selection.selection import Policy
from mark_expand.trace import Entry, Scored, Trace
from mark_outline import spellings

# Of a policy's reasons only these hold before the sizes of the texts are known.
_FINAL = ("below_floor", "no_share")


class RankedRow(Row, Protocol):
    """A row with its store's own score."""

    @property
    def score(self) -> float | None:
        """Higher is better; None when the store did not tell."""


@dataclass(frozen=True, slots=True)
class PinnedRow:
    """A pinned location that no row of the lookup is."""

    path: str
    anchor: str = ""
    title: str = "(pinned)"
    version: int | None = None
    costs: None = None
    score: float | None = None
    named: bool = False


@dataclass(frozen=True, slots=True)
class RowChoice:
    """The rows in the order in which they are tried, and what keeps the limits while they are printed.

    `places` gives the place of each on the store's page, None for a pinned one that is not on it.
    """

    rows: tuple[Row, ...]
    places: tuple[int | None, ...]
    gate: RowGate
    _entries: tuple[Scored, ...]
    _left_out: tuple[Scored, ...]
    _limits: SelectionLimits

    def enter(self, trace: Trace) -> None:
        """Enter the policy's part into the trace of the expansion: scores, what it left out, its events."""
        trace.entries[:] = [self._scored(entry) for entry in trace.entries]
        trace.entries += self._left_out
        trace.events += [*self.gate.events, *self.gate.unmet(self._limits.sources, self._limits)]

    def _scored(self, entry: Entry) -> Entry:
        if entry.origin != "row":
            return entry
        known = self._entries[entry.rank - 1]
        return replace(
            known,
            origin="row",
            rank=entry.rank,
            location=entry.location,
            outcome=entry.outcome,
            reason=entry.reason,
            kind=entry.kind,
            tokens=known.tokens if entry.tokens is None else entry.tokens,
            within=entry.within,
            title=entry.title,
            detail=entry.detail,
        )


def choose_rows(
    rows: Sequence[RankedRow],
    policy: Policy,
    limits: SelectionLimits,
    room: int,
    source_of: Callable[[str], str],
) -> RowChoice:
    """Let a policy choose among rows in rank order, with `room` units for what they print.

    `source_of` names the store of a path, as the limits do; pins that are no rows are added in front.
    Documents that the question calls by name come next under every policy, as they do in each store: their
    own scores may be none. Otherwise rows keep their order under `RankOrder`, but for those that fill a
    minimum.

    Raises:
        WrongLimit: The policy cannot keep one of the limits.
    """
    best = _best(rows, source_of)
    places: dict[Candidate, tuple[RankedRow, int | None]] = {}
    counts: dict[str, int] = {}
    for place, row in [*((None, row) for row in _pinned_rows(rows, limits)), *enumerate(rows)]:
        source = source_of(row.path)
        counts[source] = counts.get(source, 0) + 1
        candidate = _candidate(row, source, counts[source], limits)
        places[replace(candidate, score=best[source]) if row.named else candidate] = (row, place)
    selection = policy.select(list(places), limits)
    entries = dict(zip(selection.considered, selection.trace.entries, strict=True))
    tried = list(selection.tried)
    first, rest = tried[: selection.preferred], tried[selection.preferred :]
    if isinstance(policy, RankOrder):
        rest.sort(key=lambda one: places[one][1] or 0)
    rest.sort(key=lambda one: not places[one][0].named)
    tried = [*first, *rest]
    chosen = [one for one in tried if entries[one].reason not in _FINAL]
    left_out = [one for one in tried if entries[one].reason in _FINAL]
    return RowChoice(
        tuple(places[one][0] for one in chosen),
        tuple(places[one][1] for one in chosen),
        RowGate.of(limits, room, source_of, slotted=isinstance(policy, FixedSlots)),
        tuple(entry for one in chosen if isinstance(entry := entries[one], Scored)),
        tuple(entry for one in left_out if isinstance(entry := entries[one], Scored)),
        limits,
    )


def _best(rows: Sequence[RankedRow], source_of: Callable[[str], str]) -> dict[str, float | None]:
    """Give the best score of each store; None where it left one out."""
    found: dict[str, list[float | None]] = {}
    for row in rows:
        found.setdefault(source_of(row.path), []).append(row.score)
    return {
        source: None if len(known := [one for one in scores if one is not None]) < len(scores) else max(known)
        for source, scores in found.items()
    }


def _candidate(row: RankedRow, source: str, rank: int, limits: SelectionLimits) -> Candidate:
    """Give a row as a candidate; a pinned one costs next to nothing, since it is tried first in any case."""
    counter = limits.counter
    units = counter.count(header(location(row.path, row.version, row.anchor)))
    if row.costs and row.costs.encoding == counter.encoding:
        units += row.costs.whole
    candidate = Candidate(
        source=source,
        path=row.path.removeprefix(f"mark://{source}") if source else row.path,
        store=source,
        version=row.version,
        anchor=row.anchor,
        rank=rank,
        score=row.score,
        cost=units,
    )
    mine = next((one for one in limits.sources if one.name == source), None)
    return replace(candidate, cost=1) if mine and is_pinned(candidate, mine) else candidate


def _pinned_rows(rows: Sequence[RankedRow], limits: SelectionLimits) -> list[PinnedRow]:
    """Give the pins that are no rows."""
    known = {(row.path, row.anchor) for row in rows}
    paths = {row.path for row in rows}
    found = []
    for source in limits.sources:
        for pin in source.pins:
            place = spellings(pin)[0]
            path = f"mark://{source.name}{place.path}" if source.name else place.path
            if (path, place.anchor) not in known and (place.anchor or path not in paths):
                found.append(PinnedRow(path, place.anchor))
    return found
