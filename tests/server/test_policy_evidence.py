"""`marklookup eval` over several stores: policies beside each other, and what tokens are worth."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mark_outline import counter
from mark_server.cli import main
from mark_server.evidence.judging import Reading
from mark_server.evidence.questions import Gold

WEIR = "The heron nests at the weir in April."
POLICIES = ["rank", "knapsack", "slots", "everything"]


@dataclass(frozen=True, slots=True)
class World:
    """Two stores and a settings file: `birds` knows about herons, `rivers` only mentions weirs."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "marklookup.toml"

    def configure(self, *lines: str, birds: str = "birds") -> None:
        stores = ["[stores.rivers]", 'address = "rivers"', "[stores.birds]", f'address = "{birds}"']
        self.config.write_text("\n".join([*lines, *stores]) + "\n", "utf-8")

    def ask(self, *gold: dict[str, Any], **others: str) -> Path:
        row = {"id": "q", "question": "When does the heron nest at the weir?", "gold": gold, **others}
        file = self.folder / "questions.jsonl"
        file.write_text(json.dumps(row) + "\n", "utf-8")
        return file

    def evaluate(self, *arguments: object) -> Result:
        words = ["--encoding=bytes", "--data", str(self.folder / "data")]
        return CliRunner().invoke(main, ["eval", *map(str, arguments), *words])

    def reported(self, *arguments: object) -> Any:
        result = self.evaluate(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def world(tmp_path: Path) -> World:
    pages = {
        "birds/heron.md": f"# Heron\n\n{WEIR}\n",
        "birds/old.md": "---\nstatus: superseded\n---\n# Old list\n\nHeron nest at the weir, perhaps.\n",
        "rivers/weir.md": "# Weir\n\n" + "The weir is old. " * 12 + "\n",
        "rivers/lock.md": "# Lock\n\nBelow the weir is a lock.\n",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    made = World(tmp_path)
    made.configure()
    return made


@pytest.mark.proves("PE1")
@pytest.mark.parametrize(
    ("path", "others"),
    [("mark://birds/heron.md", {}), ("/heron.md", {"store": "birds"})],
)
def test_gold_among_several_stores_is_found_by_its_whole_path(
    world: World, path: str, others: dict[str, str]
) -> None:
    file = world.ask({"path": path, "quote": WEIR}, **others)
    run = world.reported(file, "--config", world.config, "--budgets=400")
    (answer,) = run["answers"]
    assert (answer["gold"], answer["met"], answer["cited"]) == (1, 1, 1)
    assert set(run["stores"]) == {"birds", "rivers"}
    assert run["stores"]["birds"]["weight"] == 1


@pytest.mark.proves("PE1")
@pytest.mark.parametrize(
    ("path", "others", "problem"),
    [
        ("/heron.md", {}, "q: the path /heron.md is bare, and the question has no store"),
        ("/heron.md", {"store": "fish"}, "q: the path /heron.md names the store 'fish'"),
        ("mark://fish/heron.md", {"store": "birds"}, "names the store 'fish'; the stores are rivers, birds"),
        ("/heron.md", {"store": ""}, "questions.jsonl:1: store must be a text that is not empty"),
    ],
)
def test_gold_of_no_store_is_one_line(world: World, path: str, others: dict[str, str], problem: str) -> None:
    result = world.evaluate(world.ask({"path": path, "quote": WEIR}, **others), "--config", world.config)
    assert result.exit_code == 1
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.proves("PE1")
def test_one_folder_takes_no_notice_of_the_store_of_a_question(world: World) -> None:
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    run = world.reported(file, world.folder / "birds", "--budgets=400")
    assert (run["answers"][0]["met"], run["stores"]) == (1, {})


@pytest.mark.proves("PE2")
def test_without_a_folder_the_store_of_the_settings_file_is_asked(world: World) -> None:
    world.config.write_text('store = "birds"\n', "utf-8")
    file = world.ask({"path": "/heron.md", "quote": WEIR})
    assert world.reported(file, "--config", world.config, "--budgets=400")["answers"][0]["met"] == 1
    here = Path.cwd()
    os.chdir(world.folder)
    try:
        assert world.reported(file, "--budgets=400")["answers"][0]["met"] == 1
        world.config.unlink()
        assert "or a settings file with a store" in world.evaluate(file).stderr
    finally:
        os.chdir(here)


@pytest.mark.proves("PE2")
def test_a_store_that_cannot_be_opened_ends_the_evaluation(world: World) -> None:
    world.configure(birds="nowhere")
    file = world.ask({"path": "/lock.md", "quote": "Below the weir"}, store="rivers")
    result = world.evaluate(file, "--config", world.config, "--budgets=400")
    assert result.exit_code == 1
    assert "birds: No such file" in result.stderr.splitlines()[-1]
    assert result.stdout == ""


@pytest.mark.proves("PE3")
def test_policies_stand_beside_each_other_over_the_same_questions(world: World) -> None:
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    options = (file, "--config", world.config, "--budgets=150,400", f"--policies={','.join(POLICIES)}")
    runs = world.reported(*options)["runs"]
    assert [run["setting"] for run in runs] == [{"policy": name} for name in POLICIES]
    shares = [run["stores"]["birds"]["share"] for run in runs]
    assert shares == [None, None, "1/2", None]
    for run in runs:
        assert all(one["tokens"] <= one["budget"] for one in run["answers"])
    text = world.evaluate(*options).stdout
    assert "Budget 150 (bytes), 1 questions:" in text
    for name in POLICIES:
        assert f"| policy={name} " in text


@pytest.mark.proves("PE3")
def test_shares_of_the_file_are_those_of_the_slots(world: World) -> None:
    world.configure("[policy]", 'calibration = "joint"', 'name = "knapsack"')
    text = world.config.read_text("utf-8").replace('"birds"', '"birds"\nshare = 0.9')
    world.config.write_text(text, "utf-8")
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    runs = world.reported(file, "--config", world.config, "--budgets=400", "--policies=slots,rank")["runs"]
    assert [run["stores"]["birds"]["share"] for run in runs] == ["9/10", None]
    assert runs[0]["answers"][0]["foreign"] == 0


@pytest.mark.proves("PE3")
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--policies=rank,best"], "--policies must be some of rank, knapsack, slots, everything"),
        (["--policies="], "--policies must be some of"),
        (["--policies=rank", "--against=limit=5"], "--policies and --against exclude each other"),
    ],
)
def test_wrong_policies_are_said_before_anything_is_asked(
    world: World, options: list[str], problem: str
) -> None:
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    result = world.evaluate(file, "--config", world.config, *options)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert "indexing" not in result.stderr


@pytest.mark.proves("PE4")
def test_tokens_are_told_by_what_they_are_worth() -> None:
    blocks = {
        "mark://a/new.md": "Gold stands here.",
        "mark://a/old.md": "Superseded and idle.",
        "mark://b/other.md": "Another store, longer than the others.",
    }
    text = "status: ok\n\n" + "".join(f">>> {path}/v1\n\n{body}\n" for path, body in blocks.items())
    unit = counter("bytes")
    sizes = [len(f">>> {path}/v1\n\n{body}\n".encode()) for path, body in blocks.items()]
    sizes[-1] += 1  # the line after the last line break
    gold = [Gold("mark://a/new.md", "Gold stands")]
    old = frozenset({"mark://a/old.md", "mark://a/new.md"})
    shares = Reading(text).shares(gold, unit, old)
    assert shares.blocks == unit.tokens(sum(sizes))
    assert shares.idle == unit.tokens(sizes[1] + sizes[2])
    assert shares.foreign == unit.tokens(sizes[2])
    assert shares.superseded == unit.tokens(sizes[0] + sizes[1])
    assert shares.stale == unit.tokens(sizes[1])


@pytest.mark.proves("PE4")
def test_superseded_documents_and_other_stores_are_in_the_report(world: World) -> None:
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    run = world.reported(file, "--config", world.config, "--budgets=600")
    (answer,) = run["answers"]
    assert 0 < answer["stale"] == answer["superseded"] < answer["idle"] < answer["blocks"]
    assert 0 < answer["foreign"] < answer["idle"]
    figures = run["figures"][0]
    assert figures["superseded"] == answer["superseded"] / answer["blocks"]
    assert figures["foreign"] == answer["foreign"] / answer["blocks"]
    share = f"{figures['superseded']:.3f} ({figures['stale']:.3f})"
    assert share in world.evaluate(file, "--config", world.config, "--budgets=600").stdout


@pytest.mark.proves("PE4")
def test_a_report_of_an_earlier_build_can_still_be_compared(world: World) -> None:
    file = world.ask({"path": "/heron.md", "quote": WEIR}, store="birds")
    run = world.reported(file, "--config", world.config, "--budgets=600")
    for name in ("foreign", "superseded", "stale"):
        del run["answers"][0][name]
    del run["stores"]
    old, new = world.folder / "old.json", world.folder / "new.json"
    old.write_text(json.dumps(run), "utf-8")
    world.reported(file, "--config", world.config, "--budgets=600", "--out", new)
    result = CliRunner().invoke(main, ["eval", "--compare", str(old), str(new)])
    assert result.exit_code == 0, result.stderr


@pytest.mark.proves("PE6")
@pytest.mark.parametrize("policy", ["rank", "knapsack", "everything"])
def test_a_named_document_of_the_second_store_comes_first(world: World, policy: str) -> None:
    (world.folder / "birds" / "heron.md").write_text("# BIRD 7: Quill tally\n\nCounted in April.\n", "utf-8")
    (world.folder / "rivers" / "weir.md").write_text("# Weir\n\nA tally of what was defined.\n", "utf-8")
    words = ["lookup", "What is defined by Quill tally?", "--budget=300", f"--policy={policy}"]
    more = ["--config", str(world.config), "--data", str(world.folder / "data"), "--encoding=bytes"]
    result = CliRunner().invoke(main, [*words, *more, *(["--truncate"] if policy == "everything" else [])])
    assert result.exit_code == 0, result.stderr
    headers = [line for line in result.stdout.splitlines() if line.startswith(">>> mark:")]
    assert headers[0].startswith(">>> mark://birds/heron.md"), result.stdout


@pytest.mark.proves("PE7")
def test_everything_truncates_where_it_is_told_to(world: World) -> None:
    words = ["lookup", "heron at the weir", "--budget=120", "--policy=everything", "--encoding=bytes"]
    more = ["--config", str(world.config), "--data", str(world.folder / "data")]
    refused = CliRunner().invoke(main, [*words, *more])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "do not fit" in refused.stderr
    printed = CliRunner().invoke(main, [*words, *more, "--truncate"])
    assert printed.exit_code == 0, printed.stderr
    assert len(printed.stdout.encode()) <= 480
    assert ">>> mark://" in printed.stdout
    wrong = CliRunner().invoke(main, [*words[:3], "--policy=rank", "--truncate", *more])
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "truncate must be false with the policy rank" in wrong.stderr
