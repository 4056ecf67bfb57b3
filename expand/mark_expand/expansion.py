"""The expansion as a protocol without I/O: told the rows, it asks for documents, and yields text and trace.

Drive it: start a fetch for each path of `wanted` that is not under way, give each answer to `receive`, and
read `result` once `done`. Decisions are made in rank order, so the bytes do not depend on the order of the
answers (F2). Fetching, deadlines and cancellation belong to whoever drives it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mark_expand.ask import Ask, Document, Failure
from mark_expand.bill import Charge, parts
from mark_expand.closing import close, reserve, spell_table_overspend
from mark_expand.direct import Direct
from mark_expand.fetching import Fetches
from mark_expand.frame import location
from mark_expand.leaf import Leaf
from mark_expand.ledger import Candidate, Ledger
from mark_expand.press import Press
from mark_expand.purse import Purse
from mark_expand.related import Related
from mark_expand.trace import Trace
from mark_outline import Counter


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
        self._trace = Trace(counter.encoding, ask.budget, fetches=self._fetches.asked)
        self._ledger = Ledger(ask, _open_purse(ask, counter), self._trace)
        self._press = Press(ask, self._ledger)
        self._related = Related(ask, self._press, self._fetches)
        self._direct = Direct(ask, self._press, self._fetches, self._related)
        self._text: str | None = None
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
        if path in self.wanted:
            self._fetches.answers[path] = (
                answer if isinstance(answer, Failure) else Leaf(answer, self._counter)
            )
            self._advance()

    def stop(self) -> None:
        """Finish with what there is: the deadline was reached (F5)."""
        if not self.done:
            self._fetches.stopped = True
            self._advance()

    def _begin(self) -> None:
        purse = self._ledger.purse
        self._trace.table_tokens = self._counter.tokens(purse.spent)
        self._trace.reserve_tokens = self._counter.tokens(purse.reserve)
        if self._ask.budget <= 0:
            self._refuse("")
        elif purse.room < 0:
            used = self._counter.tokens(self._counter.count(self._ask.head))
            self._refuse(spell_table_overspend(used, self._ask.budget))
        else:
            self._advance()

    def _refuse(self, note: str) -> None:
        """Finish with the table alone, or with one note below it (B4, B5)."""
        for rank, row in enumerate(self._ask.rows, 1):
            where = location(row.path, row.version, row.anchor)
            candidate = Candidate("row", rank, row.path, row.anchor, where, rank - 1)
            self._ledger.record(candidate, where, "omitted", "budget")
        self._text = self._ask.head + (f"\n{note}" if note else "")
        units = self._counter.count(self._text)
        head = self._counter.count(self._ask.head) if note else units
        below = [Charge("overspend", units - head)] if note else []
        self._account(units, [Charge("head", head), *below])

    def _advance(self) -> None:
        """Decide rows and targets until one has to be waited for, then close."""
        while self._direct.left or self._related.left or self._press.put_off:
            waits = self._related.is_aside and self._direct.is_named_next
            hop = self._related.left and (self._related.early or not self._direct.left) and not waits
            if self._press.put_off and not self._related.left and not self._direct.is_named_next:
                self._press.resume()
            elif not (self._related.step() if hop else self._direct.step()):
                return
        if self._ask.rows:
            self._press.read_on()
            close(
                self._ask,
                self._ledger,
                self._direct.outcomes,
                related=len(self._related.printed),
                stopped=self._fetches.stopped,
            )
        self._text = self._ask.head + self._ledger.purse.text
        self._account(self._ledger.purse.spent, self._ledger.purse.charges)

    def _account(self, units: int, charges: list[Charge]) -> None:
        self._trace.tokens = self._counter.tokens(units)
        self._trace.parts = parts(charges, self._counter)


def _open_purse(ask: Ask, counter: Counter) -> Purse:
    """Spend the head, and the blank line below it where rows follow (B1)."""
    below = "\n" if ask.rows else ""
    spent = counter.count(ask.head + below)
    return Purse(
        counter, counter.units(ask.budget), reserve(ask, counter), spent, [below], [Charge("head", spent)]
    )
