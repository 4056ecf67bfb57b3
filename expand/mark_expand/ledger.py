"""What was said and decided so far: notes bought, rows told of, omissions, the trace (X1, X2, X3).

Whether a text fits is the purse's part, what to print the press's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mark_expand.ask import Ask, Failure
from mark_expand.frame import location, note, one_line
from mark_expand.omissions import Omitted
from mark_expand.passage import Passage
from mark_expand.purse import Purse
from mark_expand.thin_table import label
from mark_expand.trace import Entry, Origin, Outcome, Reason, Trace

# An error text is a label here; a whole page of it must not eat the budget.
REASON_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row or a target of the hop that is about to be decided.

    `where` is its location before anything was fetched; `row` is the row's index, None for a target.
    """

    origin: Origin
    rank: int
    path: str
    anchor: str
    where: str
    row: int | None = None

    @property
    def plain(self) -> str:
        """The spelling that the reserve has room for: the row's own location, "" for a target."""
        return "" if self.row is None else self.where


@dataclass(slots=True)
class Ledger:
    """The decisions of one expansion; `told` holds the rows that a printed note speaks of."""

    ask: Ask
    purse: Purse
    trace: Trace
    omitted: list[Omitted] = field(default_factory=list)
    told: set[int] = field(default_factory=set)
    _failed: set[str] = field(default_factory=set)
    _limited: bool = False

    def say(self, line: str, where: str = "", rows: Iterable[int | None] = ()) -> None:
        """Print a note on `where` if it fits; rows that it speaks of are then no longer hidden."""
        if self.purse.buy(line, "note", where):
            self.told.update(row for row in rows if row is not None)

    def record(
        self,
        candidate: Candidate,
        where: str,
        outcome: Outcome,
        reason: Reason = "",
        *,
        passage: Passage | None = None,
        units: int | None = None,
        within: str = "",
        detail: str = "",
    ) -> None:
        """Enter a decision into the trace; `units` where the size of the block is known without a passage."""
        units = units if passage is None else passage.units
        entry = Entry(
            origin=candidate.origin,
            rank=candidate.rank,
            location=where,
            outcome=outcome,
            reason=reason,
            kind="" if passage is None else passage.kind,
            tokens=None if units is None else self.purse.counter.tokens(units),
            within=within,
            title="" if candidate.row is None else label(self.ask.rows[candidate.row].title),
            detail=detail,
        )
        self.trace.entries.append(entry)

    def leave_out(self, candidate: Candidate, passage: Passage, reason: Reason = "budget") -> None:
        """Enter a passage that did not fit into the budget, or into what a policy gives its store."""
        self.record(candidate, passage.where, "omitted", reason, passage=passage)
        self.omitted.append(Omitted(passage.where, passage.units, candidate.plain, candidate.row))

    def leave_unfetched(self, candidate: Candidate, units: int | None) -> None:
        """Enter a candidate of which nothing can fit, with its units where known (F3)."""
        self.record(candidate, candidate.where, "omitted", "budget", units=units)
        self.omitted.append(Omitted(candidate.where, units, candidate.plain, candidate.row))

    def miss(self, candidate: Candidate, where: str) -> None:
        """Say that a document has no such section (O2)."""
        anchor = one_line(candidate.anchor)
        self.say(note(f"{location(candidate.path)}: section #{anchor} not found"), where, [candidate.row])
        self.record(candidate, where, "failed", "not_found")

    def skip(self, candidate: Candidate, *, stopped: bool) -> None:
        """Enter a candidate whose document may not be fetched any more; say so once for the rows (F1)."""
        if not (stopped or candidate.row is None or self._limited):
            self._limited = True
            most = self.ask.limits.fetches
            self.say(
                note(f"fetch limit of {most} documents reached; later rows on unfetched documents skipped")
            )
        self.record(candidate, candidate.where, "omitted", "deadline" if stopped else "fetch_limit")

    def fail(self, candidate: Candidate, failure: Failure) -> None:
        """Say once that a document could not be fetched (F4); that note speaks of each of its rows."""
        reason = one_line(failure.reason)[:REASON_CHARACTERS] or "failed"
        if candidate.path not in self._failed:
            self._failed.add(candidate.path)
            where = location(candidate.path)
            rows = [index for index, row in enumerate(self.ask.rows) if row.path == candidate.path]
            self.say(note(f"{where}: {reason}"), where, rows)
        self.record(candidate, candidate.where, "failed", "fetch_failed", detail=reason)
