"""Many HTTP clients at once, as cheap as they can be: they share the machine with the server that they load.

Each keeps one connection and sends the next call when the answer is there.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle, islice

CHANCE = random.Random(21)  # noqa: S311 - where ids begin, no secret
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
MODERN = "2026-07-28"
ERAS = ("2025-11-25", MODERN)
# In the place of an id, of which each call gets one of its own with as many digits.
ID = b"1000000001"


@dataclass(slots=True)
class Load:
    """What came back: seconds of each call that was answered, and how often each other status did."""

    seconds: list[float] = field(default_factory=list)
    others: dict[int, int] = field(default_factory=dict)
    size: int = 0
    took: float = 0.0
    processor: float = 0.0

    @property
    def each(self) -> float:
        """Seconds of processor that the server took for a call: other programs do not change it much."""
        return self.processor / max(1, len(self.seconds))

    @property
    def rate(self) -> float:
        """Calls answered in a second."""
        return len(self.seconds) / self.took

    def percentile(self, share: float) -> float:
        """The seconds that this share of the calls did not take longer than."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def call(port: int, era: str, tool: str, **arguments: object) -> bytes:
    """The call of a tool as it goes over the wire."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, **({"_meta": meta} if era == MODERN else {})}
    body = json.dumps({"jsonrpc": "2.0", "id": int(ID), "method": "tools/call", "params": params}).encode()
    routing = ["Mcp-Method: tools/call", f"Mcp-Name: {tool}"] if era == MODERN else []
    lines = [
        *("POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"),
        *("Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {era}", *routing),
        *(f"Content-Length: {len(body)}", "", ""),
    ]
    return "\r\n".join(lines).encode() + body


async def loaded(port: int, calls: Sequence[bytes], clients: int, seconds: float) -> Load:
    """Have so many clients call for so long; each begins at another call."""
    load = Load()
    started = time.perf_counter()
    starts = [islice(cycle(calls), number * len(calls) // clients, None) for number in range(clients)]
    await asyncio.gather(*(_client(port, each, started + seconds, load) for each in starts))
    load.took = time.perf_counter() - started
    return load


async def _client(port: int, calls: Iterator[bytes], end: float, load: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    ids = count(CHANCE.randrange(int(ID), 9 * int(ID)))
    while (started := time.perf_counter()) < end:
        writer.write(next(calls).replace(ID, b"%d" % next(ids)))
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            found = LENGTH.search(head)
            body = await reader.readexactly(int(found[1]) if found else 0)
        except (asyncio.IncompleteReadError, ConnectionError):
            load.others[0] = load.others.get(0, 0) + 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        status = int(head[9:12])
        if status == 200:
            load.seconds.append(time.perf_counter() - started)
            load.size += len(body)
        else:
            load.others[status] = load.others.get(status, 0) + 1
            await asyncio.sleep(0.1)
    writer.close()
