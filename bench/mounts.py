"""What several stores, and a store over HTTP, cost beside one folder: `python -m bench.mounts`.

500 files of real trees (or the fixtures, repeated) are asked the same questions alone, mounted twice and four
times, over loopback from a spawned `serve --http`, and mounted beside that. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import anyio

from bench.questions import questions, survey
from bench.trees import REPO, make_trees
from mark_server.arguments import lookup_arguments
from mark_server.calls import call
from mark_server.mount import Mount
from mark_server.opening import open_desk
from mark_server.settings import Settings

ARCHIVES = REPO.parent / "shared" / "eval" / "trees"
WARMING = 20


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--trees", type=Path, default=ARCHIVES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-stores-") as place:
        tree = make_trees(options.trees, Path(place) / "trees", 500)[0]
        asked = questions(survey(tree.root)[1], options.questions)
        print(f"{tree.made_of}: {tree.name}, {len(asked)} questions")
        with _served(tree.root, Path(place) / "far") as address:
            anyio.run(_measure, options.budget, asked, Path(place) / "near", str(tree.root), address)


async def _measure(budget: int, asked: list[str], data: Path, folder: str, address: str) -> None:
    alone = Settings(store=folder, data=data, patience=60)
    kinds = {
        "one folder": alone,
        "two mounts": replace(alone, stores=tuple(Mount(f"m{number}", folder) for number in range(2))),
        "four mounts": replace(alone, stores=tuple(Mount(f"m{number}", folder) for number in range(4))),
        "over HTTP": replace(alone, store=address),
        "a mount and HTTP": replace(alone, stores=(Mount("near", folder), Mount("far", address))),
    }
    print("| limit 10 | table, p50 / p95 (ms) | with a budget, p50 / p95 (ms) | load |\n|---|---|---|---|")
    for name, settings in kinds.items():
        table, expanded = [await _timed(settings, asked, each) for each in (0, budget)]
        print(f"| {name} | {table} | {expanded} | {os.getloadavg()[0]:.1f} |")


async def _timed(settings: Settings, asked: list[str], budget: int) -> str:
    async with open_desk(settings) as desk:
        await desk.ready(60)
        seconds = []
        for query in (*asked[:WARMING], *asked):
            started = time.perf_counter()
            text = await call(desk, lookup_arguments({"query": query, "budget": budget}))
            seconds.append(1000 * (time.perf_counter() - started))
            assert "failed" not in text.partition("\n\n")[0]
    ordered = statistics.quantiles(seconds[WARMING:], n=20)
    return f"{ordered[9]:.1f} / {ordered[18]:.1f}"


@contextmanager
def _served(root: Path, data: Path) -> Iterator[str]:
    """Serve a folder over HTTP; the address of the server."""
    command = [sys.executable, "-m", "mark_server", "serve", str(root), "--http", "127.0.0.1:0"]
    environment = {**os.environ, "MARKLOOKUP_DATA": str(data), "MARKLOOKUP_LOG_LEVEL": "error"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            told = json.loads(process.stderr.readline())
            yield told["url"].removesuffix("/mcp")
        finally:
            process.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
