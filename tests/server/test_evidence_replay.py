"""Recorded calls through two builds, each a spawned server behind a real client."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mark_server.cli import main

Replay = Callable[..., Result]

OTHER = """\
import os
os.environ["MARKLOOKUP_ENCODING"] = "bytes"
from mark_server.cli import main
main()
"""
DEAD = """\
import sys
if "serve" in sys.argv:
    sys.exit(3)
from mark_server.cli import main
main()
"""


@pytest.fixture
def calls(fixtures: Path, tmp_path: Path, place: Path) -> Path:
    """Recorded lookups over the decisions world, and calls of other tools added by hand."""
    lines = (fixtures / "questions.jsonl").read_text("utf-8").splitlines()
    asked = [line for line in lines if '"world": "decisions"' in line][:4]
    (tmp_path / "q.jsonl").write_text("\n".join(asked), "utf-8")
    file = tmp_path / "calls.jsonl"
    words = ["eval", str(tmp_path / "q.jsonl"), str(fixtures / "decisions"), "--record", str(file)]
    result = CliRunner().invoke(
        main, [*words, "--budgets=200,300", "--encoding=bytes", "--data", str(place / "data")]
    )
    assert result.exit_code == 0, result.stderr
    fetch = {"tool": "mark_fetch", "arguments": {"url": "/adr/0001-branch-clock.md#decision"}}
    gold = [{"path": "/adr/0001-branch-clock.md", "quote": "more than five seconds off"}]
    others = [{"id": "fetch", **fetch, "gold": gold}, {"tool": "mark_list"}, {"tool": "no_such_tool"}]
    with file.open("a", encoding="utf-8") as opened:
        opened.writelines(json.dumps(one) + "\n" for one in others)
    return file


@pytest.fixture
def replay(fixtures: Path) -> Replay:
    """Replay over the decisions world."""

    def run(calls: Path, *builds: str, options: tuple[str, ...] = ("--json",)) -> Result:
        named = [word for build in builds for word in ("--build", build)]
        words = ["eval", "--replay", str(calls), str(fixtures / "decisions"), *named, *options]
        return CliRunner().invoke(main, words)

    return run


@pytest.mark.proves("EV11")
def test_a_build_answers_as_itself_and_another_build_differs(
    replay: Replay, calls: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.py").write_text(OTHER, "utf-8")
    same = json.loads(replay(calls, sys.executable, f"{sys.executable} -m mark_server").stdout)
    assert [one["same"] for one in same["calls"]] == [True] * 11
    assert same["builds"][0]["version"].startswith("marklookup ")
    assert len(same["builds"][0]["tools"]) == 64
    fetched = same["calls"][8]
    assert (fetched["id"], fetched["gold"], fetched["met"]) == ("fetch", 1, [1, 1])
    assert same["calls"][10]["errors"] == [True, True]
    out = tmp_path / "replay.json"
    result = replay(
        calls, sys.executable, f"{sys.executable} {tmp_path / 'other.py'}", options=("--out", str(out))
    )
    made = json.loads(out.read_text("utf-8"))
    differing = [one for one in made["calls"] if not one["same"]]
    assert {one["tool"] for one in differing} == {"mark_lookup"}
    assert f"11 calls: {11 - len(differing)} same bytes, {len(differing)} different" in result.stdout
    assert all(one["tokens"][0] > 0 for one in differing)


@pytest.mark.proves("EV11")
def test_a_build_that_does_not_answer_is_one_line(replay: Replay, calls: Path, tmp_path: Path) -> None:
    (tmp_path / "dead.py").write_text(DEAD, "utf-8")
    dead = f"{sys.executable} {tmp_path / 'dead.py'}"
    for build, said in (
        (dead, "its server ended before the last call, or fell silent"),
        (f"{sys.executable} -c 1/0", "ZeroDivisionError"),
        (str(tmp_path / "nowhere"), "No such file"),
        ("", "names no program"),
    ):
        result = replay(calls, build, sys.executable)
        assert (result.exit_code, result.stdout) == (1, "")
        (_, line) = result.stderr.splitlines()
        assert line.startswith(f"marklookup: build {build!r}: ")
        assert said in line


@pytest.mark.proves("EV11")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"arguments": {}}', "tool must be the name of a tool"),
        ('{"tool": "mark_list", "arguments": []}', "arguments must be an object"),
        ('{"tool": "mark_list", "gold": [{}]}', "gold 1: path must be a text"),
    ],
)
def test_a_wrong_line_of_recorded_calls_is_named(
    replay: Replay, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text(f'{{"tool": "mark_list"}}\n{line}\n', "utf-8")
    result = replay(file, "a", "b")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"marklookup: {file}:2: ")
    assert said in result.stderr
