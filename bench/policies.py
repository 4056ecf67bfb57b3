"""`python -m bench.policies`: what a policy takes over many candidates, beside a package of the same names.

The peer is `astromesh-context` 0.1.0. It is measured in an environment of its own (`build/astromesh`), that
--install makes, and left out where that is not there. Both are given the same texts, three sources and two
budgets, each measurement in a process of its own with a time limit. Times are of one machine in one hour:
good for comparing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

from bench.trees import REPO
from mark_expand import (
    Candidate,
    Everything,
    FixedSlots,
    Near,
    Policy,
    RankOrder,
    ScoredKnapsack,
    SelectionLimits,
    SourceLimits,
)
from mark_outline import counter

SIZES = (100, 1_000, 10_000)
BUDGETS = (4_000, 32_000)
WORDS = 120
NEAR = 0.1
COPIES = 0.05
SOURCES = ("docs", "wiki", "notes")
REPEATS = 9
SECONDS = 180
PEER = "astromesh-context==0.1.0"
PLACE = REPO / "build" / "astromesh"
POLICIES: dict[str, Policy] = {
    "rank": RankOrder(),
    "knapsack": ScoredKnapsack(),
    "slots": FixedSlots(),
    "everything": Everything(truncate=True),
}
PROGRAM = Path(__file__).with_name("policies_peer.py")


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.policies", description="Measure the policies.")
    parser.add_argument(
        "--install", action="store_true", help=f"install {PEER} below build/, to measure it, too"
    )
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, help=f"time limit of a measurement ({SECONDS})"
    )
    parser.add_argument("--ours", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        print(json.dumps(_measure(json.loads(options.ours.read_text(encoding="utf-8")))))
        return
    python = _peer(install=options.install)
    if python is None:
        print("bench: the peer is not installed (--install): left out", file=sys.stderr)
    print("Milliseconds, median (least) of several calls; in brackets those of processor of the median.\n")
    print("| candidates | budget | policy | marklookup | with near=drop | its trace | astromesh-context |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="marklookup-policies-") as place:
        for size in SIZES:
            texts = make_texts(size)
            for budget in BUDGETS:
                for name in POLICIES:
                    file = Path(place) / "input.json"
                    given = {"policy": name, "budget": budget, "texts": texts, "repeats": REPEATS}
                    file.write_text(json.dumps(given), encoding="utf-8")
                    print(_row(size, budget, name, file, python, options.seconds), flush=True)


def make_texts(size: int) -> list[tuple[str, str, float]]:
    """Give source, text and score of each candidate: real words in random order, some of them copies."""
    chance = random.Random(size)  # noqa: S311 - nothing secret, the same every time
    pages = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((REPO / "fixtures").rglob("*.md"))
    ]
    words = re.findall(r"[^\W\d_]+[.,;:]?", " ".join(pages))
    texts: list[str] = []
    for _ in range(size):
        kind = chance.random()
        if texts and kind < COPIES:
            texts.append(chance.choice(texts))
        elif texts and kind < COPIES + NEAR:
            changed = chance.choice(texts).split()
            changed[chance.randrange(len(changed))] = chance.choice(words)
            texts.append(" ".join(changed))
        else:
            texts.append(" ".join(chance.choice(words) for _ in range(WORDS)))
    return [(SOURCES[number % len(SOURCES)], text, chance.random() * 10) for number, text in enumerate(texts)]


def _measure(given: dict[str, object]) -> list[list[float]]:
    """Give seconds (median, least, processor): plain, with near copies dropped, and of making the trace."""
    texts, budget, repeats = given["texts"], given["budget"], given["repeats"]
    assert isinstance(texts, list)
    assert isinstance(budget, int)
    assert isinstance(repeats, int)
    candidates = [
        Candidate(source, f"/{number}.md", text, rank=number // len(SOURCES) + 1, score=score)
        for number, (source, text, score) in enumerate(texts)
    ]
    policy, unit = POLICIES[str(given["policy"])], counter("o200k_base")
    unit.count("The vocabulary is loaded once for all.")
    shares = tuple(SourceLimits(name, share="1/3") for name in SOURCES)
    sources = shares if given["policy"] == "slots" else ()
    times = []
    modes: tuple[tuple[Near, bool], ...] = (("flag", False), ("drop", False), ("flag", True))
    for near, traced in modes:
        limits = SelectionLimits(budget, sources, near=near, counter=unit)
        runs = [_timed(policy, candidates, limits, traced=traced) for _ in range(repeats)]
        middle = sorted(runs)[len(runs) // 2]
        times.append([middle[0], min(runs)[0], middle[1]])
    return times


def _timed(
    policy: Policy, candidates: Sequence[Candidate], limits: SelectionLimits, *, traced: bool
) -> tuple[float, float]:
    # The tokenizer remembers what it has seen; nobody asks twice for the same ten thousand texts.
    limits.counter.release()
    wall, processor = time.perf_counter(), time.process_time()
    selection = policy.select(candidates, limits)
    if traced:
        wall, processor = time.perf_counter(), time.process_time()
        assert len(selection.trace.entries) == len(candidates)
    return time.perf_counter() - wall, time.process_time() - processor


def _row(size: int, budget: int, name: str, file: Path, python: Path | None, seconds: int) -> str:
    ours = _run([sys.executable, "-m", "bench.policies", "--ours", str(file)], seconds)
    cells = [_cell(*times) for times in ours] if ours else [f"more than {seconds} s"] * 3
    theirs = "no such policy" if name == "rank" else "not installed"
    if python and name != "rank":
        measured = _run([str(python), str(PROGRAM), str(file)], seconds)
        theirs = _cell(*measured[0]) if measured else f"more than {seconds} s"
    return f"| {size:,} | {budget:,} | {name} | {' | '.join(cells)} | {theirs} |"


def _cell(middle: float, least: float, processor: float) -> str:
    return f"{middle * 1000:,.1f} ({least * 1000:,.1f}) [{processor * 1000:,.1f}]"


def _run(command: list[str], seconds: int) -> list[list[float]]:
    """Give what a measurement printed; nothing when it took too long."""
    try:
        done = subprocess.run(command, cwd=REPO, check=True, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return []
    found: list[list[float]] = json.loads(done.stdout)
    return found


def _peer(*, install: bool) -> Path | None:
    python = PLACE / "bin" / "python"
    if install and not python.exists():
        venv.create(PLACE, with_pip=True)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", PEER]
        subprocess.run(pip, check=True, timeout=300)
    return python if python.exists() else None


if __name__ == "__main__":
    main()
