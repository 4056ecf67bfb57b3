"""What two builds answered to the same calls, laid side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mark_server.evidence.recorded import Recorded


@dataclass(frozen=True, slots=True)
class Reply:
    """What one build answered to one call; `met` counts the evidence in it."""

    text: str
    is_error: bool
    tokens: int
    met: int


@dataclass(frozen=True, slots=True)
class Build:
    """One build over one corpus: its command, the digest of its `tools/list`, its replies in order."""

    command: str
    version: str
    tools: str
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """One call answered by two builds."""

    id: str
    tool: str
    gold: int
    same: bool
    tokens: tuple[int, int]
    met: tuple[int, int]
    errors: tuple[bool, bool]


def compared(calls: Sequence[Recorded], first: Build, second: Build) -> list[Replayed]:
    """Lay the replies of two builds side by side."""
    return [
        Replayed(
            id=one.id,
            tool=one.tool,
            gold=len(one.gold),
            same=(a.text, a.is_error) == (b.text, b.is_error),
            tokens=(a.tokens, b.tokens),
            met=(a.met, b.met),
            errors=(a.is_error, b.is_error),
        )
        for one, a, b in zip(calls, first.replies, second.replies, strict=True)
    ]
