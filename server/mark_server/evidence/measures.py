"""The measures of docs/evidence.md, summed over answers by category, unit and budget."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mark_server.evidence.answers import Answer

ALL = "all"


@dataclass(frozen=True, slots=True)
class Figures:
    """The measures of one category at one budget.

    Shares are from 0 to 1. `per_supported` is None when no question is fully supported; `distractors`,
    `foreign`, `superseded` and `stale` are None when nothing was printed. `calls` is the mean over the
    `reached` questions whose evidence the scripted reader saw in full; `hops` counts lookups that printed a
    related document. `milliseconds` is a mean; 50 and 95 % of lookups stayed within `half` and `most`.
    """

    category: str
    unit: str
    budget: int
    questions: int
    all_gold: float
    evidence: float
    citable: float
    tokens: float
    per_supported: float | None
    distractors: float | None
    calls: float | None
    reached: int
    hops: int
    over_budget: int
    milliseconds: float
    foreign: float | None
    superseded: float | None
    stale: float | None
    half: float
    most: float


def figures(answers: Sequence[Answer]) -> list[Figures]:
    """Sum up, `all` first, then each category in the order of its name."""
    units = list(dict.fromkeys(answer.unit for answer in answers))
    budgets = sorted({answer.budget for answer in answers})
    found = []
    for category in (ALL, *sorted({answer.category for answer in answers} - {ALL})):
        mine = [answer for answer in answers if category in (ALL, answer.category)]
        for unit in units:
            for budget in budgets:
                some = [one for one in mine if one.unit == unit and one.budget == budget]
                if some:
                    found.append(_summed(category, some))
    return found


def _summed(category: str, answers: Sequence[Answer]) -> Figures:
    first, count = answers[0], len(answers)
    full = sum(answer.supported for answer in answers)
    gold, tokens = sum(answer.gold for answer in answers), sum(answer.tokens for answer in answers)
    printed = sum(answer.blocks for answer in answers)
    calls = [answer.calls for answer in answers if answer.calls is not None]

    def share(counts: Iterable[int]) -> float | None:
        return sum(counts) / printed if printed else None

    return Figures(
        category=category,
        unit=first.unit,
        budget=first.budget,
        questions=count,
        all_gold=full / count,
        evidence=sum(answer.met for answer in answers) / gold,
        citable=sum(answer.cited for answer in answers) / gold,
        tokens=tokens / count,
        per_supported=tokens / full if full else None,
        distractors=share(answer.idle for answer in answers),
        calls=statistics.fmean(calls) if calls else None,
        reached=len(calls),
        hops=sum(answer.hops > 0 for answer in answers),
        over_budget=sum(answer.tokens > answer.budget for answer in answers),
        milliseconds=statistics.fmean(answer.milliseconds for answer in answers),
        foreign=share(answer.foreign for answer in answers),
        superseded=share(answer.superseded for answer in answers),
        stale=share(answer.stale for answer in answers),
        half=_within([answer.milliseconds for answer in answers], 0.5),
        most=_within([answer.milliseconds for answer in answers], 0.95),
    )


def _within(times: Sequence[float], part: float) -> float:
    return sorted(times)[math.ceil(part * len(times)) - 1]
