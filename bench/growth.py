"""`python -m bench.growth`: how indexing, lookups, disk and memory grow with the number of sections.

Each size is a folder of its own, made by `corpus`; what is timed inside a store is timed in a process of its
own. Nothing is asserted: the aims stand beside the figures.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio

from bench.calls import measure_bare
from bench.corpus import make_corpora
from bench.figures import Latency, latency
from bench.questions import WARM_SEED, questions, survey
from bench.servers import connected, marklookup
from bench.trees import REPO, folder_size, markdown_files
from mark_store import FolderStore

SIZES = (5_000, 20_000, 50_000, 100_000)
WARMING = 20
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Inside:
    """What a process that holds a store measured: seconds, and latencies in milliseconds.

    `busy` and `busy_body` are processor time, which other work on the machine lengthens less.
    """

    first: float
    busy: float
    unchanged: float
    body: Latency
    busy_body: Latency
    scoped: Latency
    catalog: Latency


@dataclass(frozen=True, slots=True)
class Growth:
    """The figures of one size; `text` and `disk` are bytes, memory is bytes above the bare server's.

    `resumed` are the seconds that the index took after its process was killed at about half of it.
    """

    files: int
    sections: int
    text: int
    disk: int
    inside: Inside
    resumed: float
    memory: int


ROWS: tuple[tuple[str, str, Callable[[Growth], str]], ...] = (
    ("files", "", lambda g: f"{g.files:,}"),
    ("text", "", lambda g: f"{g.text / MB:.1f} MB"),
    ("first index", "", lambda g: f"{g.inside.first:.1f} s"),
    ("… sections a second", ">= 3,000", lambda g: f"{g.sections / g.inside.first:,.0f}"),
    ("… a second of processor time", "", lambda g: f"{g.sections / g.inside.busy:,.0f}"),
    ("… killed at half of that time, then", "", lambda g: f"{g.resumed:.1f} s"),
    ("start and look, nothing changed", "", lambda g: f"{g.inside.unchanged:.2f} s"),
    ("… for 6,000 files", "<= 0.5 s", lambda g: f"{g.inside.unchanged / g.files * 6000:.2f} s"),
    ("lookup: p50, p95", "15, 40 ms", lambda g: _pair(g.inside.body)),
    ("… of processor time", "", lambda g: _pair(g.inside.busy_body)),
    ("… in a folder", "", lambda g: _pair(g.inside.scoped)),
    ("… catalog", "", lambda g: _pair(g.inside.catalog)),
    ("index and versions / text", "<= 2.5", lambda g: f"{g.disk / g.text:.2f}"),
    ("memory over a bare server", "<= 80 MB", lambda g: f"{g.memory / MB:.0f} MB"),
)


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--sections", default=",".join(map(str, SIZES)), help="sizes, divided by commas")
    parser.add_argument("--trees", type=Path, default=REPO.parent / "shared" / "eval" / "trees")
    parser.add_argument("--lookups", type=int, default=150, help="questions of each kind (150)")
    parser.add_argument("--inside", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        root, data = options.inside
        print(json.dumps(asdict(anyio.run(_measure_inside, root, data, options.lookups))))
        return
    # As an interrupt does, so that everything is cleared away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sizes = [int(size) for size in options.sections.split(",")]
    with tempfile.TemporaryDirectory(prefix="marklookup-growth-") as place:
        print(_table(_measured(options.trees, Path(place), sizes, options.lookups)), end="")


def _measured(archives: Path, place: Path, sizes: Sequence[int], lookups: int) -> list[tuple[int, Growth]]:
    packed = sorted(archives.glob("*.tar.gz"))
    if not packed:
        raise SystemExit(f"bench: no trees in {archives}")
    for path in packed:
        with tarfile.open(path) as archive:
            archive.extractall(place / "trees", filter="data")
    found = []
    bare = anyio.run(measure_bare, WARMING)[1].after
    for size, root in make_corpora(place / "trees", place, sizes):
        data = place / f"data-{size}"
        inside = _inside(root, data, lookups)
        disk = folder_size(data)
        after = anyio.run(_memory, root, data, lookups)
        files = markdown_files(root)
        text = sum(path.stat().st_size for path in files)
        memory = after - (bare.resident if bare else 0)
        resumed = _resumed(root, place / f"killed-{size}", inside.first / 2)
        found.append((size, Growth(len(files), size, text, disk, inside, resumed, memory)))
        print(f"{size:,} sections measured", file=sys.stderr)
    return found


def _inside(root: Path, data: Path, lookups: int) -> Inside:
    command = [
        sys.executable,
        "-m",
        "bench.growth",
        "--lookups",
        str(lookups),
        "--inside",
        str(root),
        str(data),
    ]
    done = subprocess.run(command, cwd=REPO, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    times = {name: Latency(**found[name]) for name in ("body", "busy_body", "scoped", "catalog")}
    return Inside(found["first"], found["busy"], found["unchanged"], **times)


def _resumed(root: Path, data: Path, after: float) -> float:
    """Kill an indexing process some time after its start; how long the next one takes."""
    index = [sys.executable, "-m", "bench.growth", "--lookups", "0", "--inside", str(root), str(data)]
    with subprocess.Popen(index, cwd=REPO, stdout=subprocess.PIPE) as process:
        time.sleep(after)  # The moment of the kill is what is measured from, no wait for anything.
        process.kill()
    return _inside(root, data, 0).first


async def _memory(root: Path, data: Path, lookups: int) -> int:
    _, passages = survey(root)
    async with connected(marklookup(root, data)) as client:
        for question in questions(passages, min(lookups, 50)):
            await client.call("mark_lookup", query=question)
        memory = client.memory()
    return memory.resident if memory else 0


async def _measure_inside(root: Path, data: Path, lookups: int) -> Inside:
    start, worked = time.perf_counter(), time.process_time()
    async with await FolderStore.open(root, data) as store:
        await store.ready()
        first, busy = time.perf_counter() - start, time.process_time() - worked
    start = time.perf_counter()
    async with await FolderStore.open(root, data) as store:
        await store.ready()
        unchanged = time.perf_counter() - start
        kinds: list[dict[str, str]] = [{}, {"scope": _large_folder(root)}, {"match": "catalog"}]
        if not lookups:
            return Inside(first, busy, unchanged, *[Latency(0, 0, 0, 0)] * 4)
        _, passages = survey(root)
        for question in questions(passages, WARMING, WARM_SEED):
            await store.lookup(question)
        asked = questions(passages, lookups)
        (body, busy_body), (scoped, _), (catalog, _) = [await _timed(store, asked, kind) for kind in kinds]
    return Inside(first, busy, unchanged, body, busy_body, scoped, catalog)


async def _timed(store: FolderStore, asked: Sequence[str], kind: dict[str, str]) -> tuple[Latency, Latency]:
    """Time lookups one after another, by the clock and by the processor."""
    took, worked = [], []
    for question in asked:
        start, busy = time.perf_counter(), time.process_time()
        await store.lookup(question, **kind)  # type: ignore[arg-type] # scope or match
        worked.append(time.process_time() - busy)
        took.append(time.perf_counter() - start)
    return latency(took), latency(worked)


def _large_folder(root: Path) -> str:
    """The folder, two levels down, with the most documents."""
    folders = [folder for folder in root.glob("*/*") if folder.is_dir()]
    largest = max(folders, key=lambda folder: sum(1 for _ in folder.rglob("*.md")))
    return f"/{largest.relative_to(root)}"


def _pair(times: Latency) -> str:
    return f"{times.p50:.1f}, {times.p95:.1f} ms"


def _table(found: Sequence[tuple[int, Growth]]) -> str:
    cells = [["", "aim", *(f"{size:,} sections" for size, _ in found)]]
    cells += [[name, aim, *(reading(growth) for _, growth in found)] for name, aim, reading in ROWS]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        for row in cells
    ]
    return "\n".join([lines[0], f"|{'|'.join('-' * (width + 2) for width in widths)}|", *lines[1:]]) + "\n"


if __name__ == "__main__":
    main()
