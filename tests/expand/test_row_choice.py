"""Rows under any policy and limits: the expansion keeps its budget, and every store its limits."""

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_expand import (
    Ask,
    Everything,
    Expansion,
    FixedSlots,
    Policy,
    RankOrder,
    RowChoice,
    ScoredKnapsack,
    SelectionLimits,
    choose_rows,
    thin_table,
)
from mark_outline import authority, counter
from tests.expand.candidates import any_limits, prose
from tests.expand.oracle import tokens
from tests.expand.scenario import Costs, Doc, drive, world
from tests.expand.strategies import LINES

NAMES = ("docs", "wiki", "notes")
HEAD = "status: ok\nmatches: 9\n\n"


@dataclass(frozen=True, slots=True)
class Row:
    path: str
    anchor: str = ""
    title: str = "Row"
    version: int | None = 1
    costs: Costs | None = None
    score: float | None = None
    named: bool = False


def expanded(
    docs: list[Doc], rows: list[Row], policy: Policy, limits: SelectionLimits
) -> tuple[str, RowChoice, Expansion]:
    room = limits.counter.units(limits.budget)
    choice = choose_rows(rows, policy, limits, room, authority)
    table, listed = thin_table(choice.rows, limits.budget, limits.counter)
    ask = Ask(
        f"{HEAD}{table}" if table else HEAD.removesuffix("\n"),
        choice.rows,
        listed,
        0,
        ("tide",),
        limits.budget,
        places=choice.places,
        gate=choice.gate,
    )
    expansion = Expansion(ask, limits.counter)
    result = drive(expansion, world(*docs))
    choice.enter(result.trace)
    return result.text, choice, expansion


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Doc], list[Row]]:
    text = st.one_of(
        st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("".join),
        st.integers(0, 3).map(
            lambda seed: f"# Tide\n\n{prose(seed, 20)}\n\n## More\n\n{prose(seed + 1, 20)}\n"
        ),
    )
    docs = [
        Doc(f"mark://{draw(st.sampled_from(NAMES))}/{number}.md", draw(text), 1, {"rel-of": "/0.md"})
        for number in range(draw(st.integers(1, 7)))
    ]
    size = counter("bytes").count
    rows = [
        Row(
            doc.path,
            score=draw(st.sampled_from([None, 1.0, 2.5])),
            costs=draw(st.sampled_from([None, Costs("bytes", size(doc.body), size(doc.body))])),
        )
        for doc in docs
    ]
    return docs, rows


@pytest.mark.proves("PO20", "PO2", "PO8", "B2")
@given(
    worlds(),
    any_limits(),
    st.sampled_from([RankOrder(), ScoredKnapsack(), FixedSlots(), Everything(truncate=True)]),
)
def test_budget_and_limits_hold_for_what_is_printed_of_rows(
    made: tuple[list[Doc], list[Row]], limits: SelectionLimits, policy: Policy
) -> None:
    docs, rows = made
    text, choice, expansion = expanded(docs, rows, policy, limits)
    spent = tokens(limits.counter.encoding, text)
    assert spent <= limits.budget or " result tokens; raise budget" in text
    entries = [one for one in expansion.result.trace.entries if one.origin in ("row", "candidate")]
    assert {re.sub(r"(/v1)?(#.*)?$", "", one.location) for one in entries} == {row.path for row in rows}
    assert len(choice.rows) + len({one.location for one in entries if one.origin == "candidate"}) == len(rows)
    for source in limits.sources:
        blocks = re.findall(
            rf"^>>> mark://{source.name}/[^\n]*\n\n.*?(?=^>>> |\Z)", text, re.MULTILINE | re.DOTALL
        )
        printed = sum(map(limits.counter.count, blocks))
        assert source.cap is None or printed <= limits.counter.units(source.cap)
        assert source.part is None or printed <= source.part * limits.counter.units(limits.budget)


@pytest.mark.proves("PO20")
def test_the_order_and_the_bytes_are_the_same_on_every_run() -> None:
    docs = [Doc(f"mark://{NAMES[n % 3]}/{n}.md", prose(n % 4, 40), 1) for n in range(9)]
    rows = [Row(doc.path, score=9.0 - n) for n, doc in enumerate(docs)]
    limits = SelectionLimits(500, near="drop")
    one, two = (expanded(docs, rows, ScoredKnapsack(), limits)[0] for _ in range(2))
    assert one == two
    assert " says the same as " not in one, "copies of the very text are stubs or covered, not near copies"
