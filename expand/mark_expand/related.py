"""The hop: the documents that the seed declares, decided one after the other (H1 to H6, F1).

Which targets there are, and in which order, is `hop`; what one prints is the press's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mark_expand.ask import Ask, Failure
from mark_expand.fetching import Fetches
from mark_expand.frame import header, location
from mark_expand.hop import Target, sources, targets
from mark_expand.leaf import Leaf
from mark_expand.ledger import Candidate
from mark_expand.press import Press
from mark_outline import Relation, plain


class Related:
    """One hop being followed; `printed` holds the documents that printed."""

    def __init__(self, ask: Ask, press: Press, fetches: Fetches) -> None:
        self._ask = ask
        self._press = press
        self._fetches = fetches
        self._targets: list[Target] = []
        self._next = 0
        self._seeds = 0
        self.early = ask.hop == "early"
        self.printed: set[str] = set()
        self._sources: set[str] = set()

    @property
    def left(self) -> bool:
        """Whether a target is still undecided."""
        return self._next < len(self._targets)

    @property
    def is_aside(self) -> bool:
        """Whether none of the targets left is asked for, though others of the same document were (HP1)."""
        return self.left and self._targets[self._next].aside

    def seed(self, source: str, declared: Sequence[Relation]) -> None:
        """Follow one of the first documents that printed; `declared` stands in its relation line (H1)."""
        if self._seeds == self._ask.limits.seeds:
            return
        self._seeds += 1
        is_first = self._seeds == 1
        if is_first:
            self._press.ledger.trace.seed = source
            if self._ask.hop == "auto":
                self.early = bool(self._ask.asked_for(declared))
        again = self._follow(source, declared)
        waiting = [
            replace(target, aside=target.aside and _key(target) not in again)
            for target in self._targets[self._next :]
        ]
        self._targets[self._next :] = sorted(waiting, key=lambda target: target.aside)
        if is_first:
            self._fetches.settle_seed(target.path for target in self._targets if not target.skip)

    def _follow(self, source: str, declared: Sequence[Relation]) -> set[tuple[str, str]]:
        """Put the targets of a document behind those that wait, none a second time.

        Gives those that were there already and are not aside for this document.
        """
        known = {_key(target) for target in self._targets}
        known |= {(plain(path), "") for path in self._sources}
        self._sources.add(source)
        found = [
            *sources(source, self._ask),
            *targets(declared, source, self._ask, early=self.early),
        ]
        self._targets += [target for target in found if _key(target) not in known]
        return {_key(target) for target in found if not target.aside} & known

    def step(self) -> bool:
        """Decide the next target; False when its document has to be waited for."""
        self._fetches.begin_hop()
        target = self._targets[self._next]
        if not target.skip:
            self._look_ahead()
        candidate = Candidate("related", self._next + 1, target.path, target.fragment, target.where)
        if not self._decide(candidate, target):
            return False
        self._next += 1
        return True

    def _look_ahead(self) -> None:
        """Ask for as many targets as may still print, none twice (F2, H4)."""
        under_way: set[str] = set()
        for target in self._targets[self._next :]:
            if len(under_way) >= self._ask.limits.related - len(self.printed):
                return
            if not (target.skip or target.path in self.printed or self._is_too_dear(target)):
                if not self._fetches.look_ahead(target.path):
                    return
                under_way.add(target.path)

    def _decide(self, candidate: Candidate, target: Target) -> bool:
        ledger = self._press.ledger
        if target.skip or self._is_full(target):
            ledger.record(candidate, target.where, "skipped", target.skip or "hop_limit")
            return True
        if self._is_too_dear(target):
            # Not named as an omission: whether there is such a document was never asked (X1).
            ledger.record(candidate, target.where, "omitted", "budget")
            return True
        match self._fetches.get(target.path):
            case "pending":
                return False
            case "refused":
                ledger.skip(candidate, stopped=self._fetches.stopped)
            case Failure() as failure:
                ledger.fail(candidate, failure)
            case leaf:
                self._print(leaf, candidate)
        return True

    def _print(self, leaf: Leaf, candidate: Candidate) -> None:
        chain = self._chain(leaf)
        if self._press.expand(leaf, candidate, self._waiting(leaf, chain)) in ("printed", "stub"):
            told = self._press.line(leaf)
            self.printed.add(candidate.path)
            if chain and told:
                self._follow(leaf.document.path, told)

    def _chain(self, leaf: Leaf) -> int:
        """Count what the last target declares, where that is followed in turn: few enough to print (HP2)."""
        limits = self._ask.limits
        if not limits.chain or self._next + 1 < len(self._targets):
            return 0
        declared = len(self._press.declared(leaf))
        return declared if declared <= limits.related else 0

    def _waiting(self, leaf: Leaf, chain: int) -> int:
        """Count the documents that are still to be told, this one and named ones included."""
        here = leaf.document.path
        named = {row.path for row in self._ask.rows if row.named and not self._press.has_printed(row.path)}
        targets = sum(not target.skip for target in self._targets[self._next :])
        return min(targets + chain, self._ask.limits.related - len(self.printed)) + len(named - {here})

    def _is_full(self, target: Target) -> bool:
        return len(self.printed) >= self._ask.limits.related and target.path not in self.printed

    def _is_too_dear(self, target: Target) -> bool:
        """Tell whether nothing of a target on an unfetched document can fit (F3)."""
        if target.path in self._fetches.asked:
            return False
        purse = self._press.ledger.purse
        return purse.counter.count(header(location(target.path, None, target.fragment))) >= purse.room


def _key(target: Target) -> tuple[str, str]:
    return plain(target.path), target.fragment
