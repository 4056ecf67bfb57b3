"""Asks questions of a store, as a client's calls would, and measures what comes back.

The lookups are the real ones, with everything that a reader pays for. What a measure means is `judging`'s and
`measures`' business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mark_expand import Trace
from mark_server.arguments import lookup_arguments
from mark_server.calls import call_traced
from mark_server.desk import Desk
from mark_server.evidence.answers import Answer
from mark_server.evidence.judging import Reading
from mark_server.evidence.misses import Inspector
from mark_server.evidence.questions import Question
from mark_server.evidence.reader import count_calls
from mark_server.evidence.standing import Standing

_PRINTED = ("printed", "stub")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask: with which budgets and further arguments.

    `misses`: say why evidence is missing; `follow`: let the scripted reader go on from each result.
    """

    budgets: Sequence[int]
    given: Mapping[str, Any]
    misses: bool = False
    follow: bool = True


@dataclass(frozen=True, slots=True)
class _Asked:
    """What stays the same from question to question."""

    desk: Desk
    plan: Plan
    inspector: Inspector
    standing: Standing


async def ask_all(
    desk: Desk, questions: Sequence[Question], plan: Plan, tell: Callable[[], None]
) -> list[Answer]:
    """Ask every question with every budget; `tell` is called after each lookup.

    Raises:
        ArgumentError: An argument of the plan is wrong.
        StoreError: The store cannot answer.
    """
    answers = []
    asked = _Asked(desk, plan, Inspector(desk, plan.given), Standing(desk))
    for question in questions:
        for budget in plan.budgets:
            answers.append(await _ask(asked, question, budget))
            tell()
    return answers


async def _ask(asked: _Asked, question: Question, budget: int) -> Answer:
    desk = asked.desk
    arguments = lookup_arguments({**asked.plan.given, "query": question.text, "budget": budget})
    started = time.perf_counter()
    answer = await call_traced(desk, arguments)
    milliseconds = 1000 * (time.perf_counter() - started)
    reading = Reading(answer.text)
    trace = answer.trace or Trace(desk.counter.encoding, budget)
    met = [reading.holds(gold) for gold in question.gold]
    missing = [gold for gold, held in zip(question.gold, met, strict=True) if not held]
    old = await asked.standing.superseded(reading.paths)
    return Answer(
        id=question.id,
        question=question.text,
        category=question.category,
        unit=desk.counter.encoding,
        budget=budget,
        gold=len(question.gold),
        met=sum(met),
        cited=sum(reading.cites(gold) for gold in question.gold),
        tokens=desk.counter.tokens(desk.counter.count(answer.text)),
        hops=sum(entry.origin == "related" and entry.outcome in _PRINTED for entry in trace.entries),
        fetches=len(trace.fetches),
        milliseconds=round(milliseconds, 3),
        calls=await count_calls(desk, question, arguments, answer.text) if asked.plan.follow else None,
        misses=tuple([await asked.inspector.inspect(question, gold, reading, trace) for gold in missing])
        if asked.plan.misses
        else (),
        **asdict(reading.shares(question.gold, desk.counter, old)),
    )
