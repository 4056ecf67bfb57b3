"""What a policy gives back: the window, and one entry for every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.candidate import Candidate
from mark_expand.trace import Trace


@dataclass(frozen=True, slots=True)
class Selection:
    """A window: the candidates that are in it, in their order, and why the others are not.

    `text` is the window as it is printed; `stable` is how many of its characters a prompt cache may keep;
    `considered` stands in the order of the trace's entries.
    """

    printed: tuple[Candidate, ...]
    text: str
    stable: int
    considered: tuple[Candidate, ...]
    trace: Trace


class Policy(Protocol):
    """Chooses what fills a budget: the same candidates and limits, however ordered, give the same bytes."""

    def select(self, candidates: Sequence[Candidate], limits: SelectionLimits) -> Selection:
        """Choose.

        Raises:
            DoesNotFit: What has to be printed is more than the budget.
            WrongLimit: The policy cannot keep one of the limits.
        """
        ...
