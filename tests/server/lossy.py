"""A UDP proxy that loses and delays datagrams, cuts the line, and changes the port that it comes from."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Peer = tuple[str, int]


@dataclass(eq=False)
class Line(asyncio.DatagramProtocol):
    """Between one server and any number of clients; `delay` is in seconds, one way, `loss` from 0 to 1."""

    server: Peer
    loss: float = 0.0
    delay: float = 0.0
    seed: int = 0
    cut: bool = False
    passed: int = 0
    """Bytes that went to clients."""
    _clients: dict[Peer, asyncio.DatagramTransport] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 - what is lost is no secret
        self._loop = asyncio.get_running_loop()
        self._own: asyncio.DatagramTransport | None = None
        self._waiting: dict[Peer, list[bytes]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._blocked: set[Peer] = set()

    @property
    def port(self) -> int:
        """Where clients come in."""
        assert self._own is not None
        return int(self._own.get_extra_info("sockname")[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._own = transport  # type: ignore[assignment]  # asyncio says no more of what it gives

    def datagram_received(self, data: bytes, addr: Peer) -> None:
        if addr in self._blocked:
            return
        upstream = self._clients.get(addr)
        if upstream is None:
            if addr not in self._waiting:
                self._waiting[addr] = []
                self._dial(addr)
            self._waiting[addr].append(data)
        else:
            self._pass(upstream, data, None)

    def block(self) -> None:
        """Let nothing of the connections so far pass any more; new ones do."""
        self._blocked |= set(self._clients)

    async def rebind(self) -> None:
        """Come from other ports from now on, as a client does that changes its network."""
        for client, upstream in tuple(self._clients.items()):
            await self._connect(client)
            upstream.close()

    async def close(self) -> None:
        """Close every socket."""
        for task in tuple(self._tasks):
            task.cancel()
        self.cut = True
        for transport in (*self._clients.values(), self._own):
            if transport is not None:
                transport.close()

    def back(self, data: bytes, client: Peer) -> None:
        """Pass to a client what came for it."""
        if client in self._blocked:
            return
        self.passed += len(data)
        self._pass(self._own, data, client)

    def _dial(self, client: Peer) -> None:
        task = self._loop.create_task(self._connect(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, client: Peer) -> None:
        transport, _ = await self._loop.create_datagram_endpoint(
            lambda: _Back(self, client), remote_addr=self.server
        )
        self._clients[client] = transport
        for data in self._waiting.pop(client, []):
            self._pass(transport, data, None)

    def _pass(self, transport: asyncio.DatagramTransport | None, data: bytes, to: Peer | None) -> None:
        if self.cut or transport is None or self._chance.random() < self.loss:
            return
        if self.delay:
            self._loop.call_later(self.delay, self._send, transport, data, to)
        else:
            self._send(transport, data, to)

    @staticmethod
    def _send(transport: asyncio.DatagramTransport, data: bytes, to: Peer | None) -> None:
        if not transport.is_closing():
            transport.sendto(data, to)


@dataclass(eq=False)
class _Back(asyncio.DatagramProtocol):
    line: Line
    client: Peer

    def datagram_received(self, data: bytes, addr: Peer) -> None:  # noqa: ARG002 - asyncio's own signature
        self.line.back(data, self.client)


@asynccontextmanager
async def line_to(port: int, loss: float = 0.0, delay: float = 0.0, seed: int = 0) -> AsyncIterator[Line]:
    """A line to a server of this machine."""
    line = Line(("127.0.0.1", port), loss, delay, seed)
    await asyncio.get_running_loop().create_datagram_endpoint(lambda: line, local_addr=("127.0.0.1", 0))
    try:
        yield line
    finally:
        await line.close()
