"""Which documents an expansion asks for, and how many (F1, F2).

What is asked is a function of the decisions made so far, never of which answer came first: fetched one by
one or four at a time, the same documents are asked for and the same bytes printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mark_expand.ask import Failure, Limits
from mark_expand.leaf import Leaf


class Fetches:
    """The documents asked for, in order, what came of them, and whether it is too late for more."""

    __slots__ = ("_kept", "_limits", "_seed_open", "_settled", "answers", "asked", "stopped")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kept = 0
        self._seed_open = True
        self._settled: set[str] = set()
        self.asked: list[str] = []
        self.answers: dict[str, Leaf | Failure] = {}
        self.stopped = False

    @property
    def pending(self) -> list[str]:
        """Documents asked for and not answered, in the order of asking."""
        return [path for path in self.asked if path not in self.answers]

    def get(self, path: str) -> Leaf | Failure | Literal["pending", "refused"]:
        """Give what a decision needs now, or ask for it; `refused` where bound or deadline forbid it.

        A document that was given counts as decided upon: the next may be asked for.
        """
        answer = self.answers.get(path)
        if answer is not None:
            self._settled.add(path)
            return answer
        if self.stopped:
            return "refused"
        most = self._limits.fetches - self._kept
        return "pending" if path in self.asked or self._ask(path, most) else "refused"

    def look_ahead(self, path: str) -> bool:
        """Ask for a document that no decision waits for yet; False while no more may be under way."""
        if path in self.asked:
            return True
        if self.stopped or len(self.asked) - len(self._settled) >= self._limits.ahead:
            return False
        most = self._limits.fetches - self._kept
        return self._ask(path, min(most, self._limits.early_fetches) if self._seed_open else most)

    def settle_seed(self, targets: Iterable[str]) -> None:
        """Note that the seed is decided, and keep fetches for its targets; none is a row's document."""
        self._seed_open = False
        left = self._limits.fetches - len(self.asked)
        self._kept = min(self._limits.related, len(set(targets)), left)

    def begin_hop(self) -> None:
        """Give the kept fetches to the hop."""
        self._kept = 0

    def _ask(self, path: str, most: int) -> bool:
        if len(self.asked) >= most:
            return False
        self.asked.append(path)
        return True
