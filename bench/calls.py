"""What is asked of the spawned servers: to start, to answer lookups and fetches, and what they hold then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.bare_server import TOOL
from bench.figures import ColdStart, Held, Latency, Lookups, Words, latency, spread
from bench.servers import BARE, Client, Program, connected, marklookup
from mark_outline import counter

BUDGET = 1500
COLD_STARTS = 9
FIRST_BLOCK = re.compile(r"^>>> (/\S+)$", re.MULTILINE)
OK = "status: ok\n"
STILL_INDEXING = re.compile(r"^indexing: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Queries:
    """What to ask; the warming ones are not measured."""

    warming: Sequence[str]
    asked: Sequence[str]


async def measure_cold_start(program: Program) -> ColdStart:
    """Start the server and the bare one in turn, so that a slow minute of the machine meets both."""
    times: dict[Program, list[float]] = {BARE: [], program: []}
    for turn in range(COLD_STARTS + 1):
        for each, ready in times.items():
            async with connected(each) as client:
                # The first start of each reads its files from the disk.
                if turn:
                    ready.append(client.ready)
    return ColdStart(spread(times[program]), spread(times[BARE]))


async def measure_bare(calls: int) -> tuple[Latency, Held]:
    """Call the bare server's tool."""
    async with connected(BARE) as client:
        before = client.memory()
        times = [(await client.timed(TOOL))[0] for _ in range(calls)]
        return latency(times), Held(before, client.memory())


async def measure_lookups(program: Program, queries: Queries) -> tuple[Lookups, Held]:
    """Ask a server whose index is there."""
    async with connected(program) as client:
        # The tokenizer loads beside the start; what a server holds is settled only after a first lookup.
        await _lookup(client, queries.warming[0])
        before = client.memory()
        for query in queries.warming:
            await _lookup(client, query)
        answers = [await _lookup(client, query) for query in queries.asked]
        after = client.memory()
        fetch = await _fetches(client, [text for _, text in answers])
    return _lookups(answers, fetch), Held(before, after)


async def measure_first_indexing(root: Path, queries: Queries) -> Held:
    """Let a server make the index itself; what it holds right after, and after the same calls."""
    with TemporaryDirectory() as data:
        async with connected(marklookup(root, Path(data))) as client:
            # A call waits some seconds for the index by itself, so this asks only a few times.
            while STILL_INDEXING.search((await _lookup(client, queries.asked[0]))[1]):
                continue
            before = client.memory()
            for query in (*queries.warming, *queries.asked):
                await _lookup(client, query)
            return Held(before, client.memory())


async def measure_words(program: Program) -> Words:
    """Count what a client reads first: the tools as they stand in the answer, and the instructions."""
    async with connected(program) as client:
        tools = "".join(tool.model_dump_json(by_alias=True, exclude_unset=True) for tool in client.tools)
        count = counter("o200k_base").count
        return Words(count(tools), count(client.instructions))


async def _lookup(client: Client, query: str) -> tuple[float, str]:
    return await client.timed("mark_lookup", query=query, budget=BUDGET)


async def _fetches(client: Client, texts: Sequence[str]) -> Latency | None:
    """Fetch the first block of every result; None when no two results have one."""
    found = [block[1] for text in texts if (block := FIRST_BLOCK.search(text))]
    times = [(await client.timed("mark_fetch", url=location))[0] for location in found]
    return latency(times) if len(times) > 1 else None


def _lookups(answers: Sequence[tuple[float, str]], fetch: Latency | None) -> Lookups:
    tokens = counter("o200k_base").count_many([text for _, text in answers])
    return Lookups(
        lookup=latency([seconds for seconds, _ in answers]),
        fetch=fetch,
        tokens=sum(tokens) / len(tokens),
        over=sum(each > BUDGET for each in tokens),
        failed=sum(not text.startswith(OK) for _, text in answers),
    )
