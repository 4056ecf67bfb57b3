"""The expansion as a protocol without I/O: told the rows, it asks for documents, and yields text and trace.

Drive it: start a fetch for each path of `wanted` that is not under way, give each answer to `receive`, and
read `result` once `done`. Decisions are made in rank order, so the bytes do not depend on the order of the
answers (F2). Fetching, deadlines and cancellation belong to whoever drives it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mark_outline import Counter

from mark_expand.ask import Ask, Document, Failure, Row
from mark_expand.closing import (
    Omitted,
    Tally,
    buy_omissions,
    longest_count,
    plain_location,
    reserve,
    spell_count,
    spell_stop,
    spell_table_overspend,
)
from mark_expand.fetching import Fetches
from mark_expand.frame import header, location, one_line
from mark_expand.hop import Target, target_location, targets
from mark_expand.passage import Leaf
from mark_expand.press import Candidate, Press
from mark_expand.purse import Purse
from mark_expand.trace import Outcome, Reason, Trace


@dataclass(frozen=True, slots=True)
class Result:
    """The whole text of a budgeted lookup, and the decisions behind it."""

    text: str
    trace: Trace


class Expansion:
    """One budgeted lookup being expanded; see the module for how to drive it."""

    def __init__(self, ask: Ask, counter: Counter) -> None:
        self._ask = ask
        self._counter = counter
        self._fetches = Fetches(ask.limits)
        self._outcomes: dict[int, Outcome] = {}
        self._row = 0
        self._ahead = 0
        self._settled: set[str] = set()
        self._targets: list[Target] = []
        self._target = 0
        self._related: set[str] = set()
        self._failed: set[str] = set()
        self._seeded = False
        self._limited = False
        self._stopped = False
        self._text: str | None = None
        self._purse = self._open_purse()
        self._trace = Trace(counter.encoding, ask.budget, fetches=self._fetches.asked)
        self._trace.table_tokens = counter.tokens(self._purse.spent)
        self._trace.reserve_tokens = counter.tokens(self._purse.reserve)
        self._press = Press(ask, self._purse, self._trace)
        self._begin()

    @property
    def wanted(self) -> list[str]:
        """Decoded paths asked for and not answered yet, in the order in which they are needed."""
        return [] if self.done else self._fetches.pending

    @property
    def done(self) -> bool:
        """Whether the result stands."""
        return self._text is not None

    @property
    def result(self) -> Result:
        """The finished result.

        Raises:
            RuntimeError: The expansion still waits for documents.
        """
        if self._text is None:
            raise RuntimeError("the expansion still waits for documents")
        return Result(self._text, self._trace)

    def receive(self, path: str, answer: Document | Failure) -> None:
        """Take in what a wanted path brought, and decide all that can be decided now."""
        if not self.done and path in self._fetches.pending:
            self._fetches.answers[path] = (
                answer if isinstance(answer, Failure) else Leaf(answer, self._counter)
            )
            self._advance()

    def stop(self) -> None:
        """Finish with what there is: the deadline was reached (F5)."""
        if not self.done:
            self._stopped = True
            self._advance()

    def _open_purse(self) -> Purse:
        spent = self._counter.count(self._ask.head + "\n")
        return Purse(
            self._counter, self._counter.units(self._ask.budget), reserve(self._ask, self._counter), spent
        )

    def _begin(self) -> None:
        if self._purse.room < 0:
            used = self._counter.tokens(self._counter.count(self._ask.head))
            self._finish("\n" + spell_table_overspend(used, self._ask.budget))
        elif not self._ask.rows:
            self._finish("")
        else:
            self._advance()

    def _finish(self, tail: str) -> None:
        self._text = self._ask.head + tail
        self._trace.tokens = self._counter.tokens(self._counter.count(self._text))

    def _advance(self) -> None:
        while self._row < len(self._ask.rows):
            self._look_ahead()
            row = self._ask.rows[self._row]
            if not self._decide_row(self._row, row):
                return
            self._settled.add(row.path)
            self._row += 1
        self._fetches.begin_hop()
        while self._target < len(self._targets):
            self._look_ahead_in_hop()
            if not self._decide_target(self._targets[self._target]):
                return
            self._target += 1
        self._close()

    # Rows.

    def _look_ahead(self) -> None:
        """Ask for the documents of the rows at hand, as many as may be in flight, that can still fit (F2, F3).

        Room only shrinks, so a row that was passed over as too dear stays so: each is looked at once.
        """
        rows = self._ask.rows
        self._ahead = max(self._ahead, self._row)
        while self._ahead < len(rows) and not self._stopped:
            row = rows[self._ahead]
            if row.path not in self._fetches.asked and not self._too_dear(row):
                if len(set(self._fetches.asked) - self._settled) >= self._ask.limits.ahead:
                    return
                if not self._fetches.ask(row.path, ahead=True):
                    return
            self._ahead += 1

    def _decide_row(self, index: int, row: Row) -> bool:
        """Decide one row; False when its document has to be waited for."""
        candidate = Candidate("row", index + 1, row.anchor, index, plain_location(row, row.version))
        if row.path not in self._fetches.asked:
            if self._too_dear(row):
                self._omit_unfetched(candidate, row)
                return True
            if self._stopped or not self._fetches.ask(row.path, ahead=False):
                self._skip(candidate, candidate.plain)
                return True
        answer = self._fetches.answers.get(row.path)
        if answer is None:
            if self._stopped:
                self._skip(candidate, candidate.plain)
            return self._stopped
        if isinstance(answer, Failure):
            self._fail(candidate, row.path, answer)
        else:
            self._outcomes[index] = self._print(answer, candidate)
        return True

    def _too_dear(self, row: Row) -> bool:
        """Tell whether not even the smallest thing that the row could print fits (F3)."""
        costs = row.costs
        known = row.anchor and costs is not None and costs.encoding == self._counter.encoding
        least = min(costs.whole, costs.own) if known and costs is not None else 1
        where = location(row.path, row.version, row.anchor)
        return least > self._purse.room or self._counter.count(header(where)) + least > self._purse.room

    def _omit_unfetched(self, candidate: Candidate, row: Row) -> None:
        units = None
        if row.costs is not None and row.costs.encoding == self._counter.encoding:
            units = self._counter.count(header(candidate.plain)) + row.costs.whole
        self._press.omitted.append(Omitted(candidate.plain, units, candidate.plain, candidate.row))
        self._press.record(candidate, candidate.plain, "omitted", "budget")

    def _print(self, leaf: Leaf, candidate: Candidate) -> Outcome:
        outcome = self._press.expand(leaf, candidate)
        if outcome not in ("printed", "stub"):
            return outcome
        declared = self._press.line(leaf)
        if not self._seeded:
            self._seeded = True
            self._trace.seed = leaf.document.path
            self._targets = targets(declared, leaf.document.path, self._ask) if declared else []
            self._fetches.settle_seed(target.path for target in self._targets if not target.skip)
        return outcome

    def _skip(self, candidate: Candidate, where: str) -> None:
        """Leave a candidate whose document may not be fetched any more."""
        reason: Reason = "deadline" if self._stopped else "fetch_limit"
        if reason == "fetch_limit" and candidate.row is not None and not self._limited:
            self._limited = True
            most = self._ask.limits.fetches
            self._press.say(
                f"fetch limit of {most} documents reached; later rows on unfetched documents skipped"
            )
        self._press.record(candidate, where, "omitted", reason)

    def _fail(self, candidate: Candidate, path: str, failure: Failure) -> None:
        """Say once that a document could not be fetched (F4); each of its rows is told of by that note."""
        if path not in self._failed:
            self._failed.add(path)
            rows = [index for index, row in enumerate(self._ask.rows) if row.path == path]
            before = len(self._press.told)
            self._press.say(f"{location(path)}: {one_line(failure.reason)}", candidate.row)
            if len(self._press.told) > before:
                self._press.told.update(rows)
        self._press.record(candidate, location(path, None, candidate.anchor), "failed", "fetch_failed")

    # The hop.

    def _look_ahead_in_hop(self) -> None:
        if self._stopped:
            return
        undecided: set[str] = set()
        for target in self._targets[self._target :]:
            if len(undecided) >= min(self._ask.limits.ahead, self._ask.limits.related - len(self._related)):
                return
            if not (target.skip or target.path in self._related or self._nothing_fits(target)):
                self._fetches.ask(target.path, ahead=True)
                undecided.add(target.path)

    def _nothing_fits(self, target: Target) -> bool:
        return self._counter.count(header(target_location(target, None))) >= self._purse.room

    def _decide_target(self, target: Target) -> bool:
        candidate = Candidate("related", self._target + 1, target.fragment)
        full = len(self._related) >= self._ask.limits.related and target.path not in self._related
        if target.skip or full:
            self._press.record(candidate, target.where, "skipped", target.skip or "hop_limit")
            return True
        if target.path not in self._fetches.asked and self._nothing_fits(target):
            self._press.omitted.append(Omitted(target.where, None, "", None))
            self._press.record(candidate, target.where, "omitted", "budget")
            return True
        if self._stopped or not self._fetches.ask(target.path, ahead=False):
            if target.path not in self._fetches.answers:
                self._skip(candidate, target.where)
                return True
        answer = self._fetches.answers.get(target.path)
        if answer is None:
            return False
        if isinstance(answer, Failure):
            self._fail(candidate, target.path, answer)
        elif self._print(answer, candidate) in ("printed", "stub"):
            self._related.add(target.path)
        return True

    # The end.

    def _close(self) -> None:
        purse = self._purse
        purse.release()
        if self._stopped:
            purse.buy(spell_stop(self._ask.limits.deadline))
        rows_first = sorted(self._press.omitted, key=lambda one: one.row is None)
        held = self._counter.count(longest_count(self._ask))
        named = buy_omissions(rows_first, self._ask.limits.named, purse, held)
        self._press.told.update(one.row for one in named if one.row is not None)
        purse.buy(spell_count(self._tally()))
        self._finish("\n" + purse.text)

    def _tally(self) -> Tally:
        outcomes = list(self._outcomes.values())
        shown = {index for index, outcome in self._outcomes.items() if outcome in ("printed", "stub")}
        hidden = [
            index
            for index in range(self._ask.listed, len(self._ask.rows))
            if index not in shown and index not in self._press.told
        ]
        return Tally(
            expanded=len(shown),
            rows=len(self._ask.rows),
            covered=outcomes.count("covered"),
            related=len(self._related),
            hidden=len(hidden),
            next_offset=self._ask.offset + (hidden[0] if hidden else 0),
        )
