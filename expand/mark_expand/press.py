"""Printing one row or target: a block, a stub, or a note that says why not (O2 to O9, C1 to C3).

Order, fetching and the closing notes are left to the expansion.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mark_outline import WHITE, Relation, relations

from mark_expand.alternatives import Choice, alternatives
from mark_expand.ask import Ask
from mark_expand.closing import Omitted
from mark_expand.frame import header, location, note, one_line, relation_line
from mark_expand.passage import Leaf, Passage
from mark_expand.printed import Printed
from mark_expand.purse import Purse
from mark_expand.trace import Entry, Origin, Outcome, Reason, Trace


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row or a target that is about to be decided.

    `row` is the row's index, None for a target; `plain` its spelling that the reserve has room for.
    """

    origin: Origin
    rank: int
    anchor: str
    row: int | None = None
    plain: str = ""


@dataclass(slots=True)
class Press:
    """Buys text for candidates, and remembers what was printed, told and left out."""

    ask: Ask
    purse: Purse
    trace: Trace
    omitted: list[Omitted] = field(default_factory=list)
    told: set[int] = field(default_factory=set)
    _printed: Printed = field(default_factory=Printed)
    _lined: set[str] = field(default_factory=set)

    def expand(self, leaf: Leaf, candidate: Candidate) -> Outcome:
        """Print the first alternative of a candidate that fits; say what became of it."""
        index = leaf.outline.find(candidate.anchor) if candidate.anchor else None
        if candidate.anchor and index is None:
            self._miss(leaf, candidate)
            return "failed"
        if index is None and not leaf.document.body.strip(WHITE):
            self.record(candidate, leaf.where(), "omitted", "empty")
            return "omitted"
        failed: list[Passage] = []
        outcome: Outcome = "omitted"
        for group in alternatives(leaf, index, self.ask.terms, self.ask.limits):
            outcomes = [self._offer(leaf, choice, candidate, failed) for choice in group]
            outcome = _best(outcomes)
            if outcome != "omitted":
                break
        self._leave_out(candidate, failed, nothing=outcome == "omitted")
        return outcome

    def line(self, leaf: Leaf) -> tuple[Relation, ...] | None:
        """Print the document's relation line, once; None when it has none, had one, or did not fit (R2)."""
        path = leaf.document.path
        if path in self._lined:
            return None
        self._lined.add(path)
        declared, rejected = relations(path, leaf.document.metadata)
        for one in rejected:
            self.trace.events.append(f"{path}: {one.key}: {one.reason}: {one_line(one.value)}")
        line = relation_line(declared)
        return declared if line and self.purse.buy(line) else None

    def say(self, text: str, row: int | None = None) -> None:
        """Print a note if it fits; a row that it speaks of is then no longer hidden."""
        if self.purse.buy(note(text)) and row is not None:
            self.told.add(row)

    def record(
        self,
        candidate: Candidate,
        where: str,
        outcome: Outcome,
        reason: Reason = "",
        *,
        passage: Passage | None = None,
        within: str = "",
    ) -> None:
        """Enter a decision into the trace."""
        tokens = None if passage is None else self.purse.counter.tokens(passage.units)
        kind = "" if passage is None else passage.kind
        self.trace.entries.append(
            Entry(candidate.origin, candidate.rank, where, outcome, reason, kind, tokens, within)
        )

    def _miss(self, leaf: Leaf, candidate: Candidate) -> None:
        anchor = one_line(candidate.anchor)
        self.say(f"{location(leaf.document.path)}: section #{anchor} not found", candidate.row)
        self.record(candidate, leaf.where(anchor), "failed", "not_found")

    def _offer(self, leaf: Leaf, choice: Choice, candidate: Candidate, failed: list[Passage]) -> Outcome:
        first: Passage | None = None
        for passage in choice:
            outcome = self._print(leaf, passage, candidate)
            if outcome != "omitted":
                return outcome
            first = first or passage
        if first is not None:
            failed.append(first)
        return "omitted"

    def _print(self, leaf: Leaf, passage: Passage, candidate: Candidate) -> Outcome:
        path = leaf.document.path
        if overlap := self._printed.overlap(path, passage):
            where, text = overlap
            if self.purse.buy(text) and candidate.row is not None:
                self.told.add(candidate.row)
            self.record(candidate, passage.where, "covered", "covered", passage=passage, within=where)
            return "covered"
        if stand_in := self._printed.stand_in(passage):
            where, stub = stand_in
            outcome, reason, bought = (
                "stub",
                "duplicate",
                self.purse.buy(f"{header(passage.where)}{stub}\n\n"),
            )
        else:
            where, outcome, reason, bought = "", "printed", "", self._buy(passage)
        if not bought:
            return "omitted"
        self._printed.add(path, passage)
        self.record(candidate, passage.where, outcome, reason, passage=passage, within=where)
        return outcome

    def _buy(self, passage: Passage) -> bool:
        units = passage.units + (self.purse.counter.count(passage.remark) if passage.remark else 0)
        return self.purse.buy(passage.block + passage.remark, units)

    def _leave_out(self, candidate: Candidate, failed: list[Passage], *, nothing: bool) -> None:
        """Remember what did not fit: sections always, a whole document or less only when nothing was printed."""
        listed = [passage for passage in failed if passage.kind == "section"]
        if nothing and failed and failed[0].kind != "section":
            listed = failed[:1]
        for passage in listed:
            self.record(candidate, passage.where, "omitted", "budget", passage=passage)
            self.omitted.append(Omitted(passage.where, passage.units, candidate.plain, candidate.row))


def _best(outcomes: list[Outcome]) -> Outcome:
    """Sum up a group: printed if anything was, else covered if anything was."""
    for outcome in ("printed", "stub", "covered"):
        if outcome in outcomes:
            return outcome
    return "omitted"
