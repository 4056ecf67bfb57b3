"""Four servers on one folder under load: `python -m bench.processes --seconds 120`.

Real `marklookup serve` processes are asked by real clients as fast as they answer, while files are edited,
moved and checked out, and every so often the one that indexes is killed with -9 and started again. Printed
are lookups a second, how long they took, every answer that was an error, and the largest write-ahead log.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from mcp import MCPError

from bench.questions import questions, survey
from bench.servers import Client, connected, marklookup
from bench.trees import REPO, make_trees, markdown_files

ARCHIVES = REPO.parent / "shared" / "eval" / "trees"
OK = "status: ok\n"
LOCKS = Path("/proc/locks")
CHANCE = random.Random(20)  # noqa: S311 - which file is edited is no secret


@dataclass(slots=True)
class Load:
    """What is measured while it goes on; `killed` are processes that were ended on purpose."""

    ends: float
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    running: set[int] = field(default_factory=set)
    killed: set[int] = field(default_factory=set)
    edits: int = 0
    starting: anyio.Lock = field(default_factory=anyio.Lock)
    largest_log: int = 0

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.ends


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kill-every", type=float, default=15)
    parser.add_argument("--trees", type=Path, default=ARCHIVES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-processes-") as place:
        anyio.run(_measure, options, Path(place))


async def _measure(options: argparse.Namespace, place: Path) -> None:
    tree = make_trees(options.trees, place / "trees", options.files)[0]
    data = place / "data"
    asked = questions(survey(tree.root)[1], 200)
    load = Load(time.monotonic() + options.seconds)
    async with anyio.create_task_group() as group:
        for number in range(options.processes):
            group.start_soon(_serve, load, tree.root, data, asked[number:] + asked[:number])
        group.start_soon(_edit, load, tree.root)
        group.start_soon(_look_at_logs, load, data)
        group.start_soon(_kill, load, data, options.kill_every)
    _print(options, tree.name, load)


async def _serve(load: Load, root: Path, data: Path, asked: list[str]) -> None:
    """Keep one server running, another when it was killed."""
    while load.goes_on:
        pid = None
        # One at a time: which process is a client's own is known by what is new.
        await load.starting.acquire()
        try:
            async with connected(marklookup(root, data)) as client:
                load.starting.release()
                pid = client.pid
                load.running.add(pid or 0)
                await _ask(load, client, asked)
        except (SystemExit, MCPError, OSError) as error:
            if pid is None:
                load.starting.release()
            if pid not in load.killed:
                load.wrong.append(f"a server ended: {error!r}")
            load.running.discard(pid or 0)


async def _ask(load: Load, client: Client, asked: list[str]) -> None:
    while load.goes_on:
        query = CHANCE.choice(asked)
        seconds, text = await client.timed("mark_lookup", query=query, budget=1500)
        load.seconds.append(seconds)
        if not text.startswith(OK):
            load.wrong.append(text[:300])


async def _edit(load: Load, root: Path) -> None:
    files = markdown_files(root)
    while load.goes_on:
        load.edits += 1
        for file in CHANCE.sample(files, 100 if load.edits % 50 == 0 else 1):
            _append(file, f"\n\nEdit {load.edits}\n")
        file = CHANCE.choice(files)
        aside = file.with_suffix(".aside")
        _move(file, aside)
        await anyio.sleep(0.05)
        _move(aside, file)
        await anyio.sleep(0.1)


def _append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)


def _move(source: Path, target: Path) -> None:
    source.replace(target)


async def _look_at_logs(load: Load, data: Path) -> None:
    while load.goes_on:
        load.largest_log = max(load.largest_log, _largest(data, "*-wal"))
        await anyio.sleep(0.5)


def _largest(data: Path, pattern: str) -> int:
    return max((file.stat().st_size for file in data.rglob(pattern) if file.exists()), default=0)


async def _kill(load: Load, data: Path, every: float) -> None:
    """Kill whoever indexes, where the system tells who that is."""
    while load.goes_on:
        await anyio.sleep(every)
        for pid in _leaders(data) & load.running - load.killed:
            load.killed.add(pid)
            os.kill(pid, signal.SIGKILL)


def _leaders(data: Path) -> set[int]:
    """The processes that hold a lease, by Linux's table of locks; none on other systems."""
    if not LOCKS.exists():
        return set()
    leases = {str(lease.stat().st_ino) for lease in data.rglob("*.lease")}
    lines = [line.split() for line in LOCKS.read_text(encoding="ascii").splitlines()]
    return {int(line[4]) for line in lines if line[3] == "WRITE" and line[5].rpartition(":")[2] in leases}


def _print(options: argparse.Namespace, files: str, load: Load) -> None:
    milliseconds = sorted(1000 * each for each in load.seconds)
    print(f"{options.processes} servers on {files}, {options.seconds:g} s, {load.edits} rounds of edits")
    print(f"killed with -9 while indexing for the others: {len(load.killed)}")
    print(
        f"lookups: {len(milliseconds)}, {len(milliseconds) / options.seconds:.0f} a second,"
        f" p50 {statistics.median(milliseconds):.0f} ms,"
        f" p95 {milliseconds[int(0.95 * len(milliseconds))]:.0f} ms, worst {milliseconds[-1]:.0f} ms"
    )
    print(f"errors: {len(load.wrong)}; largest write-ahead log {load.largest_log / 1e6:.1f} MB")
    for text in load.wrong[:10]:
        print(f"  {text!r}")


if __name__ == "__main__":
    main()
