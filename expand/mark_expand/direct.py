"""The rows, decided one after the other in rank order (O1, F1 to F4).

What a row prints is the press's part; where related documents come in, the expansion's.
"""

from __future__ import annotations

from mark_expand.ask import Ask, Failure, Row
from mark_expand.fetching import Fetches
from mark_expand.frame import header, location
from mark_expand.leaf import Leaf
from mark_expand.ledger import Candidate
from mark_expand.press import Press
from mark_expand.related import Related
from mark_expand.trace import Outcome


class Direct:
    """The rows of one lookup being decided; `outcomes` by row index, of the rows whose document came."""

    def __init__(self, ask: Ask, press: Press, fetches: Fetches, related: Related) -> None:
        self._ask = ask
        self._press = press
        self._fetches = fetches
        self._related = related
        self._next = 0
        self._ahead = 0
        self._asked_by: dict[str, int] = {}
        self.outcomes: dict[int, Outcome] = {}

    @property
    def left(self) -> bool:
        """Whether a row is still undecided."""
        return self._next < len(self._ask.rows)

    @property
    def is_named_next(self) -> bool:
        """Whether the next row is of a document that the question names."""
        return self._next < len(self._ask.rows) and self._ask.rows[self._next].named

    def step(self) -> bool:
        """Decide the next row; False when its document has to be waited for."""
        self._look_ahead()
        row = self._ask.rows[self._next]
        where = location(row.path, row.version, row.anchor)
        candidate = Candidate("row", self._next + 1, row.path, row.anchor, where, self._next)
        if not self._decide(candidate, row):
            return False
        self._next += 1
        return True

    def _look_ahead(self) -> None:
        """Ask for the documents of the rows at hand that can still fit, as many as may be under way (F2, F3).

        Room only shrinks, so a row that was passed over as too dear stays so: each is looked at once.
        """
        rows = self._ask.rows
        self._ahead = max(self._ahead, self._next)
        while self._ahead < len(rows) and not self._fetches.stopped:
            row = rows[self._ahead]
            if not self._is_too_dear(row, self._ahead):
                fresh = row.path not in self._fetches.asked
                if not self._fetches.look_ahead(row.path):
                    return
                if fresh:
                    self._asked_by[row.path] = self._ahead
            self._ahead += 1

    def _decide(self, candidate: Candidate, row: Row) -> bool:
        if self._is_too_dear(row, self._next):
            self._press.ledger.leave_unfetched(candidate, self._size(row, candidate.where))
            return True
        match self._fetches.get(row.path):
            case "pending":
                return False
            case "refused":
                self._press.ledger.skip(candidate, stopped=self._fetches.stopped)
            case Failure() as failure:
                self._press.ledger.fail(candidate, failure)
            case leaf:
                self.outcomes[candidate.rank - 1] = self._print(leaf, candidate)
        return True

    def _print(self, leaf: Leaf, candidate: Candidate) -> Outcome:
        outcome = self._press.expand(leaf, candidate)
        if outcome in ("printed", "stub"):
            declared = self._press.line(leaf)
            self._press.incoming(leaf.document.path)
            self._related.seed(leaf.document.path, declared)
        return outcome

    def _is_too_dear(self, row: Row, index: int) -> bool:
        """Tell whether not even the smallest print of a row fits whose document nobody above it needed (F3).

        What a row below has asked for makes no difference to this one (X4).
        """
        if row.path in self._fetches.asked and self._asked_by.get(row.path, index) <= index:
            return False
        purse = self._press.ledger.purse
        known = row.costs if self._is_measured(row) else None
        least = min(known.whole, known.own) if known else 1
        if least > purse.room:
            return True
        where = location(row.path, row.version, row.anchor)
        return purse.counter.count(header(where)) + least > purse.room

    def _size(self, row: Row, where: str) -> int | None:
        counter = self._press.ledger.purse.counter
        known = row.costs if self._is_counted(row) else None
        return counter.count(header(where)) + known.whole if known else None

    def _is_measured(self, row: Row) -> bool:
        """Tell whether the known costs are those of the least that a row may print."""
        told = row.named and self._ask.limits.glance
        return bool(row.anchor) and self._is_counted(row) and not (self._ask.cuts or told)

    def _is_counted(self, row: Row) -> bool:
        return row.costs is not None and row.costs.encoding == self._press.ledger.purse.counter.encoding
