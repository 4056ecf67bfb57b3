"""Times the making of an index, each time by a new process, as a person would have it made.

Run as `python -m bench.indexing FOLDER` it is such a process itself, and prints how long the index alone took
in seconds: the interpreter and the imports left out, the tokenizer's vocabulary included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from bench.figures import Indexing, Spread, spread
from bench.trees import REPO, Tree, folder_size

INDEX = ("mark_server", "index")
INSIDE = ("bench.indexing",)
HELP = ("mark_server", "--help")


def measure_indexing(tree: Tree, data: Path) -> Indexing:
    """Index a tree several times; the index of the last time stays in `data`."""
    process = [_timed_anew(tree, INDEX)[0] for _ in range(tree.runs - 1)]
    inside = [float(_timed_anew(tree, INSIDE)[1]) for _ in range(tree.runs)]
    process.append(timed([*INDEX, str(tree.root)], data)[0])
    size = folder_size(data)
    unchanged = [timed([*INDEX, str(tree.root)], data)[0] for _ in range(3)]
    return Indexing(spread(process), spread(inside), spread(unchanged), size)


def measure_help(runs: int = 7) -> Spread:
    """Time `marklookup --help`."""
    return spread([timed(HELP, None)[0] for _ in range(runs)])


def timed(command: Sequence[str], data: Path | None) -> tuple[float, str]:
    """Run a python module with its arguments; give the seconds that it took and its output.

    Raises:
        SystemExit: It failed; the text is what it said.
    """
    env = {**os.environ, **({"MARKLOOKUP_DATA": str(data)} if data else {})}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=REPO, env=env, check=False, capture_output=True, text=True
    )
    took = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
    return took, done.stdout


def _timed_anew(tree: Tree, command: Sequence[str]) -> tuple[float, str]:
    with TemporaryDirectory() as data:
        return timed([*command, str(tree.root)], Path(data))


async def _index(folder: str) -> float:
    from mark_store import FolderStore

    start = time.perf_counter()
    store = await FolderStore.open(folder)
    await store.ready()
    took = time.perf_counter() - start
    await store.aclose()
    return took


if __name__ == "__main__":
    print(anyio.run(_index, sys.argv[1]))
