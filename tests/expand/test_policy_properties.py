"""What holds for every policy, any candidates and any limits."""

import json
import math
import random
from collections import Counter
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mark_expand import (
    Candidate,
    DoesNotFit,
    Everything,
    FixedSlots,
    Policy,
    RankOrder,
    Reason,
    Scored,
    ScoredKnapsack,
    Selection,
    SelectionLimits,
)
from mark_expand.selection.calibration import Calibration
from mark_expand.selection.candidate import Life
from mark_expand.selection.scoring import scored
from mark_outline import counter
from tests.expand.candidates import POLICIES, THIRDS, any_limits, candidates, entries, limits, printed, ranked
from tests.expand.oracle import tokens

policies = st.sampled_from(POLICIES)


def chosen(policy: Policy, given_: list[Candidate], under: SelectionLimits) -> Selection | None:
    """A selection; None where pinned items do not fit, which is tested elsewhere."""
    try:
        return policy.select(given_, under)
    except DoesNotFit:
        return None


@pytest.mark.proves("PO2")
@given(policies, candidates(), any_limits())
def test_no_window_is_over_its_budget(
    policy: Policy, given_: list[Candidate], under: SelectionLimits
) -> None:
    selection = chosen(policy, given_, under)
    if selection is not None:
        assert tokens(under.counter.encoding, selection.text) <= under.budget
        whole = under.counter.count(selection.text)
        assert under.counter.tokens(whole) == selection.trace.tokens


@pytest.mark.proves("PO1")
@given(policies, candidates(), any_limits(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_no_byte(
    policy: Policy, given_: list[Candidate], under: SelectionLimits, chance: random.Random
) -> None:
    mixed = list(given_)
    chance.shuffle(mixed)
    one, two = chosen(policy, given_, under), chosen(policy, mixed, under)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        assert one.text == two.text
        assert json.dumps(one.trace.as_dict()) == json.dumps(two.trace.as_dict())


@pytest.mark.proves("PO3")
@given(policies, candidates(), any_limits())
def test_every_candidate_has_exactly_one_entry(
    policy: Policy, given_: list[Candidate], under: SelectionLimits
) -> None:
    selection = chosen(policy, given_, under)
    if selection is None:
        return
    assert Counter(selection.considered) == Counter(given_)
    told = json.loads(json.dumps(selection.trace.as_dict()))["entries"]
    assert len(told) == len(given_)
    for candidate, entry, made in zip(selection.considered, told, selection.trace.entries, strict=True):
        assert isinstance(made, Scored)
        assert (entry["location"], entry["source"]) == (candidate.where, candidate.source)
        assert entry["raw"] == candidate.score
        assert 0 <= entry["calibrated"] <= 1
        assert entry["reason"] in get_args(Reason)
        assert (entry["outcome"] == "printed") == (candidate in selection.printed)
        assert entry["outcome"] == "printed" or entry["reason"]


@pytest.mark.proves("PO8")
@given(policies, candidates(), any_limits())
def test_every_limit_holds_under_every_policy(
    policy: Policy, given_: list[Candidate], under: SelectionLimits
) -> None:
    selection = chosen(policy, given_, under)
    if selection is None:
        return
    free = {id(one) for one in given_ if one.pinned}
    turns = [one for one in given_ if one.role == "user" and one.text.strip()]
    free |= {id(one) for one in turns if one.turn == max(other.turn or 0 for other in turns)}
    held = [one for one in selection.printed if id(one) not in free]
    found = {id(one): entry for one, entry in zip(selection.considered, selection.trace.entries, strict=True)}
    for source in under.sources:
        mine = [found[id(one)] for one in held if one.source == source.name]
        spent = sum(entry.tokens or 0 for entry in mine) - len(mine)
        assert source.cap is None or spent <= source.cap
        assert source.part is None or spent <= source.part * under.budget
        assert all(isinstance(entry, Scored) and entry.calibrated >= source.floor - 1e-9 for entry in mine)


@pytest.mark.proves("PO6")
@pytest.mark.parametrize(
    "policy",
    [
        RankOrder(),
        Everything(truncate=True),
        FixedSlots(),
        *(ScoredKnapsack(calibration=mode) for mode in ("rank", "minmax", "blend")),
    ],
)
@given(
    st.lists(st.lists(st.floats(0.01, 50), min_size=1, max_size=6), min_size=1, max_size=3),
    st.integers(20, 300),
    st.data(),
)
def test_a_candidate_added_below_all_others_changes_nothing_above(
    policy: Policy, scores: list[list[float]], budget: int, data: st.DataObject
) -> None:
    names = ("docs", "wiki", "notes")
    given_ = [
        one
        for name, found in zip(names, scores, strict=False)
        for one in ranked(name, *sorted(found, reverse=True))
    ]
    source = data.draw(st.sampled_from(names[: len(scores)]))
    below = Candidate(source, "/below.md", "Hopeless.", rank=100, score=0.0)
    under = limits(budget, *(THIRDS if isinstance(policy, FixedSlots) else ()))
    before, after = policy.select(given_, under), policy.select([*given_, below], under)
    others = [one.final for where, one in entries(after).items() if where != "/below.md"]
    assume(entries(after)["/below.md"].final < min(others))
    assert [where for where in printed(after) if where != "/below.md"] == printed(before)
    assert {where: one for where, one in entries(after).items() if where != "/below.md"} == entries(before)


@pytest.mark.proves("PO16")
@given(policies, candidates(), candidates(), st.sampled_from(["bytes", "o200k_base"]))
def test_the_stable_prefix_is_the_same_whatever_else_is_asked_about(
    policy: Policy, one: list[Candidate], two: list[Candidate], encoding: str
) -> None:
    def plain(given_: list[Candidate], life: Life) -> list[Candidate]:
        return [
            Candidate(
                item.source, item.path, item.text, anchor=f"{life}-{place}", score=item.score, life=life
            )
            for place, item in enumerate(given_)
        ]

    under = SelectionLimits(10**6, THIRDS, order="cache", counter=counter(encoding))
    stable = plain(one, "stable")
    alone = policy.select(stable, under)
    beside = policy.select([*plain(two, "volatile"), *stable[::-1]], under)
    assert beside.text[: beside.stable] == alone.text[: alone.stable] == alone.text


@pytest.mark.proves("PO1")
@given(candidates(), any_limits(), st.sampled_from(get_args(Calibration)), st.data())
def test_items_stand_strongest_first_and_each_source_in_its_own_order(
    given_: list[Candidate], under: SelectionLimits, mode: Calibration, data: st.DataObject
) -> None:
    if data.draw(st.booleans()):
        # Most sources give each rank once, which takes another way.
        given_ = [replace(one, rank=number) for number, one in enumerate(given_, 1)]
    items = scored(given_, under, mode)
    assert [item.strength for item in items] == sorted(item.strength for item in items)
    for name in {one.source for one in given_}:
        mine = sorted((item for item in items if item.candidate.source == name), key=lambda item: item.place)
        ranks = [item.candidate.rank or math.inf for item in mine]
        assert ranks == sorted(ranks)
