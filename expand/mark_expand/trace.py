"""What was decided about every row and target, as values (X3).

A reader of the trace never parses the result's text. Deciding is left to the expansion.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Outcome = Literal["printed", "stub", "covered", "omitted", "failed", "skipped"]
Origin = Literal["row", "related"]
Reason = Literal[
    "",
    "budget",
    "covered",
    "duplicate",
    "empty",
    "fetch_failed",
    "fetch_limit",
    "not_found",
    "deadline",
    "is_row",
    "other_authority",
    "out_of_scope",
    "hop_limit",
    "truncated",
    "below_floor",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision: what became of one candidate text.

    `rank` counts rows from 1 on this page, targets in the order of the hop; `tokens` is the size of
    the block, None where it is not known; `within` names the printed text that covers or equals it.
    """

    origin: Origin
    rank: int
    location: str
    outcome: Outcome
    reason: Reason = ""
    kind: str = ""
    tokens: int | None = None
    within: str = ""


@dataclass(slots=True)
class Trace:
    """The decisions of one expansion, in the order in which they were made."""

    encoding: str
    budget: int
    entries: list[Entry] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    fetches: list[str] = field(default_factory=list)
    table_tokens: int = 0
    reserve_tokens: int = 0
    tokens: int = 0
    seed: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Give the trace as plain values that serialise to JSON."""
        return asdict(self)
