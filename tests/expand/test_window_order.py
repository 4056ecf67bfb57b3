"""The order of the window, and the engine that joins candidates, policy and scorer."""

import pytest

from mark_expand import (
    Candidate,
    ContextEngine,
    RankOrder,
    ScoredKnapsack,
    SourceLimits,
    conversation,
)
from tests.expand.candidates import doc, limits, printed, ranked


def of_life(life: str, *numbers: int) -> list[Candidate]:
    return [doc(f"/{life}/{number}.md", rank=number, life=life) for number in numbers]


@pytest.mark.proves("PO16")
def test_for_a_cache_the_lasting_comes_first_and_the_strongest_volatile_ones_at_the_edges() -> None:
    given_ = [
        *of_life("volatile", 1, 2, 3, 4, 5),
        *of_life("session", 7, 6),
        *of_life("stable", 9, 8),
        *conversation([("user", "Hello."), ("assistant", "Yes?")]),
    ]
    selection = RankOrder().select(given_, limits(order="cache"))
    assert printed(selection) == [
        *("/stable/8.md", "/stable/9.md", "/session/6.md", "/session/7.md"),
        *(f"/volatile/{number}.md" for number in (1, 3, 5, 4, 2)),
        *("/conversation/1/user", "/conversation/2/assistant"),
    ]
    prefix = selection.text[: selection.stable]
    assert prefix.endswith("Text of /stable/9.md in docs.\n\n")
    assert selection.text[selection.stable :].startswith(">>> /session/6.md\n")


@pytest.mark.proves("PO16")
def test_no_score_and_no_copy_elsewhere_changes_the_stable_prefix() -> None:
    stable = of_life("stable", 1, 2, 3)
    policy = ScoredKnapsack()
    plain = policy.select(stable, limits(order="cache"))
    changed = [
        doc(one.path, one.text, rank=4 - (one.rank or 0), score=float(one.rank or 0), life="stable")
        for one in stable
    ]
    copy = doc("/copy.md", stable[1].text, source="wiki", rank=1, score=99.0)
    beside = policy.select([copy, *ranked("wiki", 5, 4), *changed], limits(order="cache"))
    assert beside.text.startswith(plain.text)
    assert "/copy.md" not in printed(beside)


@pytest.mark.proves("PO16")
def test_by_rank_the_pinned_come_first_then_the_strongest() -> None:
    given_ = [*ranked("docs", 3, 2, 1), doc("/system.md", rank=9, pinned=True)]
    assert printed(RankOrder().select(given_, limits())) == [
        *("/system.md", "/docs/1.md", "/docs/2.md", "/docs/3.md")
    ]


@pytest.mark.proves("PO1")
async def test_an_engine_without_a_scorer_is_its_policy() -> None:
    given_ = [*ranked("docs", 3, 2), *ranked("wiki", 3, 2)]
    under = limits(100, SourceLimits("wiki", weight=3))
    engine = ContextEngine(under, ScoredKnapsack())
    expected = ScoredKnapsack().select(given_, under)
    assert engine.select(given_).text == (await engine.build("what?", given_)).text == expected.text
    assert ContextEngine(under).select(given_).text == RankOrder().select(given_, under).text
