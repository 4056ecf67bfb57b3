"""`python -m bench.http`: calls a second and their p99 over HTTP, beside the least server that the SDK makes.

Both are spawned, loaded in turn by the same clients in the same run, and given as medians of the rounds.
`--soak MINUTES` instead loads ours for so long, with edits and clients that go away, and samples its memory.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.bare_server import TOOL
from bench.load import ERAS, Load, call, loaded
from bench.questions import questions, survey
from bench.servers import PROC
from bench.trees import REPO, Tree, make_trees, markdown_files

BUDGET = 1500
CLIENTS = (1, 8, 64, 256)
QUESTIONS = 200
SERVING = re.compile(r'"url": "http://127\.0\.0\.1:(\d+)')
SAMPLE_SECONDS = 5.0
CHANCE = random.Random(20)  # noqa: S311 - which file is edited, no secret


@dataclass(frozen=True, slots=True)
class Server:
    """A spawned server: its process and port."""

    pid: int
    port: int

    def processor(self) -> float:
        """Seconds of processor that it has taken; 0 where the system does not tell."""
        stat = PROC / str(self.pid) / "stat"
        if not stat.exists():
            return 0.0
        fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Bytes that it holds; 0 where the system does not tell."""
        statm = PROC / str(self.pid) / "statm"
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def main() -> None:
    """Measure as the command line says."""
    options = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-http-") as place:
        tree = make_trees(options.trees, Path(place) / "trees", options.files)[0]
        asked = questions(survey(tree.root)[1], QUESTIONS)
        if options.soak:
            _soak(options.soak, tree, Path(place), asked)
        else:
            _compare(options, tree, Path(place), asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.http", description=(__doc__ or "").splitlines()[0])
    trees = REPO.parent / "shared" / "eval" / "trees"
    parser.add_argument("--trees", type=Path, default=trees, metavar="FOLDER", help="archives of trees")
    parser.add_argument("--files", type=int, default=500, help="size of the tree (500)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement (4)")
    parser.add_argument("--rounds", type=int, default=3, help="medians are of so many (3)")
    parser.add_argument("--clients", type=int, nargs="*", default=CLIENTS, help="at once (1 8 64 256)")
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES", help="load for so long instead")
    return parser


def _compare(options: argparse.Namespace, tree: Tree, place: Path, asked: Sequence[str]) -> None:
    print(f"{tree.name}; median of {options.rounds} rounds of {options.seconds:g} s")
    print("calls/s (p99 ms; processor ms of the server a call) = share of the bare server's rate")
    with _bare(place) as bare, _ours(tree, place) as ours:
        for era in ERAS:
            loads = {
                "bare": (bare, [call(bare.port, era, TOOL)]),
                "one lookup": (ours, [_lookup(ours.port, era, asked[0])]),
                "lookups": (ours, [_lookup(ours.port, era, query) for query in asked]),
                "list": (ours, [call(ours.port, era, "mark_list")]),
            }
            for server, calls in loads.values():
                asyncio.run(loaded(server.port, calls, 4, options.seconds / 2))
            for clients in options.clients:
                _print_row(era, clients, _rounds(loads, clients, options))


def _lookup(port: int, era: str, query: str) -> bytes:
    return call(port, era, "mark_lookup", query=query, budget=BUDGET)


def _rounds(
    loads: dict[str, tuple[Server, list[bytes]]], clients: int, options: argparse.Namespace
) -> dict[str, list[Load]]:
    """Load each in turn, so that a slow minute of the machine meets all."""
    found: dict[str, list[Load]] = {name: [] for name in loads}
    for _ in range(options.rounds):
        for name, (server, calls) in loads.items():
            before = server.processor()
            load = asyncio.run(loaded(server.port, calls, clients, options.seconds))
            load.processor = server.processor() - before
            found[name].append(load)
    return found


def _print_row(era: str, clients: int, found: dict[str, list[Load]]) -> None:
    rates = {name: statistics.median(load.rate for load in loads) for name, loads in found.items()}
    cells = []
    for name, loads in found.items():
        p99 = 1000 * statistics.median(load.percentile(0.99) for load in loads)
        share = "" if name == "bare" else f" = {100 * rates[name] / rates['bare']:.0f} %"
        others = {status: number for load in loads for status, number in load.others.items()}
        each = 1000 * statistics.median(load.each for load in loads)
        told = f"{name} {rates[name]:.0f} ({p99:.0f}; {each:.2f}){share}"
        cells.append(f"{told} {others}" if others else told)
    print(f"{era}, {clients:3} clients: {'; '.join(cells)}", flush=True)


def _soak(minutes: float, tree: Tree, place: Path, asked: Sequence[str]) -> None:
    with _ours(tree, place) as server:
        asyncio.run(_soaked(minutes * 60, tree, server, asked))


async def _soaked(seconds: float, tree: Tree, server: Server, asked: Sequence[str]) -> None:
    calls = [_lookup(server.port, ERAS[number % 2], query) for number, query in enumerate(asked)]
    loading = asyncio.create_task(loaded(server.port, calls, 32, seconds))
    leaving = asyncio.create_task(_leave(server.port, calls, time.monotonic() + seconds))
    editing = asyncio.create_task(_edit(tree, time.monotonic() + seconds))
    samples = []
    while not loading.done():
        samples.append(server.resident())
        await asyncio.wait([loading], timeout=SAMPLE_SECONDS)
    load, left, edits = await loading, await leaving, await editing
    samples.append(server.resident())
    tenth = max(1, len(samples) // 10)
    print(f"{tree.name}, {seconds:.0f} s, 32 clients, {left} that went away, {edits} edits")
    print(
        f"calls: {len(load.seconds)}, {load.rate:.0f} a second, p50 {1000 * load.percentile(0.5):.0f} ms, "
        f"p99 {1000 * load.percentile(0.99):.0f} ms; other answers: {load.others or 'none'}"
    )
    names = ("first tenth", "second", "half", "last tenth", "most")
    middle = len(samples) // 2
    figures = (
        statistics.median(samples[:tenth]),
        statistics.median(samples[tenth : 2 * tenth] or samples),
        statistics.median(samples[middle : middle + tenth]),
        statistics.median(samples[-tenth:]),
        max(samples),
    )
    told = ", ".join(f"{name} {figure / 1e6:.0f}" for name, figure in zip(names, figures, strict=True))
    print(f"resident memory, MB: {told}")


async def _leave(port: int, calls: Sequence[bytes], end: float) -> int:
    """Call and go away before the answer, again and again."""
    left = 0
    while time.monotonic() < end:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(calls[left % len(calls)])
        await asyncio.sleep(CHANCE.random() / 20)
        writer.transport.abort()
        left += 1
    return left


async def _edit(tree: Tree, end: float) -> int:
    edits = 0
    files = await asyncio.to_thread(markdown_files, tree.root)
    while time.monotonic() < end:
        await asyncio.to_thread(_append, CHANCE.choice(files), f"\n\nEdit {edits}\n")
        edits += 1
        await asyncio.sleep(0.5)
    return edits


def _append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)


@contextmanager
def _bare(place: Path) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _spawned(place / "bare.log", "bench.bare_http", str(port)) as process:
        while not _answers(port):
            _expect(process)
        yield Server(process.pid, port)


@contextmanager
def _ours(tree: Tree, place: Path) -> Iterator[Server]:
    index = [sys.executable, "-m", "mark_server", "index", str(tree.root), "--data", str(place / "data")]
    subprocess.run(index, check=True, stdout=sys.stderr)
    log = place / "ours.log"
    arguments = ("serve", str(tree.root), "--http", "127.0.0.1:0", "--data", str(place / "data"))
    with _spawned(log, "mark_server", *arguments) as process:
        while (found := SERVING.search(log.read_text(encoding="utf-8"))) is None:
            _expect(process)
        yield Server(process.pid, int(found[1]))


@contextmanager
def _spawned(log: Path, module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as written:
        process = subprocess.Popen([sys.executable, "-m", module, *arguments], stderr=written, cwd=REPO)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _expect(process: subprocess.Popen[bytes]) -> None:
    """Give a server that still starts a moment; one that has ended never will."""
    if process.poll() is not None:
        sys.exit(f"bench: a server ended with {process.returncode}")
    # A pause of the loop that waits for the port, not a guess at how long a server takes to start.
    time.sleep(0.05)


if __name__ == "__main__":
    main()
