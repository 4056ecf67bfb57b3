"""Spawned servers and the real MCP client that talks to them; what is asked of them is left to `calls`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent, Tool

from bench.figures import Memory
from bench.trees import REPO

PROC = Path("/proc")
# For every answer; far beyond what any should take.
DEADLINE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Program:
    """A server to spawn: a python module, its arguments, where it keeps its index."""

    module: str
    arguments: tuple[str, ...] = ()
    data: Path | None = None

    @property
    def parameters(self) -> StdioServerParameters:
        """The spawning of it, as the client takes it."""
        env = {**os.environ, **({"MARKLOOKUP_DATA": str(self.data)} if self.data else {})}
        arguments = ["-m", self.module, *self.arguments]
        return StdioServerParameters(command=sys.executable, args=arguments, env=env, cwd=REPO)


BARE = Program("bench.bare_server")


def marklookup(root: Path, data: Path) -> Program:
    """Give the server over a folder."""
    return Program("mark_server", ("serve", str(root)), data)


@dataclass(frozen=True, slots=True)
class Client:
    """A session with one spawned server; `ready` is the time from spawning to the answer of `tools/list`."""

    session: ClientSession
    ready: float
    tools: list[Tool]
    instructions: str
    pid: int | None

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and give its text."""
        result = await self.session.call_tool(tool, arguments)
        return "".join(block.text for block in result.content if isinstance(block, TextContent))

    async def timed(self, tool: str, **arguments: object) -> tuple[float, str]:
        """Call a tool; give the seconds until its text was here, and the text."""
        start = time.perf_counter()
        text = await self.call(tool, **arguments)
        return time.perf_counter() - start, text

    def memory(self) -> Memory | None:
        """What the server holds now; None where the system does not tell (only Linux does)."""
        rollup = PROC / str(self.pid) / "smaps_rollup"
        if self.pid is None or not rollup.exists():
            return None
        lines = (line.split() for line in rollup.read_text(encoding="ascii").splitlines()[1:])
        sizes = {name: int(kilobytes) * 1024 for name, kilobytes, *_ in lines}
        return Memory(sizes["Rss:"], sizes["Private_Dirty:"])


@asynccontextmanager
async def connected(program: Program) -> AsyncIterator[Client]:
    """Spawn a server, and let it end in good order afterwards.

    Raises:
        SystemExit: It ended, fell silent or answered with an error; the text is what it said.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        before = _children()
        start = time.perf_counter()
        try:
            async with (
                stdio_client(program.parameters, log) as streams,
                ClientSession(*streams, read_timeout_seconds=DEADLINE_SECONDS) as session,
            ):
                greeting = await session.initialize()
                tools = (await session.list_tools()).tools
                ready = time.perf_counter() - start
                pid = min(_children() - before, default=None)
                yield Client(session, ready, tools, greeting.instructions or "", pid)
        except BaseExceptionGroup as errors:
            if errors.subgroup(MCPError) is None:
                raise
            log.seek(0)
            raise SystemExit(f"bench: {program.module} did not answer: {errors!r}\n{log.read()}") from errors


def _children() -> set[int]:
    """The processes that this one has started and that still run; empty where there is no /proc."""
    return {int(path.parent.name) for path in PROC.glob("[0-9]*/stat") if _parent(path) == os.getpid()}


def _parent(stat: Path) -> int | None:
    try:
        # The name, in parentheses, may hold anything; after it come the state and the parent.
        return int(stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
    except OSError:
        return None
