"""The scripted reader and its policies: what it is told about, what it asks, what that costs."""

from pathlib import Path

import pytest

from mark_server.arguments import Arguments, FetchArguments, LookupArguments
from mark_server.desk import Desk
from mark_server.evidence.leads import leads
from mark_server.evidence.policies import POLICIES, costs, read_all
from mark_server.evidence.questions import Gold, Question
from mark_server.evidence.reader import MOST_CALLS, Reader
from mark_server.prompts import POLICIES as prompts  # noqa: N811 - beside ours

LOOKUP = LookupArguments("tide", budget=500)
RESULT = """\
| /t.md#row | Title |

>>> /a.md/v1#one

text

>>> related: rel-by /b.md; rel-see /c.md#d

>>> note: characters 0-90 of 900; next: mark_fetch url=/a.md/v1#one start=90
>>> note: did not fit: /e.md/v2#f (~85 tokens), /g%20h.md (~9 tokens) +4 more
>>> note: expanded 1 of 10 rows within the budget; 6 more rows: offset=4
"""


@pytest.mark.proves("EV10")
def test_a_result_leads_to_what_it_names_the_most_direct_first() -> None:
    expected: list[Arguments] = [
        *(FetchArguments("/e.md/v2#f"), FetchArguments("/g%20h.md")),
        FetchArguments("/a.md/v1#one", start=90),
        *(FetchArguments("/b.md"), FetchArguments("/c.md#d")),
        LookupArguments("tide", budget=500, offset=4),
        FetchArguments("/t.md#row"),
    ]
    assert list(leads(LOOKUP, RESULT, "tide")) == expected


@pytest.mark.proves("EV10")
def test_an_outline_leads_to_the_sections_whose_headings_answer_best() -> None:
    tree = "- A (#a, 90 lines)\n  - Low tide (#low-tide, 3 lines)\n  - B (#b, 1 lines)\n"
    outline = f"status: ok\nversion: 1\nmode: outline\n\n{tree}"
    found = list(leads(FetchArguments("/a.md"), outline, "when is low tide?"))
    assert found[0] == FetchArguments("/a.md#low-tide")
    assert len(found) == 2
    assert list(leads(FetchArguments("/a.md"), "status: ok\n\n- A (#a, 9 lines)\n", "a")) == []


def question(*gold: Gold, category: str = "direct") -> Question:
    return Question("q", "How long does a tide pedal take to rise?", category, gold)


SEEN = Gold("/genres/tidewave.md", "it needs six minutes to rise and six to fall")
UNSEEN = Gold("/bands/todaimori.md", "a quote that nobody wrote")


@pytest.mark.proves("EV10")
async def test_a_reader_stops_as_soon_as_it_has_seen_all(music_desk: Desk) -> None:
    one = question(SEEN)
    reader = Reader(music_desk, one)
    await reader.read(LookupArguments(one.text, budget=1500))
    assert (reader.done, reader.calls) == (True, 1)
    bare = Reader(music_desk, one)
    await bare.read(LookupArguments(one.text))
    assert bare.done
    assert bare.calls == 2  # the table, whose snippets are no evidence, and the first row


@pytest.mark.proves("EV10")
async def test_a_reader_gives_up_after_six_calls_and_has_paid_for_all_of_them(music_desk: Desk) -> None:
    one = question(SEEN, UNSEEN)
    reader = Reader(music_desk, one)
    await reader.read(LookupArguments(one.text, budget=300))
    assert (reader.done, reader.calls) == (False, MOST_CALLS)
    assert reader.tokens > 300


@pytest.mark.proves("EV10")
async def test_policies_differ_in_how_they_begin(music_desk: Desk) -> None:
    questions = [question(SEEN), Question("l", "tide pedal tidewave", "lineage", (SEEN,))]
    reads = await read_all(music_desk, questions, POLICIES, 1500, lambda: None)
    spent = {(read.policy, read.category): (read.calls, read.tokens) for read in reads}
    (small,) = await read_all(music_desk, questions[:1], ["budget-first"], 500, lambda: None)
    assert spent["mixed", "direct"] == (small.calls, small.tokens)
    assert spent["mixed", "lineage"] == spent["budget-first", "lineage"]
    assert spent["section-first", "direct"] != spent["budget-first", "direct"]
    summed = {(one.policy, one.category): one for one in costs(reads)}
    assert summed["mixed", "all"].questions == 2
    direct, lineage = summed["mixed", "direct"], summed["mixed", "lineage"]
    assert summed["mixed", "all"].per_supported == pytest.approx((direct.tokens + lineage.tokens) / 2)


@pytest.mark.proves("EV10")
def test_the_command_names_the_policies_that_there_are(repo: Path) -> None:
    from mark_server.evidence.command import _POLICIES

    assert tuple(_POLICIES) == POLICIES == tuple(prompts)
    page = (repo / "docs" / "evidence.md").read_text("utf-8")
    assert all(f"`{policy}`" in page for policy in POLICIES)
