"""How soon an edit is visible, and what watching costs: `python -m bench.live`.

A folder of real trees (or the fixtures, repeated) is opened as `serve` opens it. Then single files are edited
in place, which no folder's time shows, and a lookup asks for a word of the edit until it is found. The
processor time is that of this process while nobody asks and nothing happens.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import anyio

from bench.trees import REPO, make_trees, markdown_files
from mark_store import FolderStore

ARCHIVES = REPO.parent / "shared" / "eval" / "trees"


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--idle", type=float, default=10.0, help="seconds to do nothing")
    parser.add_argument("--poll", type=float, help="look every so many seconds instead of watching")
    parser.add_argument("--trees", type=Path, default=ARCHIVES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-live-") as place:
        anyio.run(_measure, options, Path(place))


async def _measure(options: argparse.Namespace, place: Path) -> None:
    tree = make_trees(options.trees, place / "trees", 500)[-1]
    files = markdown_files(tree.root)
    async with await FolderStore.open(tree.root, place / "data", poll=options.poll) as store:
        await store.ready()
        await anyio.sleep(1)
        idle = await _idle(options.idle)
        seconds = sorted([await _visible(store, files, number) for number in range(options.edits)])
    print(f"{tree.made_of}: {len(files)} files, poll {options.poll}")
    print(f"idle: {idle:.2%} of one processor over {options.idle:g} s")
    print(
        f"edit in place visible: median {1000 * statistics.median(seconds):.0f} ms,"
        f" p95 {1000 * seconds[int(0.95 * len(seconds))]:.0f} ms, worst {1000 * seconds[-1]:.0f} ms"
    )


async def _idle(seconds: float) -> float:
    """The share of a processor that this process takes while nothing is asked."""
    before = time.process_time()
    await anyio.sleep(seconds)
    return (time.process_time() - before) / seconds


async def _visible(store: FolderStore, files: list[Path], number: int) -> float:
    """Seconds until a word that was written into a file is found."""
    word = f"quokka{number}x"
    with files[number * 37 % len(files)].open("a", encoding="utf-8") as file:
        file.write(f"\n{word}\n")
    started = time.perf_counter()
    while True:
        if (await store.lookup(word)).total:
            return time.perf_counter() - started
        await anyio.sleep(0.005)


if __name__ == "__main__":
    main()
