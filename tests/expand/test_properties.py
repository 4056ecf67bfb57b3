"""What holds for every lookup over random worlds; the invariants themselves are in `invariants`."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mark_expand import Entry, Expansion, Failure, Result
from tests.expand.invariants import Scene, check
from tests.expand.scenario import Doc, Row
from tests.expand.strategies import scenes

ODD = [HealthCheck.too_slow, HealthCheck.data_too_large]
LARGE = settings(suppress_health_check=ODD, max_examples=60)


@pytest.mark.proves("B1", "B2", "B3", "B4", "B6", "F1", "O6", "O9", "X1", "X3")
@settings(suppress_health_check=ODD, max_examples=200)
@given(scenes())
def test_every_result_keeps_its_budget_its_frame_and_its_accounts(scene: Scene) -> None:
    check(scene)


@pytest.mark.deep
@settings(suppress_health_check=ODD)
@given(scenes())
def test_every_result_holds_over_thousands_of_worlds(scene: Scene) -> None:
    check(scene)
    check(scene.with_costs())


@pytest.mark.proves("B1", "B2", "B3", "B4")
@LARGE
@given(scenes(budgets=st.integers(40, 160)))
def test_the_narrowest_budgets_hold_too(scene: Scene) -> None:
    check(scene)


def shuffled(scene: Scene, random: Random, parallel: int) -> Result:
    """Answer at most `parallel` of the wanted documents, in any order."""
    expansion = Expansion(scene.ask, scene.unit)
    while not expansion.done:
        wanted = expansion.wanted
        assert 0 < len(wanted) <= 4
        path = random.choice(wanted[:parallel])
        expansion.receive(path, scene.docs.get(path, Failure("not-found")))
    assert expansion.wanted == []
    return expansion.result


@pytest.mark.proves("F2", "X4")
@LARGE
@given(scenes(), st.integers(0, 2**32), st.integers(1, 4))
def test_the_order_of_the_answers_changes_no_byte(scene: Scene, seed: int, parallel: int) -> None:
    result = shuffled(scene, Random(seed), parallel)  # noqa: S311 - a reproducible order, no secret
    assert result.text == scene.result.text
    assert result.trace == scene.result.trace


@pytest.mark.proves("B3")
@LARGE
@given(scenes())
def test_kept_costs_give_what_counting_gives(scene: Scene) -> None:
    with_costs = scene.with_costs()
    check(with_costs)
    assert with_costs.result.text == scene.result.text
    assert with_costs.result.trace == scene.result.trace


@pytest.mark.proves("F3", "X4")
@LARGE
@given(scenes(budgets=st.integers(2000, 20_000), most_rows=8))
def test_known_costs_of_rows_change_nothing_where_everything_was_fetched(scene: Scene) -> None:
    free = scene.with_rows([replace(row, costs=None) for row in scene.ask.rows if isinstance(row, Row)])
    fetched = set(scene.result.trace.fetches)
    if all(row.path in fetched for row in scene.ask.rows):
        assert free.result.text == scene.result.text


def of_rows(result: Result, most: int) -> list[Entry]:
    return [entry for entry in result.trace.entries if entry.origin == "row" and entry.rank <= most]


@pytest.mark.proves("X4")
@LARGE
@given(scenes(), st.data())
def test_a_row_below_changes_no_decision_about_the_rows_above(scene: Scene, data: st.DataObject) -> None:
    docs = {
        path: Doc(doc.path, doc.body, doc.version) if isinstance(doc, Doc) else doc
        for path, doc in scene.docs.items()
    }
    rows = [row for row in scene.ask.rows if isinstance(row, Row)]
    below = Row(data.draw(st.sampled_from([*docs, "/nowhere.md"])))
    above = Scene(scene.ask, scene.unit, docs)
    longer = Scene(replace(scene.ask, rows=[*rows, below]), scene.unit, docs)
    if above.result.trace.reserve_tokens == longer.result.trace.reserve_tokens:
        assert of_rows(longer.result, len(rows)) == of_rows(above.result, len(rows))


@pytest.mark.proves("F5", "B2", "X3")
@LARGE
@given(scenes(), st.integers(0, 9), st.integers(0, 2**32))
def test_a_deadline_leaves_a_whole_result_and_says_so_once(scene: Scene, after: int, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a reproducible order, no secret
    expansion = Expansion(scene.ask, scene.unit)
    for _ in range(after):
        if expansion.wanted:
            path = random.choice(expansion.wanted)
            expansion.receive(path, scene.docs.get(path, Failure("not-found")))
    waiting = not expansion.done
    expansion.stop()
    expansion.stop()
    scene.result = expansion.result
    check(scene)
    stops = scene.result.text.count("\n>>> note: stopped: deadline of 10 s reached\n")
    assert stops == (1 if waiting else 0)
