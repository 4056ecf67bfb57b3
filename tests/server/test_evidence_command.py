"""`marklookup eval` as a person runs it: tables, reports, misses, comparisons, and what wrong files bring."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mark_expand import Entry
from mark_server.cli import main
from mark_server.evidence.errors import Taken
from mark_server.evidence.files import write_new
from mark_server.evidence.fingerprints import corpus
from mark_server.evidence.misses import told
from tests.server.web import environment

Evaluate = Callable[..., Result]
BUDGETS = "--budgets=300,1000"
GOLD = {"path": "/a.md", "quote": "x"}


@pytest.fixture
def questions(fixtures: Path, tmp_path: Path) -> Path:
    """The questions about the decisions world."""
    lines = (fixtures / "questions.jsonl").read_text("utf-8").splitlines()
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines if '"world": "decisions"' in line), "utf-8")
    return file


@pytest.fixture
def evaluate(place: Path) -> Evaluate:
    """Run `marklookup eval` in this process."""

    def run(*arguments: object) -> Result:
        words = ["eval", *map(str, arguments), "--data", str(place / "data")]
        return CliRunner().invoke(main, words)

    return run


def reported(evaluate: Evaluate, *arguments: object) -> Any:
    result = evaluate(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.proves("EV2")
def test_a_run_measures_in_tokens_and_in_bytes_and_by_category(
    evaluate: Evaluate, questions: Path, fixtures: Path
) -> None:
    run = reported(evaluate, questions, fixtures / "decisions", BUDGETS)
    whole = {(one["unit"], one["budget"]): one for one in run["figures"] if one["category"] == "all"}
    assert set(whole) == {(unit, budget) for unit in ("o200k_base", "bytes") for budget in (300, 1000)}
    for unit in ("o200k_base", "bytes"):
        small, large = whole[unit, 300], whole[unit, 1000]
        assert 0 < small["all_gold"] < large["all_gold"] <= 1
        assert small["citable"] == small["evidence"] > 0
        assert 0 < small["distractors"] < 1
        assert small["tokens"] <= 300
        assert small["over_budget"] == 0
        assert large["hops"] > 0
        assert 1 <= large["calls"] <= small["calls"] <= 6
    categories = {one["category"] for one in run["figures"]}
    assert categories == {"all", "dependency", "direct", "lineage", "multi-hop", "supersession"}
    assert sum(one["hops"] > 0 for one in run["answers"] if one["unit"] == "bytes") > 0


@pytest.mark.proves("EV2")
def test_the_table_names_every_measure_and_category(
    evaluate: Evaluate, questions: Path, fixtures: Path
) -> None:
    result = evaluate(questions, fixtures / "decisions", BUDGETS, "--encoding=bytes")
    assert result.exit_code == 0, result.stderr
    for word in (
        "all-gold",
        "evidence",
        "citable",
        "per supported",
        "distractors",
        "calls",
        "hops",
        "lineage",
    ):
        assert word in result.stdout
    assert "o200k_base" not in result.stdout
    assert "eval: bytes: 26 calls" in result.stderr


@pytest.mark.proves("EV6")
def test_every_missing_quote_has_a_reason_that_the_trace_bears_out(
    evaluate: Evaluate, questions: Path, fixtures: Path
) -> None:
    run = reported(evaluate, questions, fixtures / "decisions", BUDGETS, "--misses", "--encoding=bytes")
    for answer in run["answers"]:
        assert len(answer["misses"]) == answer["gold"] - answer["met"]
    found = {miss["reason"] for answer in run["answers"] for miss in answer["misses"]}
    assert found >= {"did not fit", "not ranked", "hop not taken"}
    text = evaluate(questions, fixtures / "decisions", BUDGETS, "--misses", "--encoding=bytes").stdout
    assert "missing at 300 (bytes): not ranked" in text


def asked(evaluate: Evaluate, folder: Path, gold: dict[str, str], *options: str) -> dict[str, Any]:
    file = folder.parent / "asked.jsonl"
    row = {"question": "Which heron nests at the weir?", "gold": [gold]}
    file.write_text(json.dumps(row) + "\n", "utf-8")
    run = reported(evaluate, file, folder, "--misses", "--encoding=bytes", *options)
    (answer,) = run["answers"]
    (miss,) = answer["misses"]
    assert isinstance(miss, dict)
    return miss


# What is too large is listed, or a window of it would be printed.
LISTED = ("--budgets=260", "--set=oversized=list")


@pytest.mark.proves("EV6")
def test_each_kind_of_miss_is_told_from_the_others(evaluate: Evaluate, tmp_path: Path) -> None:
    folder = tmp_path / "marsh"
    folder.mkdir()
    filler = "Reeds and rushes grow along the bank without end.\n" * 60
    matter = "---\nrel-see: /pike.md, /eel.md, /carp.md, /tench.md\n---\n"
    nest = "# Heron\n\nThe heron nests at the weir.\n\n## Food\n\nIt eats at dusk.\n\n"
    (folder / "heron.md").write_text(f"{matter}{nest}## Winter\n\n{filler}", "utf-8")
    for name in ("pike", "eel", "carp", "tench"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nA fish called {name}.\n", "utf-8")
    stork = f"# Stork\n\nNo relation.\n\n## Weir heron nests\n\n{filler}Tall.\n"
    (folder / "stork.md").write_text(stork, "utf-8")
    few = {"fit": "4", "section": "1", "hop": "1"}
    gold = {
        "fit": {"path": "/stork.md", "quote": "Tall."},
        "section": {"path": "/heron.md", "quote": "It eats at dusk."},
        "hop": {"path": "/tench.md", "quote": "A fish called tench."},
    }
    tell = {
        name: asked(evaluate, folder, one, *LISTED, f"--set=limit={few[name]}") for name, one in gold.items()
    }
    assert tell["fit"]["reason"] == "did not fit"
    assert "/stork.md/v1#weir-heron-nests" in tell["fit"]["detail"]
    assert tell["section"]["reason"] == "wrong section"
    assert tell["hop"]["reason"] == "hop not taken"
    (folder / "lone.md").write_text("# Lone\n\nUnheard of.\n", "utf-8")
    lone = asked(evaluate, folder, {"path": "/lone.md", "quote": "Unheard of."}, "--budgets=260")
    assert (lone["reason"], lone["detail"]) == ("not ranked", "not in 4 rows")


@pytest.mark.proves("EV6")
@pytest.mark.parametrize(
    ("entry", "reason", "detail"),
    [
        (Entry("row", 1, "/a.md#b", "omitted", "budget", "section", 9), "did not fit", "(section, 9 tokens)"),
        (Entry("row", 1, "/a.md", "omitted", "deadline"), "failed", "/a.md (row): deadline"),
        (Entry("row", 2, "/a.md", "covered", "covered", within="/a.md#b"), "covered", " by /a.md#b"),
        (Entry("row", 2, "/a.md#b", "stub", "duplicate", within="/c.md#b"), "covered", " by /c.md#b"),
        (Entry("row", 1, "/a.md", "printed", kind="opening"), "wrong section", "in part: /a.md (opening)"),
        (Entry("row", 1, "/a.md", "failed", "not_found"), "failed", "/a.md (row): not_found"),
        (Entry("related", 1, "/a.md", "omitted", "budget"), "did not fit", "/a.md (related)"),
        (Entry("related", 1, "/a.md", "skipped", "is_row"), "hop not taken", "/a.md (related): is_row"),
    ],
)
def test_what_became_of_a_candidate_is_the_reason(entry: Entry, reason: str, detail: str) -> None:
    found, told_of = told(entry)
    assert found == reason
    assert detail in told_of


@pytest.mark.proves("EV10")
def test_reader_policies_are_measured_beside_the_lookups(
    evaluate: Evaluate, questions: Path, fixtures: Path
) -> None:
    policies = ("--reader=section-first", "--reader=mixed", "--reader-budget=900")
    run = reported(evaluate, questions, fixtures / "decisions", "--budgets=300", *policies)
    assert len(run["reads"]) == 26
    whole = {one["policy"]: one for one in run["policies"] if one["category"] == "all"}
    assert set(whole) == {"section-first", "mixed"}
    assert whole["mixed"]["supported"] > whole["section-first"]["supported"] > 0
    assert {one["budget"] for one in run["policies"]} == {900}
    text = evaluate(questions, fixtures / "decisions", "--budgets=300", *policies).stdout
    assert f"| mixed         | all          | 13 | {whole['mixed']['supported']:.3f}" in text


@pytest.mark.proves("EV4")
def test_evidence_that_no_lookup_can_find_is_said_and_counted_as_missing(
    evaluate: Evaluate, fixtures: Path, tmp_path: Path
) -> None:
    file = tmp_path / "q.jsonl"
    gold = [{"path": "/adr/0001-branch-clock.md", "quote": "never written"}, {"path": "/no.md", "quote": "x"}]
    file.write_text(json.dumps({"id": "q1", "question": "clock", "gold": gold}) + "\n", "utf-8")
    result = evaluate(file, fixtures / "decisions", "--budgets=500", "--misses", "--encoding=bytes")
    assert result.exit_code == 0
    assert result.stderr.count("warning: q1: ") == 2
    assert "missing at 500 (bytes): failed 2" in result.stdout


@pytest.mark.proves("EV4")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is no JSON: Expecting property name"),
        ("[]", "must be a JSON object"),
        ("{}", "question must be a text that is not empty"),
        ('{"question": " "}', "question must be a text that is not empty"),
        ('{"question": "q"}', 'gold must be a list of at least one {"path": …, "quote": …}'),
        ('{"question": "q", "gold": []}', "gold must be a list"),
        ('{"question": "q", "gold": ["x"]}', "gold 1 must be an object with path and quote"),
        ('{"question": "q", "gold": [{"path": "/a.md"}]}', "gold 1: quote must be a text"),
        ('{"question": "q", "gold": [{"path": "a.md", "quote": "x"}]}', "gold 1: path must start with /"),
        (
            '{"question": "q", "gold": [{"path": "/a", "quote": "x", "targets": "/b"}]}',
            "targets must be a list",
        ),
        ('{"id": [1], "question": "q", "gold": [{"path": "/a", "quote": "x"}]}', "id must be a text"),
        ('{"id": "ok", "question": "q", "gold": [{"path": "/a", "quote": "x"}]}', "was used in line 1"),
        ("[" * 100_000, "is no JSON"),
        (json.dumps({"question": "q" * 20_001, "gold": [GOLD]}), "question: query must be at most 20000"),
    ],
)
def test_a_wrong_questions_file_is_one_line_with_file_and_line(
    evaluate: Evaluate, fixtures: Path, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "q.jsonl"
    good = '{"id": "ok", "question": "q", "gold": [{"path": "/a", "quote": "x"}]}'
    file.write_text(f"{good}\n\n{line}\n", "utf-8")
    result = evaluate(file, fixtures / "decisions")
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert f"{file}:3: " in result.stderr
    assert said in result.stderr


@pytest.mark.proves("EV4")
def test_a_file_that_is_no_questions_file_at_all_is_one_line(
    evaluate: Evaluate, fixtures: Path, tmp_path: Path
) -> None:
    empty, binary = tmp_path / "empty.jsonl", tmp_path / "binary.jsonl"
    empty.write_text("\n", "utf-8")
    binary.write_bytes(b"\xff\xfe\x00")
    for file, said in ((empty, "holds no question"), (binary, "is not UTF-8"), (tmp_path, "directory")):
        result = evaluate(file, fixtures / "decisions")
        assert result.exit_code == 1
        assert said in result.stderr
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.proves("EV5")
def test_a_report_says_what_it_was_made_of_and_is_never_overwritten(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run.json"
    arguments = (questions, fixtures / "decisions", "--budgets=300", "--encoding=bytes", "--out", out)
    assert evaluate(*arguments).exit_code == 0
    kept = out.read_bytes()
    run = json.loads(kept)
    for name in ("code", "corpus", "questions", "tools"):
        assert len(run[name]) == 64
    assert run["setting"] == {}
    astray = evaluate(*arguments[:-1], tmp_path / "no" / "run.json")
    assert "its folder does not exist" in astray.stderr
    again = evaluate(*arguments)
    assert again.exit_code == 1
    assert "exists and is not overwritten" in again.stderr
    assert "eval:" not in again.stderr  # said before the work, not after it
    assert out.read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.proves("EV5")
def test_a_file_that_appears_meanwhile_is_not_overwritten_either(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text("theirs", "utf-8")
    with pytest.raises(Taken):
        write_new(file, b"ours")
    assert file.read_text("utf-8") == "theirs"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.proves("EV5")
def test_two_results_in_one_file_are_refused_before_the_work(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path
) -> None:
    file = tmp_path / "both.svg"
    result = evaluate(questions, fixtures / "decisions", "--plot", file, "--record", file)
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "is named twice" in result.stderr


@pytest.mark.proves("EV5")
def test_another_corpus_has_another_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one", "utf-8")
    first = corpus(tmp_path)
    (tmp_path / "notes.txt").write_text("not read", "utf-8")
    assert corpus(tmp_path) == first
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    second = corpus(tmp_path)
    (tmp_path / "b.md").write_text("two", "utf-8")
    assert len({first, second, corpus(tmp_path)}) == 3
    assert corpus(tmp_path / "b.md") == ""


@pytest.mark.proves("EV5")
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child")
def test_an_interrupted_run_leaves_no_report(
    questions: Path, fixtures: Path, tmp_path: Path, place: Path
) -> None:
    out = tmp_path / "run.json"
    budgets = ",".join(str(budget) for budget in range(300, 1500))
    command = [sys.executable, "-m", "mark_server", "eval", str(questions), str(fixtures / "decisions")]
    with subprocess.Popen(
        [*command, "--budgets", budgets, "--out", str(out)],
        env=environment(place / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        while b"calls" not in process.stderr.readline():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["questions.jsonl"]


@pytest.mark.proves("EV7")
def test_two_reports_are_compared_question_by_question(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    folder = fixtures / "decisions"
    evaluate(questions, folder, "--budgets=500", "--encoding=bytes", "--out", one)
    evaluate(questions, folder, "--budgets=500", "--encoding=bytes", "--set=match=catalog", "--out", two)
    kept = {name: json.loads(file.read_text("utf-8")) for name, file in (("A", one), ("B", two))}
    full = {
        name: {answer["id"] for answer in run["answers"] if answer["met"] == answer["gold"]}
        for name, run in kept.items()
    }
    (difference,) = json.loads(evaluate("--compare", one, two, "--json").stdout)
    assert {change["id"] for change in difference["lost"]} == full["A"] - full["B"] != set()
    assert {change["id"] for change in difference["gained"]} == full["B"] - full["A"]
    assert (difference["before"], difference["after"]) == (len(full["A"]), len(full["B"]))
    text = evaluate("--compare", two, one).stdout
    assert all(f"+ bytes 500 {name} " in text for name in full["A"] - full["B"])
    assert "match=catalog" in text


@pytest.mark.proves("EV7")
def test_what_cannot_be_compared_is_said(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path
) -> None:
    one, two, other, wrong = (tmp_path / f"{name}.json" for name in ("one", "two", "other", "wrong"))
    evaluate(questions, fixtures / "decisions", "--budgets=300", "--encoding=bytes", "--out", one)
    questions.write_text("\n".join(questions.read_text("utf-8").splitlines()[:3]), "utf-8")
    evaluate(questions, fixtures / "decisions", "--budgets=300", "--encoding=bytes", "--out", two)
    partly = evaluate("--compare", one, two)
    assert "different questions" in partly.stderr
    assert "10 answers are in one of the reports only" in partly.stderr
    evaluate(questions, fixtures / "decisions", "--budgets=400", "--encoding=bytes", "--out", other)
    nothing = evaluate("--compare", one, other)
    assert nothing.exit_code == 1
    assert "have no question, unit and budget in common" in nothing.stderr
    for content, said in (
        ("{", "is no JSON report"),
        ("{}", "no report of this format"),
        ('{"format": 1}', "missing"),
    ):
        wrong.write_text(content, "utf-8")
        result = evaluate("--compare", one, wrong)
        assert result.exit_code == 1
        assert said in result.stderr


@pytest.mark.proves("EV8")
def test_two_settings_are_run_and_compared_in_one_go(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path
) -> None:
    out = tmp_path / "both.json"
    result = evaluate(
        *(questions, fixtures / "decisions", "--budgets=1000", "--encoding=bytes", "--out", out),
        *("--set=detail=excerpts", "--against=detail=sections", "--against=oversized=excerpt"),
    )
    assert result.exit_code == 0, result.stderr
    assert "A: detail=excerpts\nB: detail=sections, oversized=excerpt\n" in result.stdout
    first, second = json.loads(out.read_text("utf-8"))["runs"]
    assert first["setting"] == {"detail": "excerpts"}
    assert second["setting"] == {"detail": "sections", "oversized": "excerpt"}
    assert [one["tokens"] for one in first["answers"]] != [one["tokens"] for one in second["answers"]]
    assert "several runs" in evaluate("--compare", out, out).stderr


@pytest.mark.proves("EV8")
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--set=detail=all", "detail must be sections, excerpts or full, got all"),
        ("--set=budget=3", "a setting must be NAME=VALUE, got budget=3; the names are url"),
        ("--set=limit", "a setting must be NAME=VALUE, got limit"),
        ("--against=oversized=no", "oversized must be list or excerpt, got no"),
        ("--against=page=x", "page must be a whole number of tokens from 300 to 3000, got x"),
        ("--against=page=5", "page must be a whole number of tokens from 300 to 3000, got 5"),
        ("--budgets=0", "--budgets must be whole numbers from 1 on, divided by commas, got 0"),
        ("--budgets=1;2", "--budgets must be whole numbers"),
    ],
)
def test_a_wrong_setting_is_one_line_and_asks_nothing(
    evaluate: Evaluate, questions: Path, fixtures: Path, option: str, said: str
) -> None:
    result = evaluate(questions, fixtures / "decisions", option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.proves("EV9")
@pytest.mark.parametrize(("suffix", "starts"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_recall_against_budget_is_drawn(
    evaluate: Evaluate, questions: Path, fixtures: Path, tmp_path: Path, suffix: str, starts: bytes
) -> None:
    picture = tmp_path / f"recall.{suffix}"
    result = evaluate(questions, fixtures / "decisions", BUDGETS, "--plot", picture)
    assert result.exit_code == 0, result.stderr
    assert picture.read_bytes().startswith(starts)
    assert picture.stat().st_size > 5000


@pytest.mark.proves("EV9")
def test_without_the_library_a_plot_is_one_line_before_any_work(
    questions: Path, fixtures: Path, tmp_path: Path, place: Path
) -> None:
    hidden = "import sys; sys.modules['matplotlib'] = None; from mark_server.cli import main; main()"
    words = ["eval", str(questions), str(fixtures / "decisions"), "--plot", str(tmp_path / "a.png")]
    done = subprocess.run(
        [sys.executable, "-c", hidden, *words],
        env=environment(place / "data"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert (
        done.stderr.decode()
        == "marklookup: --plot needs matplotlib; install it with the extra: marklookup[plot]\n"
    )
    assert not (tmp_path / "a.png").exists()


@pytest.mark.proves("EV9")
def test_another_kind_of_picture_is_one_line(evaluate: Evaluate, questions: Path, fixtures: Path) -> None:
    result = evaluate(questions, fixtures / "decisions", "--plot", "recall.pdf")
    assert (result.exit_code, result.stderr) == (1, "marklookup: recall.pdf: a plot is a .png or a .svg\n")


@pytest.mark.proves("EV4")
@pytest.mark.parametrize(
    "words",
    [[], ["questions.jsonl"], ["--replay", "x.jsonl"], ["--replay", "x.jsonl", "docs", "--build", "a"]],
)
def test_what_is_not_enough_to_go_on_is_wrong_usage(evaluate: Evaluate, words: list[str]) -> None:
    assert evaluate(*words).exit_code == 2
