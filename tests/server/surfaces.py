"""One way to call a tool, whatever carries the call: memory, standard input, HTTP, in both protocol eras.

A further transport joins by a name in `SURFACES` and a branch in `opened`; every tool test then runs over it.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_server.tools import build_server
from tests.server.web import environment, web

HANDSHAKE = "legacy"
STATELESS = "2026-07-28"
SURFACES = {
    "memory": HANDSHAKE,
    "memory-stateless": STATELESS,
    "stdio": HANDSHAKE,
    "stdio-stateless": STATELESS,
    "http": HANDSHAKE,
    "http-stateless": STATELESS,
}


@dataclass(frozen=True, slots=True)
class Surface:
    """An open connection to a server over one folder."""

    client: Client

    async def result(self, tool: str, **arguments: object) -> CallToolResult:
        """Everything that a call brings back."""
        return await self.client.call_tool(tool, arguments)

    async def text(self, tool: str, **arguments: object) -> str:
        """The text of a result that is no error."""
        result = await self.result(tool, **arguments)
        assert not result.is_error, only_text(result)
        return only_text(result)

    async def wrong(self, tool: str, **arguments: object) -> str:
        """The text of a tool error."""
        result = await self.result(tool, **arguments)
        assert result.is_error, only_text(result)
        return only_text(result)


def only_text(result: CallToolResult) -> str:
    """The one text block that a result consists of."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    return block.text


@asynccontextmanager
async def opened(name: str, folder: Path, data: Path) -> AsyncIterator[Surface]:
    """Connect to a server over `folder` as the surface of this name does."""
    mode = SURFACES[name]
    if name.startswith("stdio"):
        async with Client(parameters(folder, data), mode=mode) as client:
            yield Surface(client)
        return
    if name.startswith("http"):
        async with web(folder, data) as server, Client(server.url, mode=mode) as client:
            yield Surface(client)
        return
    async with open_desk(Settings(store=str(folder), data=data)) as desk, in_memory(desk, mode) as surface:
        yield surface


@asynccontextmanager
async def in_memory(desk: Desk, mode: str = HANDSHAKE) -> AsyncIterator[Surface]:
    """Connect to a server over this very desk, without a process."""

    async def at_once() -> Desk:
        return desk

    async with Client(build_server(at_once), mode=mode) as client:
        yield Surface(client)


def parameters(folder: Path, data: Path) -> StdioServerParameters:
    """How a client starts the server; it inherits the environment, or its coverage would be lost."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "mark_server", "serve", str(folder)], env=environment(data)
    )
