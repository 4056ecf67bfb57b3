"""What was decided about every row, target and candidate, as values (X3).

A reader of the trace never parses the result's text. Deciding is left to the expansion and the policies.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Outcome = Literal["printed", "stub", "covered", "omitted", "failed", "skipped"]
Origin = Literal["row", "related", "candidate"]
PartKind = Literal[
    "head", "header", "text", "stub", "remark", "relations", "note", "stop", "omissions", "count", "overspend"
]
"""What a piece of the result is, in the order in which pieces may stand.

`head` is envelope and table; `header`, `text` or `stub`, and `remark` make up a block; `note` says why
something is not there; the last four close the result.
"""
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
    "source_cap",
    "share_exhausted",
    "no_share",
    "deprecated",
    "similar_to",
    "minimum_unmet",
    "source_error",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision: what became of one candidate text.

    `rank` counts rows from 1 on this page, targets in the order of the hop, candidates in their source;
    `tokens` is the size of the block, None where it is not known; `within` names the printed text that covers
    or equals it, or the successor of a deprecated one; `title` is the row's, `detail` why a fetch
    failed, both on one line.
    """

    origin: Origin
    rank: int
    location: str
    outcome: Outcome
    reason: Reason = ""
    kind: str = ""
    tokens: int | None = None
    within: str = ""
    title: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What one piece of the result cost, in tokens.

    `location` is the block's, for a relation line the document's, for a note that of which it speaks.
    """

    kind: PartKind
    tokens: int
    location: str = ""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a score was multiplied by (`model`: blended with), and the location that a signal came from."""

    name: str
    value: float
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Scored(Entry):
    """One decision of a policy: the scores that led to it.

    `raw` is the source's own score, `calibrated` lies between 0 and 1, `final` has the adjustments in it.
    `least` is the tokens that an uncounted text has at least; `similar` names a printed text that this one
    nearly equals.
    """

    source: str = ""
    raw: float | None = None
    calibrated: float = 0.0
    final: float = 0.0
    adjustments: tuple[Adjustment, ...] = ()
    least: int | None = None
    similar: str = ""


@dataclass(slots=True)
class Trace:
    """The decisions of one expansion, in the order in which they were made.

    `parts` are the pieces of its text, whose tokens add up to `tokens` (EX1); a selection has none.
    """

    encoding: str
    budget: int
    entries: list[Entry] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    fetches: list[str] = field(default_factory=list)
    table_tokens: int = 0
    reserve_tokens: int = 0
    tokens: int = 0
    seed: str = ""
    parts: list[Part] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Give the trace as plain values that serialise to JSON."""
        return asdict(self)
