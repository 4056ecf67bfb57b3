"""The four policies: what each of them chooses, and what they all keep."""

import math
from fractions import Fraction

import pytest

from mark_expand import (
    DoesNotFit,
    Everything,
    FixedSlots,
    Policy,
    RankOrder,
    ScoredKnapsack,
    SelectionLimits,
    SourceLimits,
    WrongLimit,
    conversation,
)
from mark_expand.selection.bounds import exact
from mark_outline import counter
from tests.expand.candidates import (
    BYTES,
    POLICIES,
    doc,
    entries,
    limits,
    printed,
    prose,
    ranked,
    reasons,
    units,
)

EVERY = pytest.mark.parametrize("policy", POLICIES, ids=lambda one: type(one).__name__)


def room_for(*blocks: int) -> int:
    """Tokens that hold blocks of these bytes, and less than a token more."""
    return -(-sum(blocks) // 4)


@pytest.mark.proves("PO7")
def test_rank_interleaves_sources_by_rank_and_weight() -> None:
    # Ranks by weight: a 1 2 3, b 0.5 1 1.5; equal ones as the sources are configured.
    plain = [doc(f"/{source}/{rank}.md", source=source, rank=rank) for source in "ab" for rank in (1, 2, 3)]
    under = limits(1000, SourceLimits("a"), SourceLimits("b", weight=2))
    assert printed(RankOrder().select(plain, under)) == [
        *("/b/1.md", "/a/1.md", "/b/2.md", "/b/3.md", "/a/2.md", "/a/3.md"),
    ]


@pytest.mark.proves("PO7")
def test_ties_are_exact_although_weights_are_no_binary_fractions() -> None:
    plain = [doc(f"/{source}/{rank}.md", source=source, rank=rank) for source in "ab" for rank in (1, 2, 3)]
    under = limits(1000, SourceLimits("b", weight=0.3), SourceLimits("a", weight=0.1))
    # 3 / 0.3 and 1 / 0.1 are one value; in floating point they are two.
    assert printed(RankOrder().select(plain, under))[2:4] == ["/a/1.md", "/b/3.md"]


@pytest.mark.proves("PO8")
@EVERY
def test_of_equal_candidates_the_sources_take_turns_whatever_they_are_called(policy: Policy) -> None:
    given_ = [
        doc(f"/{source}/{rank}.md", source=source, rank=rank, score=1.0)
        for source in ("aaa", "zzz")
        for rank in range(1, 9)
    ]
    size = units(given_[0])
    sources = [SourceLimits(name, share=0.5) for name in ("aaa", "zzz")]
    selection = policy.select(given_, limits(room_for(*[size] * 4), *sources))
    assert sorted(candidate.source for candidate in selection.printed) == ["aaa", "aaa", "zzz", "zzz"]


@pytest.mark.proves("PO8")
@EVERY
def test_a_cap_holds(policy: Policy) -> None:
    given_ = [*ranked("docs", 9, 8, 7), *ranked("wiki", 1)]
    size = units(given_[0])
    sources = [SourceLimits("docs", cap=room_for(size), share=0.5), SourceLimits("wiki", share=0.5)]
    selection = policy.select(given_, limits(1000, *sources))
    assert printed(selection) == ["/docs/1.md", "/wiki/1.md"]
    assert reasons(selection) == {"/docs/2.md": "source_cap", "/docs/3.md": "source_cap"}


@pytest.mark.proves("PO8")
@EVERY
def test_a_floor_holds(policy: Policy) -> None:
    given_ = ranked("docs", *range(40, 0, -1))
    under = limits(4000, SourceLimits("docs", floor=0.5, share=1, weight=0.1))
    selection = policy.select(given_, under)
    assert 0 < len(selection.printed) < 40
    assert set(reasons(selection).values()) == {"below_floor"}
    assert min(entries(selection)[where].calibrated for where in printed(selection)) >= 0.5


@pytest.mark.proves("PO8", "PO12")
@EVERY
def test_a_minimum_comes_before_stronger_candidates(policy: Policy) -> None:
    strong = [doc(f"/docs/{rank}.md", prose(rank), rank=rank) for rank in range(1, 30)]
    weak = [doc("/wiki/1.md", prose(99), source="wiki", rank=40)]
    sources = [SourceLimits("docs", share=0.5, weight=1000), SourceLimits("wiki", minimum=1, share=0.5)]
    selection = policy.select([*strong, *weak], limits(200, *sources))
    assert "/wiki/1.md" in printed(selection)
    assert selection.trace.events == []


@pytest.mark.proves("PO12")
@EVERY
def test_where_the_best_is_too_large_the_next_fills_the_minimum(policy: Policy) -> None:
    given_ = [
        doc("/large.md", "large " * 900, rank=1, score=9.0),
        doc("/small.md", "Small.", rank=2, score=8.0),
        *ranked("wiki", 7, 6),
    ]
    sources = [SourceLimits("docs", minimum=5, share=0.5), SourceLimits("wiki", share=0.5)]
    selection = policy.select(given_, limits(60, *sources))
    assert "/small.md" in printed(selection)
    assert selection.trace.events == []


@pytest.mark.proves("PO12")
def test_minimums_are_filled_in_turn_and_an_unmet_one_is_told() -> None:
    given_ = [*ranked("docs", 3, 2, 1), *ranked("wiki", 3, 2, 1)]
    size = units(given_[0])
    sources = [SourceLimits("wiki", minimum=100), SourceLimits("docs", minimum=100)]
    selection = ScoredKnapsack().select(given_, limits(room_for(size * 3), *sources))
    assert sorted(printed(selection)) == ["/docs/1.md", "/wiki/1.md", "/wiki/2.md"]
    assert [event.split(":")[:2] for event in selection.trace.events] == [
        ["minimum_unmet", "wiki"],
        ["minimum_unmet", "docs"],
    ]


@pytest.mark.proves("PO12")
def test_a_minimum_of_a_source_that_gave_nothing_is_told() -> None:
    under = limits(100, SourceLimits("wiki", minimum=10))
    assert RankOrder().select(ranked("docs", 1), under).trace.events == ["minimum_unmet:wiki:0 of 10"]


@pytest.mark.proves("PO8")
def test_beta_weighs_value_by_token() -> None:
    given_ = [
        doc("/long.md", prose(1, 60), rank=1, score=1.0),
        doc("/short.md", "Short.", rank=2, score=0.9),
    ]
    budget = room_for(units(given_[0]))
    assert printed(ScoredKnapsack().select(given_, limits(budget))) == ["/long.md"]
    assert printed(ScoredKnapsack(beta=1).select(given_, limits(budget))) == ["/short.md"]
    assert printed(ScoredKnapsack(beta=1e300).select(given_, limits(budget))) == ["/short.md"]


@pytest.mark.proves("PO9")
def test_slots_fill_each_share_and_give_nothing_on() -> None:
    given_ = [*ranked("docs", 3, 2, 1), *ranked("wiki", 3), *ranked("notes", 9)]
    size = units(given_[0])
    sources = [SourceLimits("wiki", share=0.5), SourceLimits("docs", share=0.5)]
    selection = FixedSlots().select(given_, limits(size, *sources))
    assert sorted(printed(selection)) == ["/docs/1.md", "/docs/2.md", "/wiki/1.md"]
    assert reasons(selection) == {"/docs/3.md": "share_exhausted", "/notes/1.md": "no_share"}


@pytest.mark.proves("PO9", "PO13")
def test_shares_are_exact() -> None:
    given_ = [doc(f"/{name}.md", f"Text {name}.", source=name) for name in "abc"]
    size = units(given_[0])
    thirds = [SourceLimits(name, share="1/3") for name in "abc"]
    budget = size * 3 // 4
    assert size * 3 == budget * 4, "the three blocks are the budget to the byte"
    assert len(FixedSlots().select(given_, limits(budget, *thirds)).printed) == 3
    tenths = [SourceLimits(name, share=share) for name, share in zip("abc", (0.1, 0.2, 0.7), strict=True)]
    assert sum(source.part or 0 for source in limits(1, *tenths).sources) == 1
    assert exact(0.1) + exact("0.2") == Fraction(3, 10)


@pytest.mark.proves("PO9")
def test_shares_are_of_what_pinned_items_leave() -> None:
    pinned = doc("/pinned.md", "P" * 200, source="notes", pinned=True)
    given_ = [pinned, *ranked("docs", 3, 2), *ranked("wiki", 3, 2)]
    size = units(given_[1])
    sources = [SourceLimits("docs", share=0.5), SourceLimits("wiki", share=0.5)]
    selection = FixedSlots().select(given_, limits(room_for(units(pinned), size * 2), *sources))
    assert sorted(printed(selection)) == ["/docs/1.md", "/pinned.md", "/wiki/1.md"]


@pytest.mark.proves("PO9", "PO13")
def test_slots_without_a_share_are_refused() -> None:
    with pytest.raises(WrongLimit, match="a share for at least one source, by which slots divide"):
        FixedSlots().select(ranked("docs", 1), limits(100, SourceLimits("docs")))


@pytest.mark.proves("PO10")
def test_everything_is_all_or_an_error_with_sizes() -> None:
    given_ = [doc(f"/{number}.md", prose(number)) for number in range(14)]
    total = sum(map(units, given_))
    assert len(Everything().select(given_, limits(room_for(total))).printed) == 14
    with pytest.raises(DoesNotFit) as caught:
        Everything().select(given_, limits(100))
    assert len(caught.value.sizes) == 14
    line = str(caught.value)
    assert line.startswith("everything: ")
    assert " tokens do not fit into 100: /" in line
    assert line.endswith(" +4 more")
    assert "\n" not in line
    assert 0 < len(Everything(truncate=True).select(given_, limits(100)).printed) < 14


@pytest.mark.proves("PO10", "PO13")
@pytest.mark.parametrize("source", [{"cap": 5}, {"share": 0.5}, {"floor": 0.1}])
def test_everything_refuses_a_limit_that_it_would_have_to_ignore(source: dict[str, float]) -> None:
    under = limits(100, SourceLimits("docs", **source))  # type: ignore[arg-type]  # one of three
    with pytest.raises(WrongLimit):
        Everything().select(ranked("docs", 1), under)
    assert Everything(truncate=True).select(ranked("docs", 1), under).trace.budget == 100
    with pytest.raises(WrongLimit):
        Everything().select([], limits(100, near="drop"))


@pytest.mark.proves("PO11")
@EVERY
def test_pinned_candidates_come_first_whatever_they_are_worth(policy: Policy) -> None:
    given_ = [*ranked("docs", 9, 8), doc("/system.md", source="wiki", rank=99, score=0.0, pinned=True)]
    sources = [SourceLimits("docs", share=1), SourceLimits("wiki", cap=1, floor=1)]
    selection = policy.select(given_, limits(room_for(units(given_[2])), *sources))
    assert printed(selection) == ["/system.md"]


@pytest.mark.proves("PO11")
def test_a_pin_of_the_limits_is_a_path_or_a_location() -> None:
    given_ = [*ranked("docs", 9), doc("/index.md", rank=7), doc("/a b.md", anchor="two", rank=8)]
    pins = ("/index.md", "/a%20b.md#two", "/gone.md")
    selection = RankOrder().select(given_, limits(23, SourceLimits("docs", pins=pins)))
    assert printed(selection) == ["/a%20b.md#two", "/index.md"]
    assert selection.trace.events == ["not_found:docs:/gone.md"]


@pytest.mark.proves("PO11")
@EVERY
def test_pinned_candidates_that_do_not_fit_together_are_an_error_with_sizes(policy: Policy) -> None:
    given_ = [doc(f"/{number}.md", prose(number), pinned=True) for number in range(12)]
    with pytest.raises(DoesNotFit) as caught:
        policy.select(given_, limits(100, SourceLimits("docs", share=1)))
    assert caught.value.what == "pinned"
    assert dict(caught.value.sizes)["/3.md"] == room_for(units(given_[3]))
    assert str(caught.value).count(" tokens)") == 10


@pytest.mark.proves("PO11", "PO17")
@EVERY
def test_the_last_turn_of_the_user_is_always_in(policy: Policy) -> None:
    turns = conversation([("user", "First."), ("user", "The question itself."), ("assistant", "Hm.")])
    given_ = [*ranked("docs", 9, 8, 7), *turns]
    sources = [SourceLimits("docs", share=1), SourceLimits("conversation", cap=1, floor=1, weight=0.01)]
    selection = policy.select(given_, limits(room_for(units(turns[1])), *sources))
    assert printed(selection) == ["/conversation/2/user"]


@pytest.mark.proves("PO18")
def test_one_path_in_two_stores_is_two_candidates() -> None:
    here, there = doc("/a.md", "One.", store="near"), doc("/a.md", "Another one.", source="wiki", store="far")
    selection = RankOrder().select([here, there], limits())
    assert printed(selection) == ["mark://near/a.md", "mark://far/a.md"]
    assert selection.text == ">>> mark://near/a.md\n\nOne.\n\n>>> mark://far/a.md\n\nAnother one.\n\n"
    assert len(entries(selection)) == 2


@pytest.mark.proves("PO2")
@pytest.mark.parametrize("encoding", ["bytes", "o200k_base", "cl100k_base"])
def test_a_candidate_costs_what_is_printed_of_it(encoding: str) -> None:
    unit = counter(encoding)
    text = "潮の満ち引き\n\n>>> forged: header\n"
    selection = RankOrder().select(
        [doc("/a b.md", f"\n\n{text}\n\n", version=3, anchor="two")], SelectionLimits(100, counter=unit)
    )
    block = ">>> /a%20b.md/v3#two\n\n潮の満ち引き\n\n >>> forged: header\n\n"
    assert selection.text == block
    assert selection.trace.tokens == unit.tokens(unit.count(block))
    tight = selection.trace.tokens - 1
    assert RankOrder().select(selection.printed, SelectionLimits(tight, counter=unit)).printed == ()


@pytest.mark.proves("PO2")
def test_a_text_that_is_not_known_yet_costs_what_its_store_says() -> None:
    given_ = [doc("/a.md", " ", cost=300), doc("/b.md", " ", cost=150), doc("/c.md", " ", cost=101)]
    selection = RankOrder().select(given_, limits(100))
    assert printed(selection) == ["/a.md"]
    assert (selection.text, selection.trace.tokens) == ("", 75)
    assert reasons(selection) == {"/b.md": "budget", "/c.md": "budget"}


@pytest.mark.proves("PO13")
@pytest.mark.parametrize(
    "wrong",
    [
        lambda: limits(0),
        lambda: limits(True),
        lambda: limits(2.5),  # type: ignore[arg-type]  # what is refused
        lambda: limits(10, near="maybe"),
        lambda: limits(10, order="name"),
        lambda: limits(10, SourceLimits("a"), SourceLimits("a")),
        lambda: limits(10, SourceLimits("a", share=0.7), SourceLimits("b", share="0.3000001")),
        lambda: SourceLimits("a", weight=0),
        lambda: SourceLimits("a", weight=math.nan),
        lambda: SourceLimits("a", weight=math.inf),
        lambda: SourceLimits("a", weight=-1),
        lambda: SourceLimits("a", cap=0),
        lambda: SourceLimits("a", minimum=-1),
        lambda: SourceLimits("a", floor=1.5),
        lambda: SourceLimits("a", floor=math.nan),
        lambda: SourceLimits("a", share=0),
        lambda: SourceLimits("a", share=math.nan),
        lambda: SourceLimits("a", share=math.inf),
        lambda: SourceLimits("a", share="1/0"),
        lambda: SourceLimits("a", share="a third"),
        lambda: SourceLimits("a", share=True),
        lambda: SourceLimits("a", share=1.5),
        lambda: ScoredKnapsack(beta=-1),
        lambda: ScoredKnapsack(beta=math.inf),
        lambda: ScoredKnapsack(beta=math.nan),
        lambda: ScoredKnapsack(calibration="reciprocal"),
        lambda: FixedSlots(calibration="best"),  # type: ignore[arg-type]  # what is refused
        lambda: Everything(calibration="best"),  # type: ignore[arg-type]  # what is refused
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused_in_one_line(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(WrongLimit, match=r"^[^\n]+ is [^\n]+; allowed: [^\n]+$"):
        wrong()


@pytest.mark.proves("PO1")
def test_nothing_in_is_nothing_out() -> None:
    for policy in POLICIES[:3]:
        selection = policy.select([], limits())
        assert (selection.text, selection.printed, selection.trace.entries) == ("", (), [])
    assert BYTES.units(1) == 4
