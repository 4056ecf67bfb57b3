"""Runs `marklookup eval`: opens the store once per unit, asks, prints, and writes what was asked for.

Options and help are `command`'s, the work is done by the modules beside this one.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from mark_outline import counter
from mark_server.checks import ArgumentError
from mark_server.choosing import check_policy
from mark_server.evidence.choices import Choice, arguments_of, choose
from mark_server.evidence.comparison import compare, unmatched
from mark_server.evidence.contest import contestants
from mark_server.evidence.errors import BadBuild, BadFile, BadLine, NoPlot, Taken, explain
from mark_server.evidence.files import claim, write_new
from mark_server.evidence.making import UNITS, Making, make_run
from mark_server.evidence.places import placed
from mark_server.evidence.plot import check_plot, plot
from mark_server.evidence.policies import costs
from mark_server.evidence.progress import Progress
from mark_server.evidence.questions import Question, read_questions
from mark_server.evidence.recorded import read_calls, record
from mark_server.evidence.replayed import Build, compared
from mark_server.evidence.report import Run, read_run, to_json
from mark_server.evidence.tables import (
    contest_lines,
    difference_lines,
    miss_lines,
    policy_lines,
    replay_lines,
    run_lines,
)
from mark_server.running import run, settings_of
from mark_server.settings import Settings
from mark_server.terminal import fail, put, warn

_Given = Mapping[str, Any]
_Made = TypeVar("_Made")


def run_evaluation(file: Path, folder: str | None, given: _Given, *, both_units: bool) -> None:
    """Ask the questions of a file, print the table; write report, plot and recorded calls where wanted."""
    budgets = _guarded(lambda: _budgets(given["budgets"]))
    questions = _guarded(lambda: _prepared(file, given))
    making = Making(
        units=UNITS if both_units else (given["encoding"],),
        budgets=budgets,
        misses=given["misses"],
        policies=given["readers"],
        reader_budget=given["reader_budget"],
    )

    async def all_runs() -> list[Run]:
        chosen = _choices(settings_of(folder, dict(given), patience=math.inf), given)
        names = [mount.name for mount in chosen[0].settings.stores]
        whole = _guarded(lambda: placed(file, questions, names))
        return [await make_run(making, choice, file, whole) for choice in chosen]

    runs = run(all_runs)
    put(to_json(runs) if given["as_json"] else _text(runs, given))
    _guarded(lambda: _write(runs, questions, budgets, given))


def _choices(settings: Settings, given: _Given) -> list[Choice]:
    first = choose(given["pairs"], settings)
    if given["policies"] is not None:
        return contestants(given["policies"], first)
    chosen = [first]
    if given["against"]:
        chosen.append(choose([*given["pairs"], *given["against"]], settings))
    for choice in chosen:
        check_policy(choice.settings)
    return chosen


def compare_reports(first: Path, second: Path, *, as_json: bool) -> None:
    """Print what the second of two reports gained and lost."""
    before, after = _guarded(lambda: (read_run(first), read_run(second)))
    for name in ("corpus", "questions"):
        if getattr(before.fingerprints, name) != getattr(after.fingerprints, name):
            warn(f"warning: the two runs have different {name}")
    if alone := unmatched(before.answers, after.answers):
        warn(f"warning: {alone} answers are in one of the reports only and are not compared")
    differences = compare(before.answers, after.answers)
    if not differences:
        fail(f"{first} and {second} have no question, unit and budget in common")
    names = (f"{first.name} ({before.name})", f"{second.name} ({after.name})")
    if as_json:
        put(json.dumps([asdict(one) for one in differences], ensure_ascii=False, indent=1) + "\n")
    else:
        put(_joined(difference_lines(differences, names)))


def replay_calls(file: Path, folder: Path, given: _Given) -> None:
    """Make recorded calls through two builds and print where their answers differ."""
    from mark_server.evidence.replay import replay  # noqa: PLC0415 - the SDK takes half a second

    calls = _guarded(lambda: read_calls(file))
    _guarded(lambda: claim(_named(given, "out")))
    unit = counter(given["encoding"])

    async def both() -> list[Build]:
        with tempfile.TemporaryDirectory(prefix="marklookup-replay-") as place:
            made = []
            for number, build in enumerate(given["builds"]):
                with Progress(f"build {number + 1}", len(calls)) as progress:
                    made.append(
                        await replay(build, calls, folder, Path(place) / str(number), unit, progress.step)
                    )
            return made

    first, second = _guarded(lambda: run(both))
    pairs = compared(calls, first, second)
    value = {
        "builds": [{"command": b.command, "version": b.version, "tools": b.tools} for b in (first, second)],
        "calls": [asdict(one) for one in pairs],
    }
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    if given["out"]:
        _guarded(lambda: write_new(given["out"], text.encode()))
    put(text if given["as_json"] else _joined(replay_lines(pairs, first, second)))


def _prepared(file: Path, given: _Given) -> tuple[Question, ...]:
    """Read the questions, and see before any work that all of it can be kept."""
    if given["plot"]:
        check_plot(given["plot"])
    claim(_named(given, "out", "plot", "record"))
    return read_questions(file)


def _named(given: _Given, *names: str) -> list[Path]:
    return [given[name] for name in names if given[name]]


def _budgets(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.strip().isascii() and word.strip().isdigit() and int(word) for word in words):
        raise ArgumentError(f"--budgets must be whole numbers from 1 on, divided by commas, got {text}")
    return sorted({int(word) for word in words})


def _text(runs: Sequence[Run], given: _Given) -> str:
    lines: list[str] = []
    if given["policies"] is not None:
        lines += contest_lines(runs)
    for made in runs:
        if len(runs) > 1:
            lines += [f"Setting: {made.name}", ""]
        lines += run_lines(made.answers)
        if made.reads:
            lines += policy_lines(costs(made.reads))
        if given["misses"]:
            lines += miss_lines(made.answers)
    if given["against"]:
        first, second = runs
        lines += difference_lines(compare(first.answers, second.answers), (first.name, second.name))
    return _joined(lines)


def _write(runs: Sequence[Run], questions: Sequence[Question], budgets: Sequence[int], given: _Given) -> None:
    if given["out"]:
        write_new(given["out"], to_json(runs).encode("utf-8", "replace"))
    if given["plot"]:
        kind = given["plot"].suffix.lower().removeprefix(".")
        write_new(given["plot"], plot([(made.name, made.answers) for made in runs], kind))
    if given["record"]:
        lines = "".join(record(questions, budgets, arguments_of(runs[0].setting)))
        write_new(given["record"], lines.encode("utf-8", "replace"))


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _guarded(action: Callable[[], _Made]) -> _Made:
    """Do something whose errors are one line for the person who asked (exit code 1; 2: a wrong argument)."""
    try:
        return action()
    except (BadLine, BadFile, Taken, NoPlot, BadBuild) as error:
        fail(explain(error))
    except ArgumentError as error:
        fail(str(error), 2)
