"""`python -m bench.mark`: ten documents on a Mark server behind a slow line, asked at once or one by one.

The server is a process of its own, the line a proxy that delays every datagram; what is measured is what an
agent waits for and has to read. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from mark_outline import counter
from mark_server.arguments import FetchArguments, LookupArguments
from mark_server.desk import Desk
from mark_server.fetch import fetch
from mark_server.lookup import lookup
from mark_server.settings import Settings
from mark_store import KeptAnswers, MarkStore, Request, Response, VersionCache
from mark_store.mark_address import Address
from mark_store.quic import QuicExchange, Trust
from tests.server.certificates import Authority
from tests.server.lossy import Line, line_to

DOCUMENTS, SECTIONS, BYTES = 10, 20, 20_000
BUDGET = 2000
WORDS = "Tides of the harbour are written down by the pilot each noon, and the copy goes to the hub. "


@dataclass(slots=True)
class Counted:
    """An exchange that counts its requests, and how many of them were in flight at once."""

    inner: QuicExchange
    requests: int = 0
    flying: int = 0
    most: int = 0

    @property
    def authority(self) -> str:
        return self.inner.authority

    @property
    def place(self) -> str:
        return self.inner.place

    async def send(self, request: Request, longest_body: int) -> Response:
        self.requests += 1
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            return await self.inner.send(request, longest_body)
        finally:
            self.flying -= 1

    async def aclose(self) -> None:
        await self.inner.aclose()


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to the answer: seconds of each run; requests, most at once, bytes that came, tokens read."""

    seconds: list[float]
    requests: int
    most: int
    passed: int
    tokens: int

    def line(self, name: str) -> str:
        least, most = min(self.seconds) * 1000, max(self.seconds) * 1000
        median = statistics.median(self.seconds) * 1000
        return (
            f"{name:<34} {median:5.0f} ms ({least:.0f}-{most:.0f})  {self.requests:3} requests, "
            f"{self.most} at once  {self.passed / 1000:6.0f} kB  {self.tokens:6} tokens"
        )


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.mark", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="runs of each (10)")
    parser.add_argument("--round-trip", type=float, default=50, help="milliseconds of the line (50)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-bench-") as place:
        anyio.run(_measure, Path(place), options.runs, options.round_trip / 1000)


async def _measure(place: Path, runs: int, round_trip: float) -> None:
    authority = Authority(place / "authority")
    async with _server(place, authority) as port, line_to(port, delay=round_trip / 2) as line:
        ways: dict[str, Callable[[Desk], Awaitable[int]]] = {
            f"one lookup, budget {BUDGET}": _one_lookup,
            "table, then documents one by one": _one_by_one,
        }
        print(
            f"{DOCUMENTS} documents of {BYTES // 1000} kB, round trip {round_trip * 1000:.0f} ms, {runs} runs"
        )
        for name, way in ways.items():
            measured = [await _run(way, place / f"{name}-{run}", authority, line) for run in range(runs)]
            print(_joined(measured).line(name))
        kept = place / "kept"
        await _run(_one_lookup, kept, authority, line)
        again = [await _run(_one_lookup, kept, authority, line) for _ in range(runs)]
        print(_joined(again).line("one lookup, documents kept"))


def _joined(measured: list[Measured]) -> Measured:
    first = measured[0]
    seconds = [each.seconds[0] for each in measured]
    return Measured(seconds, first.requests, first.most, first.passed, first.tokens)


async def _run(
    way: Callable[[Desk], Awaitable[int]], data: Path, authority: Authority, line: Line
) -> Measured:
    """One run over a connection that stands already."""
    exchange = Counted(QuicExchange(Address("localhost", line.port), Trust(authority.ca)))
    kept = KeptAnswers.of(VersionCache(data), "bench", "")
    async with MarkStore(exchange, kept) as store:
        await store.list("/")
        exchange.requests = exchange.most = 0
        before, began = line.passed, time.perf_counter()
        tokens = await way(Desk(store, _ready, lambda: None, counter("o200k_base"), Settings()))
        took = time.perf_counter() - began
        return Measured([took], exchange.requests, exchange.most, line.passed - before, tokens)


async def _ready(seconds: float) -> bool:
    return seconds >= 0


async def _one_lookup(desk: Desk) -> int:
    answer = await lookup(desk, LookupArguments("why is the kelp gauge read at noon", budget=BUDGET))
    return desk.counter.count(answer.text)


async def _one_by_one(desk: Desk) -> int:
    answer = await lookup(desk, LookupArguments("why is the kelp gauge read at noon"))
    tokens = desk.counter.count(answer.text)
    for number in range(DOCUMENTS):
        tokens += desk.counter.count(await fetch(desk, FetchArguments(f"/station-{number}.md", force=True)))
    return tokens


@asynccontextmanager
async def _server(place: Path, authority: Authority) -> AsyncIterator[int]:
    root = place / "root"
    root.mkdir()
    for number in range(DOCUMENTS):
        (root / f"station-{number}.md").write_text(_document(number), encoding="utf-8")
    pair = authority.vouch("localhost")
    with subprocess.Popen(  # noqa: ASYNC220 - it starts in a moment, and is waited for in a thread
        [
            *(sys.executable, "-m", "mark_server", "serve", str(root), "--data", str(place / "data")),
            *("--mark", "127.0.0.1:0", "--cert", str(pair.certificate), "--key", str(pair.key)),
        ],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    ) as process:
        try:
            assert process.stderr is not None
            line = await anyio.to_thread.run_sync(process.stderr.readline)
            yield int(line.rpartition(b":")[2])
        finally:
            process.terminate()


def _document(number: int) -> str:
    text = f"# Station {number}\n\n"
    for section in range(SECTIONS):
        text += f"## Part {section} of station {number}\n\n"
        text += f"The kelp gauge of station {number} is read at noon.\n\n" if section == number else ""
        text += WORDS * ((BYTES // SECTIONS - 60) // len(WORDS)) + "\n\n"
    return text


if __name__ == "__main__":
    main()
