"""One connection of a Mark client: its streams read as requests, answers written where they belong.

At most ten requests of a connection are worked on at once; a request that is none is answered at once and the
rest of its stream is not read. Who answers is the house's.
"""

from __future__ import annotations

import contextlib
import logging
from typing import Protocol

import anyio
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import (
    ConnectionTerminated,
    HandshakeCompleted,
    QuicEvent,
    StopSendingReceived,
    StreamDataReceived,
    StreamReset,
)
from aioquic.quic.packet import QuicErrorCode

from mark_server.answering import malformed, refusal
from mark_store import ProtocolError, Request, RequestDecoder, Response, encode_response

# What a client does wrong is its own business and none of standard error's.
logging.getLogger("quic").addHandler(logging.NullHandler())

_AT_ONCE = 10
_NO_MORE = 0
# What aioquic says of a stream that its client has stopped or reset; it offers no way to ask before.
_OVER = (ValueError, RuntimeError)
# The two lowest bits of a stream's number say who opened it and who may write (RFC 9000, section 2.1).
_KIND = 0b11


class Answering(Protocol):
    """What a visit needs of the house that it is in."""

    visits: set[Visit]

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another."""
        ...

    def begin(self, visit: Visit, stream: int, request: Request) -> None:
        """Have a request answered on its stream."""
        ...

    async def answer(self, request: Request) -> Response:
        """Answer a request."""
        ...


class Visit(QuicConnectionProtocol):
    """A connection while it lasts."""

    def __init__(self, quic: QuicConnection, house: Answering) -> None:
        super().__init__(quic)
        self._house = house
        self._gone = False
        self._at_once = anyio.CapacityLimiter(_AT_ONCE)
        # None where the rest of a stream is of no interest.
        self._requests: dict[int, RequestDecoder | None] = {}
        self._work: dict[int, anyio.CancelScope] = {}

    def quic_event_received(self, event: QuicEvent) -> None:
        """Sort what came by stream."""
        match event:
            case HandshakeCompleted():
                self._enter()
            case StreamDataReceived(stream_id=stream, data=data, end_stream=end) if not stream & _KIND:
                self._take(stream, data, end=end)
            case StreamReset(stream_id=stream) | StopSendingReceived(stream_id=stream):
                self._drop(stream)
            case ConnectionTerminated():
                self._end()
            case _:
                return

    async def answered(self, stream: int, request: Request) -> None:
        """Answer one request on its stream, unless the client leaves meanwhile."""
        with anyio.CancelScope() as scope:
            self._work[stream] = scope
            async with self._at_once:
                response = await self._house.answer(request)
            # Who stopped the stream meanwhile is sent nothing more.
            if self._work.pop(stream, None):
                self._write(stream, response)

    def leave(self) -> None:
        """Say farewell and take no more; waits for nothing."""
        if not self._gone:
            self.close()
        self._end()

    def transmit(self) -> None:
        """Send what waits to be sent; nothing after the end, when the socket may be gone."""
        if not self._gone:
            super().transmit()

    def _enter(self) -> None:
        if self._house.is_full:
            self.close(QuicErrorCode.CONNECTION_REFUSED)
        else:
            self._house.visits.add(self)

    def _take(self, stream: int, data: bytes, *, end: bool) -> None:
        if self not in self._house.visits:
            return
        decoder = self._requests.setdefault(stream, RequestDecoder("request", 0))
        if decoder is not None:
            try:
                decoder.feed(data)
                if end:
                    self._house.begin(self, stream, decoder.end())
            except ProtocolError as error:
                self._refuse(stream, malformed(decoder, error), end=end)
        if end:
            self._requests.pop(stream, None)

    def _refuse(self, stream: int, response: Response, *, end: bool) -> None:
        self._requests[stream] = None
        self._write(stream, response)
        if end or self._gone:
            return
        with contextlib.suppress(*_OVER):
            self._quic.stop_stream(stream, _NO_MORE)
            self.transmit()

    def _write(self, stream: int, response: Response) -> None:
        try:
            data = encode_response(response)
        except ProtocolError as error:
            data = encode_response(refusal("server-error", error.words))
        if self._gone:
            return
        with contextlib.suppress(*_OVER):
            self._quic.send_stream_data(stream, data, end_stream=True)
            self.transmit()

    def _drop(self, stream: int) -> None:
        self._requests.pop(stream, None)
        if scope := self._work.pop(stream, None):
            scope.cancel()

    def _end(self) -> None:
        self._gone = True
        self._house.visits.discard(self)
        for stream in tuple(self._work):
            self._drop(stream)
