"""What a policy gives back: the window, and one entry for every candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.candidate import Candidate
from mark_expand.trace import Trace


class Selection:
    """A window: the candidates that are in it, in their order, and why the others are not.

    `text` is the window as it is printed; `stable` is how many of its characters a prompt cache may keep;
    `considered` stands in the order of the trace's entries, `tried` in the order in which the policy offered
    them. The trace is made when it is first asked for.
    """

    __slots__ = ("_made", "_trace", "considered", "preferred", "printed", "stable", "text", "tried")

    def __init__(
        self,
        printed: Sequence[Candidate],
        text: str,
        stable: int,
        considered: Sequence[Candidate],
        *,
        tried: Sequence[Candidate],
        preferred: int,
        trace: Callable[[], Trace],
    ) -> None:
        self.printed = tuple(printed)
        self.text = text
        self.stable = stable
        self.considered = tuple(considered)
        self.tried = tuple(tried)
        self.preferred = preferred
        self._made = trace
        self._trace: Trace | None = None

    @property
    def trace(self) -> Trace:
        """Every candidate's entry, and the events."""
        if self._trace is None:
            self._trace = self._made()
        return self._trace


class Policy(Protocol):
    """Chooses what fills a budget: the same candidates and limits, however ordered, give the same bytes."""

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose.

        Raises:
            DoesNotFit: What has to be printed is more than the budget.
            WrongLimit: The policy cannot keep one of the limits.
        """
        ...
