"""A server that speaks QUIC and keeps no manners: what it does with a request is the test's."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import QuicEvent, StopSendingReceived, StreamDataReceived

from tests.server.certificates import Pair

Manner = Callable[["Rude", int], None]


class Rude(QuicConnectionProtocol):
    """One of its connections."""

    def __init__(self, quic: QuicConnection, manner: Manner, made: list["Rude"]) -> None:
        super().__init__(quic)
        self._manner = manner
        self.most_open = 0
        self._open: set[int] = set()
        self._stopped: set[int] = set()
        made.append(self)

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, StopSendingReceived):
            self._stopped.add(event.stream_id)
        if isinstance(event, StreamDataReceived) and event.end_stream:
            self._open.add(event.stream_id)
            self.most_open = max(self.most_open, len(self._open))
            self._manner(self, event.stream_id)

    def write(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send bytes on a stream."""
        if end:
            self._open.discard(stream)
        self._quic.send_stream_data(stream, data, end_stream=end)
        self.transmit()

    def reset(self, stream: int) -> None:
        """Break a stream off."""
        self._quic.reset_stream(stream, 7)
        self.transmit()

    def trickle(self, stream: int, data: bytes, every: float) -> None:
        """Send the same bytes again and again, until the client wants no more."""
        if stream in self._stopped:
            return
        self.write(stream, data)
        asyncio.get_running_loop().call_later(every, self.trickle, stream, data, every)

    def transmit(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            super().transmit()


@asynccontextmanager
async def rude_server(
    pair: Pair, manner: Manner, alpn: str | None = "mark"
) -> AsyncIterator[tuple[int, list[Rude]]]:
    """Give its port and its connections so far."""
    configuration = QuicConfiguration(is_client=False, alpn_protocols=[alpn] if alpn else None)
    configuration.load_cert_chain(pair.certificate, pair.key)
    made: list[Rude] = []
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: QuicServer(
            configuration=configuration, create_protocol=lambda quic, **_: Rude(quic, manner, made)
        ),
        local_addr=("127.0.0.1", 0),
    )
    try:
        yield transport.get_extra_info("sockname")[1], made
    finally:
        server.close()
