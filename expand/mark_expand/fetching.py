"""Which documents an expansion asks for, and how many (F1, F2).

What is asked is a function of the decisions made so far, never of which answer came first: fetched one by
one or four at a time, the same documents are asked for and the same bytes printed.
"""

from __future__ import annotations

from collections.abc import Iterable

from mark_expand.ask import Failure, Limits
from mark_expand.passage import Leaf


class Fetches:
    """The documents asked for, in order, and what came of them."""

    __slots__ = ("_kept", "_limits", "_seed_open", "answers", "asked")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kept = 0
        self._seed_open = True
        self.asked: list[str] = []
        self.answers: dict[str, Leaf | Failure] = {}

    @property
    def pending(self) -> list[str]:
        """Documents asked for and not answered, in the order of asking."""
        return [path for path in self.asked if path not in self.answers]

    def ask(self, path: str, *, ahead: bool) -> bool:
        """Ask for a document unless the bound forbids it; `ahead` when no decision waits for it yet."""
        if path in self.asked:
            return True
        if len(self.asked) >= self._bound(ahead=ahead):
            return False
        self.asked.append(path)
        return True

    def settle_seed(self, targets: Iterable[str]) -> None:
        """Note that the seed is decided, and keep fetches for those of its targets not yet started."""
        self._seed_open = False
        fresh = {path for path in targets if path not in self.asked}
        self._kept = min(self._limits.related, len(fresh), self._limits.fetches - len(self.asked))

    def begin_hop(self) -> None:
        """Give the kept fetches to the hop."""
        self._seed_open, self._kept = False, 0

    def _bound(self, *, ahead: bool) -> int:
        if self._seed_open and ahead:
            return self._limits.early_fetches
        return self._limits.fetches - self._kept
