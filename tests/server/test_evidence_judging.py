"""What counts as evidence, and the measures: on texts made for it, and beside an independent scorer."""

import json
import sys
from pathlib import Path

import anyio
import pytest

from mark_outline import counter, encode
from mark_server.arguments import LookupArguments
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.evidence.answers import Answer
from mark_server.evidence.judging import Reading
from mark_server.evidence.measures import figures
from mark_server.evidence.questions import Gold, read_questions

RESULT = """\
status: ok
matches: 3

| /c.md#cells | A quote in a table row |
>>> related: rel-from /x.md, /y.md

>>> /a%20b.md/v2#one

First  line
goes on here. Needs /x.md and /y.md alike.

>>> related: rel-depends-on /n.md, /m.md; rel-by /o.md

>>> /b.md#two

Unpinned words.

>>> note: the note says /p.md and /q.md
"""


@pytest.mark.proves("EV1")
@pytest.mark.parametrize(
    ("gold", "held", "cited"),
    [
        (Gold("/a b.md", "First line goes\non here."), True, True),
        (Gold("/a%20b.md", "First line"), True, True),
        (Gold("/b.md", "Unpinned words."), True, False),
        (Gold("/b.md", "First line"), False, False),
        (Gold("/c.md", "A quote in a table row"), False, False),
        (Gold("/a b.md", "absent", ("/n.md", "/m.md")), True, True),
        (Gold("/a b.md", "absent", ("/x.md", "/y.md")), True, True),
        (Gold("/a b.md", "absent", ("/n.md", "/x.md")), False, False),
        (Gold("/o.md", "absent", ("/n.md",)), True, True),
        (Gold("/b.md", "absent", ("/p.md", "/q.md")), False, False),
        (Gold("/x.md", "absent", ("/y.md",)), True, True),
        (Gold("/b.md", "absent", ("/c.md",)), False, False),
    ],
)
def test_a_quote_counts_in_its_own_document_and_a_relation_by_its_targets(
    gold: Gold, held: bool, cited: bool
) -> None:
    reading = Reading(RESULT)
    assert (reading.holds(gold), reading.cites(gold)) == (held, cited)


@pytest.mark.proves("EV1")
def test_what_stands_above_the_first_header_may_state_a_relation_but_is_under_no_header() -> None:
    reading = Reading(">>> related: rel-by /a.md to /b.md\n\n>>> /z.md/v1\n\ntext\n")
    gold = Gold("/a.md", "absent", ("/b.md",))
    assert reading.holds(gold)
    assert not reading.cites(gold)


@pytest.mark.proves("EV1")
def test_a_text_without_headers_is_searched_as_a_whole() -> None:
    assert Reading("a foreign tool's  answer").holds(Gold("/any.md", "tool's answer"))


@pytest.mark.proves("EV2")
def test_a_block_without_evidence_is_a_distractor_and_notes_are_not_paid_for() -> None:
    unit = counter("bytes")
    shares = Reading(RESULT).shares([Gold("/a b.md", "First line")], unit)
    blocks = RESULT.index(">>> /a%20b.md"), RESULT.index(">>> /b.md"), RESULT.index(">>> note")
    assert shares.blocks == unit.tokens(len(RESULT[blocks[0] : blocks[2]].encode()) + 1)
    assert shares.idle == unit.tokens(len(RESULT[blocks[1] : blocks[2]].encode()) + 1)


def answer(name: str, category: str, met: int, **others: object) -> Answer:
    given: dict[str, object] = {
        "unit": "bytes",
        "budget": 500,
        "gold": 2,
        "cited": met,
        "tokens": 400,
        "blocks": 300,
        "idle": 100,
        "hops": 0,
        "fetches": 1,
        "milliseconds": 2.0,
        "calls": None,
        **others,
    }
    return Answer(id=name, question=name, category=category, met=met, **given)  # type: ignore[arg-type]  # by name


@pytest.mark.proves("EV2")
def test_the_measures_are_what_the_documentation_says() -> None:
    answers = [
        answer("a", "direct", 2, hops=2, calls=1),
        answer("b", "lineage", 1, cited=0, tokens=600, calls=4),
        answer("c", "lineage", 0, blocks=0, idle=0, tokens=200),
    ]
    whole, direct, lineage = figures(answers)
    assert (whole.category, whole.questions) == ("all", 3)
    assert whole.all_gold == pytest.approx(1 / 3)
    assert whole.evidence == pytest.approx(3 / 6)
    assert whole.citable == pytest.approx(2 / 6)
    assert whole.tokens == pytest.approx(400)
    assert whole.per_supported == pytest.approx(1200)
    assert whole.distractors == pytest.approx(200 / 600)
    assert (whole.calls, whole.reached) == (2.5, 2)
    assert (whole.hops, whole.over_budget) == (1, 1)
    assert (direct.category, direct.all_gold, lineage.per_supported) == ("direct", 1, None)


@pytest.mark.proves("EV12")
@pytest.mark.parametrize("name", ["questions.jsonl", "everyday.jsonl"])
def test_every_gold_quote_of_the_fixtures_is_in_its_document(fixtures: Path, name: str) -> None:
    worlds = [json.loads(line)["world"] for line in (fixtures / name).read_text("utf-8").splitlines()]
    questions = read_questions(fixtures / name)
    assert len(questions) == len(worlds) >= 25
    for world, question in zip(worlds, questions, strict=True):
        for gold in question.gold:
            text = (fixtures / world / gold.path.lstrip("/")).read_text("utf-8")
            assert " ".join(gold.quote.split()) in " ".join(text.split()), question.id


def plain_lines(fixtures: Path) -> list[str]:
    lines = (fixtures / "questions.jsonl").read_text("utf-8").splitlines(keepends=True)
    return [
        line for line in lines if all(encode(one["path"]) == one["path"] for one in json.loads(line)["gold"])
    ]


@pytest.mark.proves("EV3")
async def test_the_figures_are_those_of_an_independent_scorer(
    shared: Path, fixtures: Path, music_desk: Desk, tmp_path: Path
) -> None:
    scorer = shared / "eval" / "evaluate.py"
    if not scorer.is_file():
        pytest.skip("needs ../shared/eval")
    file, results = tmp_path / "questions.jsonl", tmp_path / "results.jsonl"
    # That scorer compares paths as they are printed, so those that are printed encoded are left out.
    file.write_text("".join(line for line in plain_lines(fixtures) if '"world": "music"' in line), "utf-8")
    found: dict[int, list[bool]] = {}
    with results.open("w", encoding="utf-8") as written:
        for question in read_questions(file):
            for budget in (300, 1000):
                text = await call(music_desk, LookupArguments(question.text, budget=budget))
                held = [Reading(text).holds(gold) for gold in question.gold]
                found.setdefault(budget, []).append(all(held))
                written.write(json.dumps({"id": question.id, "budget": budget, "text": text}) + "\n")
    out = tmp_path / "rows.json"
    command = [sys.executable, str(scorer), str(file), "--results", str(results), "--json", str(out)]
    await anyio.run_process(command)
    theirs = {
        row["budget"]: row["all_gold"] for row in json.loads(out.read_text()) if row["category"] == "all"
    }
    ours = {budget: round(sum(full) / len(full), 3) for budget, full in found.items()}
    assert ours == theirs
    assert 0 < ours[300] < ours[1000]
