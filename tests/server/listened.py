"""The HTTP application in this process, on a real socket of loopback, over a desk of the test's own."""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

from mark_server.addresses import Address, bound
from mark_server.bearer import Resource
from mark_server.bounds import Bounds
from mark_server.callers import Anyone, Callers
from mark_server.desk import Desk
from mark_server.hosts import Names
from mark_server.http import Surroundings, build_app
from mark_server.journal import Log
from mark_server.listening import Listener
from tests.waiting import until

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Listened:
    """A server that listens in this process, and the lines of its log."""

    listener: Listener
    address: tuple[str, int]
    lines: list[str]

    @property
    def root(self) -> str:
        return f"http://{self.address[0]}:{self.address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/mcp"

    def requests(self) -> list[dict[str, Any]]:
        """What was logged about requests so far."""
        told = [json.loads(line) for line in self.lines]
        return [line for line in told if line["event"] == "request"]

    @asynccontextmanager
    async def client(self, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        """A plain HTTP client of it."""
        async with httpx2.AsyncClient(base_url=self.root, headers={**JSON, **headers}, timeout=20) as client:
            yield client

    async def call(
        self, tool: str, headers: dict[str, str] | None = None, /, **arguments: object
    ) -> httpx2.Response:
        """Call a tool over a connection of its own."""
        async with self.client(**(headers or {})) as client:
            return await client.post("/mcp", content=message(tool, **arguments))


def message(tool: str, **arguments: object) -> bytes:
    """The call of a tool as it stands in a request."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def request(body: bytes, *more: str, host: str = "127.0.0.1") -> bytes:
    """A whole request as it goes over the wire."""
    lines = ["POST /mcp HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in JSON.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", *more, "", ""]).encode() + body


def text(response: httpx2.Response) -> str:
    """The one text of a result."""
    (block,) = response.json()["result"]["content"]
    return str(block["text"])


def refusal(response: httpx2.Response) -> str:
    """The one line of a refusal."""
    return str(response.json()["error"]["message"])


@asynccontextmanager
async def listened(
    desk: Desk,
    *,
    callers: Callers | None = None,
    bounds: Bounds | None = None,
    resource: Resource | None = None,
    hosts: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
) -> AsyncIterator[Listened]:
    """Serve a desk as long as the block runs."""
    lines: list[str] = []
    log = Log("debug", lines.append)
    around_bounds = bounds or Bounds()

    async def open_desk() -> Desk:
        return desk

    with bound(Address("127.0.0.1", 0)) as listening:
        names = Names.of("127.0.0.1", port(listening), ("127.0.0.1", *hosts), origins)
        around = Surroundings(names, callers or Anyone(), resource or Resource(), around_bounds, log)
        app = build_app(open_desk, lambda: desk.progress() is None, desk.counter.count, around)
        listener = Listener(app, around_bounds, log)
        async with anyio.create_task_group() as group:
            group.start_soon(serve, listener, listening)
            try:
                await until(lambda: listener.started)
                yield Listened(listener, ("127.0.0.1", port(listening)), lines)
            finally:
                listener.leave()


async def serve(listener: Listener, listening: socket.socket) -> None:
    """Serve to the end in good order, also when a test fails: its sockets would meet those of the next."""
    with anyio.CancelScope(shield=True):
        await listener.serve([listening])


def port(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])
