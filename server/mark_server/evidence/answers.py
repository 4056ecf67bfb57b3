"""One question asked with one budget: what came back, measured.

Asking is `asking`'s, summing up `measures`'.
"""

from __future__ import annotations

from dataclasses import dataclass

REASONS = ("not ranked", "did not fit", "covered", "wrong section", "hop not taken", "failed")


@dataclass(frozen=True, slots=True)
class Miss:
    """One piece of evidence that is not in the result: whose, why, and what the trace says of it."""

    path: str
    quote: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The measured result of one lookup.

    `met` and `cited` count pieces of evidence, `tokens` is the size of the whole result in `unit`, `blocks`
    that of all blocks, `idle` that of the blocks that hold no evidence, `foreign` that of the blocks of
    stores that hold none, `superseded` that of the blocks of superseded documents, and `stale` that of those
    among them that hold no evidence. `hops` counts related documents that printed, `calls` is None when the
    scripted reader did not see all evidence.
    """

    id: str
    question: str
    category: str
    unit: str
    budget: int
    gold: int
    met: int
    cited: int
    tokens: int
    blocks: int
    idle: int
    hops: int
    fetches: int
    milliseconds: float
    calls: int | None = None
    misses: tuple[Miss, ...] = ()
    foreign: int = 0
    superseded: int = 0
    stale: int = 0

    @property
    def supported(self) -> bool:
        """Whether all evidence is in the result."""
        return self.met == self.gold

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from the other answers of a run."""
        return self.unit, self.id, self.budget
