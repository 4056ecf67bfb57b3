"""Copies of what was printed, exact and near, and what must never be taken for one."""

from collections.abc import Sequence

import pytest

from mark_expand import (
    Adjustment,
    Candidate,
    Policy,
    RankOrder,
    ScoredKnapsack,
    SelectionLimits,
    Signals,
    SourceLimits,
    conversation,
)
from mark_expand.selection.differences import differ_in_substance
from mark_outline import counter
from tests.expand.candidates import POLICIES, doc, entries, limits, printed, prose, reasons, units

EVERY = pytest.mark.parametrize("policy", POLICIES, ids=lambda one: type(one).__name__)
BODY = (
    "The ferry leaves the northern quay when the harbour lamp is lit, and the keeper writes every crossing "
    "into the ledger that hangs behind the door of the ticket office beside the old salt store by the slipway"
)
WHOLE = SourceLimits("docs", share=1)


def pair(one: str, two: str) -> tuple[list[str], dict[str, str]]:
    """What is printed, and why not, of two texts with near copies dropped."""
    selection = RankOrder().select(
        [doc("/1.md", one, rank=1), doc("/2.md", two, rank=2)], limits(9000, near="drop")
    )
    return printed(selection), reasons(selection)


@pytest.mark.proves("PO14")
@EVERY
def test_an_exact_copy_is_left_out_and_names_what_is_printed(policy: Policy) -> None:
    given_ = [doc("/1.md", "Same text.\n", rank=1), doc("/2.md", "\n Same text.", rank=2)]
    selection = policy.select(given_, limits(1000, WHOLE))
    assert printed(selection) == ["/1.md"]
    entry = entries(selection)["/2.md"]
    assert (entry.outcome, entry.reason, entry.within) == ("omitted", "duplicate", "/1.md")


@pytest.mark.proves("PO14")
@EVERY
def test_an_original_over_the_budget_does_not_take_its_copy_along(policy: Policy) -> None:
    text = prose(1)
    far = doc("/a/very/long/path/to/the/original/of/this.md", text, rank=1)
    near = doc("/2.md", text, rank=2)
    selection = policy.select([far, near], limits(-(-units(near) // 4), WHOLE))
    assert printed(selection) == ["/2.md"]
    assert reasons(selection)[far.where] in ("budget", "share_exhausted", "duplicate")


@pytest.mark.proves("PO14")
def test_an_original_over_its_cap_or_below_its_floor_does_not_take_its_copy_along() -> None:
    given_ = [doc("/1.md", prose(1), rank=1), doc("/2.md", prose(1), source="wiki", rank=2)]
    capped = RankOrder().select(given_, limits(900, SourceLimits("docs", cap=5)))
    assert printed(capped) == ["/2.md"]
    floored = RankOrder().select(
        given_[::-1], limits(900, SourceLimits("docs", floor=1.0), SourceLimits("wiki"))
    )
    assert printed(floored) == ["/1.md"]


@pytest.mark.proves("PO14")
def test_a_part_of_a_printed_text_of_the_same_document_is_covered_by_it() -> None:
    whole = doc("/1.md", f"# Ferry\n\n{BODY}\n\n## Fares\n\nTwo marks.", rank=1, version=2)
    part = doc("/1.md", "## Fares\n\nTwo marks.", rank=2, version=2, anchor="fares")
    elsewhere = doc("/2.md", "## Fares\n\nTwo marks.", rank=3)
    selection = RankOrder().select([whole, part, elsewhere], limits())
    assert printed(selection) == ["/1.md/v2", "/2.md"]
    entry = entries(selection)["/1.md/v2#fares"]
    assert (entry.outcome, entry.reason, entry.within) == ("covered", "covered", "/1.md/v2")


@pytest.mark.proves("PO14", "PO15")
@pytest.mark.parametrize("near", ["flag", "drop"])
def test_a_fragment_does_not_kill_its_document(near: str) -> None:
    sentences = [f"{prose(seed, 16).capitalize()}." for seed in range(4)]
    for fragment in (sentences[0], " ".join(sentences[:2]), " ".join(sentences[:3])):
        given_ = [
            doc("/1.md", fragment, rank=1, anchor="part"),
            doc("/1.md", " ".join(sentences), rank=2),
            doc("/other.md", " ".join([*sentences, "And more of it."]), rank=3),
        ]
        selection = RankOrder().select(given_, limits(1000, near=near))
        assert "/1.md" in printed(selection)


@pytest.mark.proves("PO14")
def test_all_copies_of_a_text_share_their_signals() -> None:
    given_ = [
        doc("/chunk.md", "Refunds take a week.", source="vectors", rank=1),
        doc("/policy.md", "Refunds take a week.", rank=2, signals=Signals(stale=True)),
    ]
    made = entries(RankOrder().select(given_, limits()))
    assert made["/chunk.md"].adjustments == (Adjustment("stale", 0.7, "/policy.md"),)
    assert made["/chunk.md"].final == pytest.approx(0.7)


@pytest.mark.proves("PO14")
def test_a_copy_of_a_deprecated_text_goes_out_with_it() -> None:
    old = doc("/old.md", "Old rule.", rank=2, signals=Signals(deprecated=True), successor="/new.md")
    selection = RankOrder().select([doc("/chunk.md", "Old rule.", source="vectors", rank=1), old], limits())
    assert printed(selection) == []
    assert entries(selection)["/chunk.md"].within == "/new.md"


@pytest.mark.proves("PO14")
def test_a_successor_that_kept_the_text_is_not_deprecated_with_it() -> None:
    given_ = [
        doc("/old.md", "The rule.", rank=1, signals=Signals(deprecated=True), successor="/new.md"),
        doc("/new.md", "The rule.", rank=2),
        doc("/chunk.md", "The rule.", source="vectors", rank=9),
    ]
    selection = RankOrder().select(given_, limits(100, SourceLimits("docs", weight=2)))
    assert printed(selection) == ["/new.md"]
    assert reasons(selection) == {"/old.md": "deprecated", "/chunk.md": "duplicate"}


@pytest.mark.proves("PO15")
@EVERY
def test_a_near_copy_is_named_and_printed(policy: Policy) -> None:
    given_ = [doc("/1.md", BODY, rank=1), doc("/2.md", BODY.replace("keeper", "warden"), rank=2)]
    selection = policy.select(given_, limits(1000, WHOLE))
    assert printed(selection) == ["/1.md", "/2.md"]
    assert entries(selection)["/2.md"].similar == "/1.md"
    assert entries(selection)["/1.md"].similar == ""


@pytest.mark.proves("PO15")
def test_a_near_copy_in_other_words_is_dropped_where_that_is_wished() -> None:
    assert pair(BODY, BODY.replace("keeper", "warden")) == (["/1.md"], {"/2.md": "similar_to"})
    assert pair(BODY, f"{BODY}, they say") == (["/1.md"], {"/2.md": "similar_to"})
    assert pair(BODY, BODY.replace(" ", "  \n", 3)) == (["/1.md"], {"/2.md": "similar_to"})


@pytest.mark.proves("PO15")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keeper", "40 keeper"),
        ("every", "every7"),
        ("keeper", "three"),
        ("writes", "never writes"),
        ("is lit", "isn't lit"),
        ("the old", "no old"),
        ("and the", "-and the"),
        ("and", "+"),
        ("and", "<"),
        ("and", "!="),
        ("quay", "−quay"),
        ("quay", "quay/dock"),
        ("keeper", "`keeper`"),
        ("keeper", "harbourMaster"),
        ("keeper", "KEEPER"),
        ("keeper", "keeper_name"),
        ("keeper", "keeper()"),
        ("keeper", "harbour.keeper"),
        ("quay", "€quay"),
        ("must", "must"),
        ("northern quay", "quay northern"),
        ("every crossing", "every single crossing"),
        ("leaves", "unleaves"),
        ("keeper", "一 keeper"),
        ("is lit", "is unlit"),
        ("when", "unless"),
    ],
)
def test_what_changes_the_sense_is_never_dropped(old: str, new: str) -> None:
    changed = BODY.replace(old, new, 1) if old != new else BODY.replace("leaves", "must leave", 1)
    assert changed != BODY
    assert pair(BODY, changed) == (["/1.md", "/2.md"], {})
    assert pair(changed, BODY) == (["/1.md", "/2.md"], {})


@pytest.mark.proves("PO15")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("```sh\nrun first\n```", "```sh\nrun second\n```"),
        ("    return value", "    yield value"),
        ("Call `open` here.", "Call `close` here."),
        ("~~~\na\n```\nb\n~~~", "~~~\na\n```\nc\n~~~"),
        ("-5", "5"),
        ("- x", "+ x"),
        ("a < b", "a > b"),
        ("Ann pays Bob", "Bob pays Ann"),
        ("not not good", "not good"),
        ("v1.2", "v1.3"),
    ],
)
def test_changed_code_signs_and_order_are_substance(one: str, two: str) -> None:
    assert differ_in_substance(one, two)
    assert differ_in_substance(two, one)
    assert not differ_in_substance(one, one)


@pytest.mark.proves("PO15")
def test_a_text_less_than_half_as_long_is_not_dropped() -> None:
    long = f"{BODY}. {prose(3, 90)}"
    assert pair(long, BODY) == (["/1.md", "/2.md"], {})
    assert pair(BODY, long) == (["/1.md", "/2.md"], {})


@pytest.mark.proves("PO15")
def test_scripts_without_blanks_are_compared_too() -> None:
    text = (
        "港の灯がともると渡し船は北の岸壁を離れ係の者は切符売り場の扉の裏に掛けた帳面に往来をすべて書きとめる"
    )
    changed = text.replace("岸壁", "桟橋")
    selection = RankOrder().select([doc("/1.md", text, rank=1), doc("/2.md", changed, rank=2)], limits())
    assert entries(selection)["/2.md"].similar == "/1.md"
    assert pair(text, changed) == (["/1.md"], {"/2.md": "similar_to"})
    # A negation, and a figure.
    assert pair(text, text.replace("離れ", "離れず"))[1] == {}
    assert pair(text, text.replace("北の", "三つの"))[1] == {}


@pytest.mark.proves("PO15")
def test_a_dropped_near_copy_leaves_its_signals_and_the_score_is_made_anew() -> None:
    given_ = [
        doc("/1.md", BODY, rank=1),
        doc("/2.md", prose(5), rank=2),
        doc("/3.md", BODY.replace("keeper", "warden"), rank=3, signals=Signals(stale=True)),
    ]
    policy = ScoredKnapsack(calibration="rank")
    dropped = policy.select(given_, limits(1000, near="drop"))
    assert entries(dropped)["/1.md"].adjustments == (Adjustment("stale", 0.7, "/3.md"),)
    assert printed(dropped) == ["/2.md", "/1.md"]
    assert entries(policy.select(given_, limits(1000)))["/1.md"].adjustments == ()


@pytest.mark.proves("PO15")
def test_a_near_copy_of_what_was_left_out_is_printed() -> None:
    near = doc("/2.md", BODY.replace("keeper", "warden"), source="wiki", rank=2)
    under = limits(1000, SourceLimits("docs", cap=5), near="drop")
    assert printed(RankOrder().select([doc("/1.md", BODY, rank=1), near], under)) == ["/2.md"]


@pytest.mark.proves("PO17")
@EVERY
def test_a_conversation_is_last_in_its_order_and_never_taken_for_a_copy(policy: Policy) -> None:
    said = [("user", BODY), ("assistant", "Yes."), ("assistant", "Yes."), ("user", BODY)]
    given_: list[Candidate] = [doc("/1.md", BODY, rank=1), *conversation(said)[::-1]]
    sources = (SourceLimits("docs", share=0.5), SourceLimits("conversation", share=0.5))
    for near in ("flag", "drop"):
        selection = policy.select(given_, limits(4000, *sources, near=near))
        turns = [f"/conversation/{number}/{role}" for number, (role, _) in enumerate(said, 1)]
        assert printed(selection) == ["/1.md", *turns]
        assert {entry.similar for entry in entries(selection).values()} == {""}


@pytest.mark.proves("PO21")
def test_only_what_may_be_printed_is_counted_and_compared() -> None:
    unit = counter("o200k_base")
    counted: list[str] = []

    class Counting:
        encoding = unit.encoding
        units, tokens, release = unit.units, unit.tokens, unit.release

        def count(self, text: str) -> int:
            counted.append(text)
            return unit.count(text)

        def count_many(self, texts: Sequence[str]) -> list[int]:
            return [self.count(text) for text in texts]

    given_ = [
        doc(f"/{number}.md", f"{number} " + "salt tide " * 60, rank=number + 1) for number in range(1000)
    ]
    selection = RankOrder().select(given_, SelectionLimits(1200, counter=Counting()))
    assert 0 < len(selection.printed) < 10
    assert len(counted) < 60
    unknown = [one for one in entries(selection).values() if one.tokens is None]
    assert len(unknown) > 900
    assert all(one.least for one in unknown)


@pytest.mark.proves("PO21")
@pytest.mark.parametrize("near", ["flag", "drop"])
def test_hundreds_of_near_copies_are_told_from_each_other(near: str) -> None:
    given_ = [doc(f"/{number}.md", f"{BODY} {number}", rank=number + 1) for number in range(300)]
    selection = RankOrder().select(given_, limits(100_000, near=near))
    assert len(selection.printed) == 300
    assert entries(selection)["/299.md"].similar == "/0.md"
