"""A web server that does what a test says, byte by byte, on a real socket of loopback with real TLS."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, StreamEnded

from tests.server.certificates import Pair

MARK = "application/mark"
Talk = Callable[["Visit"], Awaitable[None]]


@dataclass(slots=True)
class Visit:
    """One connection of a client; `number` counts those of the server from 1."""

    number: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    heads: list[str] = field(default_factory=list)

    async def request(self) -> bytes:
        """The body of the next request, b"" at the end of the connection."""
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:
            return b""
        self.heads.append(head)
        length = next(line for line in head.lower().splitlines() if line.startswith("content-length:"))
        return await self.reader.readexactly(int(length.partition(":")[2]))

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes, status: str = "200 OK", **headers: str) -> None:
        """A whole answer."""
        await self.send(head(len(body), status, **headers) + body)


@dataclass(slots=True)
class Web:
    """A server that is listening."""

    port: int
    visits: list[Visit]

    @property
    def heads(self) -> list[str]:
        """The head of every request that came."""
        return [head for visit in self.visits for head in visit.heads]


def head(length: int | None, status: str = "200 OK", **headers: str) -> bytes:
    lines = {"content-type": MARK} | {name.replace("_", "-"): value for name, value in headers.items()}
    if length is not None:
        lines["content-length"] = str(length)
    return "\r\n".join([f"HTTP/1.1 {status}", *(f"{k}: {v}" for k, v in lines.items()), "", ""]).encode()


def context_of(shown: Pair, protocols: Sequence[str] = ("http/1.1",)) -> ssl.SSLContext:
    """What a server that shows this certificate, and speaks these protocols, does TLS with."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(shown.certificate, shown.key)
    context.set_alpn_protocols(list(protocols))
    return context


@asynccontextmanager
async def web(talk: Talk, context: ssl.SSLContext | None = None) -> AsyncIterator[Web]:
    """Serve every connection as `talk` does, until the context closes."""
    served = Web(0, [])

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit(len(served.visits) + 1, reader, writer)
        served.visits.append(visit)
        with suppress(ConnectionError, asyncio.CancelledError):
            await talk(visit)
        writer.transport.abort()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context, limit=1 << 20)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        for visit in served.visits:
            visit.writer.transport.abort()


def two(answer: Callable[[bytes], Awaitable[bytes]]) -> Talk:
    """Speak HTTP/2: each request's body to `answer`, all at once."""

    async def talk(visit: Visit) -> None:
        connection = H2Connection(H2Configuration(client_side=False))
        connection.initiate_connection()
        bodies: dict[int, bytes] = {}

        async def flush() -> None:
            await visit.send(connection.data_to_send())

        async def respond(stream: int) -> None:
            body = await answer(bodies[stream])
            connection.send_headers(stream, [(":status", "200"), ("content-type", MARK)])
            connection.send_data(stream, body, end_stream=True)
            await flush()

        async with asyncio.TaskGroup() as group:
            await flush()
            while data := await visit.reader.read(1 << 16):
                for event in connection.receive_data(data):
                    if isinstance(event, DataReceived):
                        bodies[event.stream_id] = bodies.get(event.stream_id, b"") + event.data
                    elif isinstance(event, StreamEnded):
                        group.create_task(respond(event.stream_id))
                await flush()

    return talk
