"""Two runs question by question: what the second gained and what it lost.

Only what both runs asked is compared, by unit, budget and id. What the two were made of is `report`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mark_server.evidence.answers import Answer


@dataclass(frozen=True, slots=True)
class Change:
    """One question that is fully supported in one of two runs only."""

    id: str
    question: str
    category: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs at one unit and budget: questions supported in full before and after, and their tokens."""

    unit: str
    budget: int
    questions: int
    before: int
    after: int
    tokens_before: int
    tokens_after: int
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]


def compare(before: Sequence[Answer], after: Sequence[Answer]) -> list[Difference]:
    """Compare the answers that both runs have, in the order of the first."""
    later = {answer.key: answer for answer in after}
    pairs = [(one, later[one.key]) for one in before if one.key in later]
    places = dict.fromkeys((one.unit, one.budget) for one, _ in pairs)
    return [
        _difference([(old, new) for old, new in pairs if (old.unit, old.budget) == place]) for place in places
    ]


def unmatched(before: Sequence[Answer], after: Sequence[Answer]) -> int:
    """Count the answers that only one of the runs has."""
    return len({one.key for one in before} ^ {one.key for one in after})


def _difference(pairs: Sequence[tuple[Answer, Answer]]) -> Difference:
    first = pairs[0][0]
    return Difference(
        unit=first.unit,
        budget=first.budget,
        questions=len(pairs),
        before=sum(old.supported for old, _ in pairs),
        after=sum(new.supported for _, new in pairs),
        tokens_before=sum(old.tokens for old, _ in pairs),
        tokens_after=sum(new.tokens for _, new in pairs),
        gained=tuple(_change(new) for old, new in pairs if new.supported and not old.supported),
        lost=tuple(_change(new) for old, new in pairs if old.supported and not new.supported),
    )


def _change(answer: Answer) -> Change:
    return Change(answer.id, answer.question, answer.category)
