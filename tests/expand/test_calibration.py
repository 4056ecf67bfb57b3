"""Calibrated scores: what equals stays equal, and nothing that is not printed makes the scale."""

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_expand import (
    Adjustment,
    Candidate,
    RankOrder,
    Scored,
    ScoredKnapsack,
    Signals,
    SourceLimits,
    WrongCandidate,
    signals_of,
)
from mark_expand.selection.calibration import Calibration, calibrate
from tests.expand.candidates import doc, entries, limits, printed, ranked, reasons

MODES: tuple[Calibration, ...] = get_args(Calibration)


def values(mode: Calibration, *scores: float) -> list[float]:
    return calibrate(mode, scores, [True] * len(scores))


@pytest.mark.proves("PO4")
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("rank", [1.0, 10 / 11, 10 / 12]),
        ("reciprocal", [1.0, 1 / 2, 1 / 3]),
        ("minmax", [1.0, 0.5, 0.25]),
        ("blend", [1.0, (10 / 11 + 0.5) / 2, (10 / 12 + 0.25) / 2]),
    ],
)
def test_each_mode_is_what_it_is_called(mode: Calibration, expected: list[float]) -> None:
    assert values(mode, 8, 4, 2) == pytest.approx(expected)


@pytest.mark.proves("PO4")
def test_zscore_counts_deviations_from_the_mean() -> None:
    # Mean 2, deviation 1.
    assert values("zscore", 3, 1) == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))])


@pytest.mark.proves("PO4")
def test_negative_scores_are_measured_from_the_lowest() -> None:
    assert values("minmax", -1, -2, -3) == [1.0, 0.5, 0.0]


@pytest.mark.proves("PO4")
@pytest.mark.parametrize("mode", MODES)
def test_equal_scores_are_equal_and_float_noise_is_equal(mode: Calibration) -> None:
    one, two, three, last = values(mode, 0.3, 0.1 + 0.2, 0.3, 0.2)
    assert one == two == three > last


@pytest.mark.proves("PE5")
def test_joint_puts_the_scores_of_all_sources_on_one_scale() -> None:
    sources = [*ranked("docs", 8.0, 4.0), *ranked("wiki", 2.0, 1.0), doc("/bare.md", "Bare.", "mark", rank=1)]
    found = entries(ScoredKnapsack(calibration="joint").select(sources, limits(2000)))
    made = [(entry.source, entry.calibrated) for entry in found.values()]
    expected = [("docs", 1.0), ("docs", 0.5), ("wiki", 0.25), ("wiki", 0.125), ("mark", 1.0)]
    assert sorted(made) == sorted(expected)
    more = [*sources, *ranked("notes", 0.5, 0.1)]
    after = entries(ScoredKnapsack(calibration="joint").select(more, limits(2000)))
    assert {where: after[where].calibrated for where in found} == {
        where: entry.calibrated for where, entry in found.items()
    }


@pytest.mark.proves("PO4")
def test_noise_around_zero_is_noise() -> None:
    assert values("rank", 7.0, 1e-16, 0.0, -1e-16) == [1.0, 10 / 11, 10 / 11, 10 / 11]


@pytest.mark.proves("PO4")
@pytest.mark.parametrize(
    ("mode", "alone"),
    [("rank", 1), ("reciprocal", 1), ("minmax", 1), ("blend", 1), ("joint", 1), ("zscore", 0.5)],
)
@pytest.mark.parametrize("score", [0.001, 14.0, 1e308, 5e-324])
def test_a_lone_hit_has_one_value_whatever_its_score(mode: Calibration, alone: float, score: float) -> None:
    assert values(mode, score) == [alone]


@pytest.mark.proves("PO4")
@pytest.mark.parametrize("mode", MODES)
def test_hits_without_scores_are_calibrated_by_rank(mode: Calibration) -> None:
    expected = calibrate("reciprocal" if mode == "reciprocal" else "rank", [None] * 3, [True] * 3)
    assert calibrate(mode, [5.0, None, 2.0], [True] * 3) == expected


@pytest.mark.proves("PO4")
@given(
    st.sampled_from(MODES),
    st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=9),
    st.data(),
)
def test_calibrated_scores_lie_in_range_and_keep_the_order(
    mode: Calibration, scores: list[float], data: st.DataObject
) -> None:
    standing = [data.draw(st.booleans()) for _ in scores]
    ordered = sorted(scores, reverse=True)
    made = calibrate(mode, ordered, standing)
    assert all(0 <= value <= 1 for value in made)
    assert made == sorted(made, reverse=True)


@pytest.mark.proves("PO4", "PO6")
@pytest.mark.parametrize("mode", ["rank", "minmax", "zscore", "blend", "joint"])
@pytest.mark.parametrize(
    "hopeless",
    [
        doc("/pinned.md", "Pinned.", rank=1, score=900.0, pinned=True),
        doc("/old.md", "Old.", rank=1, score=900.0, signals=Signals(deprecated=True)),
        doc("/empty.md", " \n", rank=1, score=900.0),
        doc("/large.md", "large " * 2000, rank=1, score=900.0),
    ],
    ids=lambda one: one.path,
)
def test_neither_pinned_nor_hopeless_candidates_make_the_scale(
    mode: Calibration, hopeless: Candidate
) -> None:
    others = [*ranked("docs", 9, 8.5, 3), *ranked("wiki", 0.9, 0.2)]
    policy = ScoredKnapsack(calibration=mode)
    before = entries(policy.select(others, limits(200)))
    after = entries(policy.select([*others, hopeless], limits(200)))
    for where, entry in before.items():
        assert after[where].calibrated == entry.calibrated
        assert after[where].final == entry.final


@pytest.mark.proves("PO4", "PO6")
def test_what_is_too_large_for_its_cap_makes_no_scale_either() -> None:
    large = doc("/large.md", "large " * 60, rank=1, score=900.0)
    under = limits(2000, SourceLimits("docs", cap=50))
    made = entries(ScoredKnapsack(calibration="minmax").select([large, *ranked("docs", 4, 2)], under))
    assert [made[f"/docs/{rank}.md"].calibrated for rank in (1, 2)] == [1.0, 0.5]


@pytest.mark.proves("PO4")
def test_equal_scores_keep_the_order_of_the_store() -> None:
    given_ = [doc(f"/{name}.md", rank=rank, score=1.0) for rank, name in enumerate("zma", 1)]
    assert printed(ScoredKnapsack().select(given_[::-1], limits())) == ["/z.md", "/m.md", "/a.md"]


@pytest.mark.proves("PO5")
def test_weight_and_signals_are_visible_adjustments() -> None:
    given_ = [
        doc("/stale.md", rank=1, signals=Signals(stale=True)),
        doc("/good.md", source="wiki", rank=1, signals=Signals(reviewed=True)),
    ]
    under = limits(1000, SourceLimits("docs", weight=2.0))
    made = entries(ScoredKnapsack().select(given_, under))
    assert made["/stale.md"].adjustments == (Adjustment("weight", 2.0), Adjustment("stale", 0.7))
    assert made["/stale.md"].final == pytest.approx(1.4)
    assert made["/good.md"].adjustments == (Adjustment("reviewed", 1.1),)
    assert made["/good.md"].final == pytest.approx(1.1)
    assert made["/good.md"].calibrated == 1.0


@pytest.mark.proves("PO5")
def test_a_deprecated_text_is_left_out_and_its_successor_named() -> None:
    old = doc("/old.md", rank=1, signals=Signals(deprecated=True), successor="/new.md")
    selection = RankOrder().select([old, doc("/new.md", rank=2)], limits())
    assert printed(selection) == ["/new.md"]
    entry = entries(selection)["/old.md"]
    assert (entry.outcome, entry.reason, entry.within) == ("omitted", "deprecated", "/new.md")


@pytest.mark.proves("PO5")
@pytest.mark.parametrize(
    ("metadata", "signals", "successor"),
    [
        ({"status": "Superseded"}, Signals(deprecated=True), ""),
        ({"rel-superseded-by": "b.md"}, Signals(deprecated=True), "/docs/b.md"),
        ({"archived": "true", "Reviewed": "2026-01-02"}, Signals(deprecated=True, reviewed=True), ""),
        ({"stale": "true"}, Signals(stale=True), ""),
        ({"status": "accepted", "deprecated": "false", "reviewed": "no"}, Signals(), ""),
        ({}, Signals(), ""),
    ],
)
def test_signals_are_read_from_front_matter(
    metadata: dict[str, str], signals: Signals, successor: str
) -> None:
    assert signals_of("/docs/a.md", metadata) == (signals, successor)


@pytest.mark.proves("PO13")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", math.nan),
        ("score", math.inf),
        ("rank", 0),
        ("cost", -1),
        ("judged", 1.5),
        ("judged", math.nan),
    ],
)
def test_a_candidate_that_cannot_be_compared_is_refused(name: str, value: float) -> None:
    with pytest.raises(WrongCandidate, match=rf"^/a\.md: {name} is .*; allowed: .+$"):
        doc("/a.md", "Text.", "docs", **{name: value})


@pytest.mark.proves("PO13")
def test_a_candidate_that_cannot_be_printed_is_refused() -> None:
    with pytest.raises(WrongCandidate, match=r"^docs: path is ''; allowed: "):
        Candidate("docs", "", "Text.")
    with pytest.raises(WrongCandidate, match=r"^/é\.md: text is 'a lone surrogate'; allowed: "):
        Candidate("docs", "/é.md", "Text \ud800.")
    assert Candidate("docs", "a.md", store="far").where == "mark://far/a.md"


@pytest.mark.proves("PO3")
def test_an_entry_tells_all_that_led_to_it() -> None:
    (entry,) = RankOrder().select([doc("/a.md", "Text.", rank=1, score=3.5)], limits()).trace.entries
    assert entry == Scored(
        "candidate", 1, "/a.md", "printed", tokens=5, source="docs", raw=3.5, calibrated=1.0, final=1.0
    )
    assert reasons(RankOrder().select([doc("/a.md", " ")], limits())) == {"/a.md": "empty"}
