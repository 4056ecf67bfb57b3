"""Three ways to read, each run by the same scripted reader, and what each costs.

`section-first` looks up without a budget and fetches the best rows; `budget-first` looks up with one and
fetches what did not fit; `mixed` does the first for direct questions and the second for all others.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from mark_server.arguments import LookupArguments
from mark_server.desk import Desk
from mark_server.evidence.measures import ALL
from mark_server.evidence.questions import Question
from mark_server.evidence.reader import Reader

Policy = Literal["budget-first", "section-first", "mixed"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_DIRECT = "direct"
# Tokens of the first lookup for a direct fact under `mixed`, as its prompt says.
_SMALL = 500


@dataclass(frozen=True, slots=True)
class Read:
    """One question read under one policy: calls, tokens of their results, whether all evidence was seen."""

    id: str
    category: str
    policy: str
    budget: int
    calls: int
    tokens: int
    done: bool


@dataclass(frozen=True, slots=True)
class Cost:
    """What one policy costs in one category; `per_supported` is None when no question is fully supported."""

    policy: str
    category: str
    budget: int
    questions: int
    supported: float
    calls: float
    tokens: float
    per_supported: float | None


async def read_all(
    desk: Desk,
    questions: Sequence[Question],
    policies: Sequence[Policy],
    budget: int,
    tell: Callable[[], None],
) -> list[Read]:
    """Read every question under every policy; `budget` is that of a budgeted lookup.

    Raises:
        StoreError: The store cannot answer.
    """
    reads = []
    for question in questions:
        for policy in policies:
            reader = Reader(desk, question)
            await reader.read(LookupArguments(question.text, budget=_first(policy, question, budget)))
            reads.append(
                Read(question.id, question.category, policy, budget, reader.calls, reader.tokens, reader.done)
            )
            tell()
    return reads


def costs(reads: Sequence[Read]) -> list[Cost]:
    """Sum up by policy and category, `all` first."""
    found = []
    for category in (ALL, *sorted({read.category for read in reads} - {ALL})):
        for policy in dict.fromkeys(read.policy for read in reads):
            some = [read for read in reads if read.policy == policy and category in (ALL, read.category)]
            if some:
                found.append(_cost(policy, category, some))
    return found


def _cost(policy: str, category: str, reads: Sequence[Read]) -> Cost:
    done, tokens = sum(read.done for read in reads), sum(read.tokens for read in reads)
    return Cost(
        policy=policy,
        category=category,
        budget=reads[0].budget,
        questions=len(reads),
        supported=done / len(reads),
        calls=statistics.fmean(read.calls for read in reads),
        tokens=tokens / len(reads),
        per_supported=tokens / done if done else None,
    )


def _first(policy: Policy, question: Question, budget: int) -> int:
    """The budget of a reader's first lookup."""
    if policy == "section-first":
        return 0
    return min(_SMALL, budget) if policy == "mixed" and question.category == _DIRECT else budget
