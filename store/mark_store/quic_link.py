"""One QUIC connection to a Mark server: each request on a stream of its own, answers in any order.

A request is written and its side closed, the answer is read to its end. aioquic calls back on the event loop;
waiting is anyio's. Which connection is used when is `quic`'s.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Final

import anyio
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.connection import NetworkAddress, QuicConnection
from aioquic.quic.events import (
    ConnectionTerminated,
    HandshakeCompleted,
    QuicEvent,
    StreamDataReceived,
    StreamReset,
)

from .errors import ProtocolError
from .quic_faults import Lost, ended, not_connected, unreachable
from .wire_response import Response, ResponseDecoder

QUIET_SECONDS: Final = 1.5
"""After so long without a datagram the server is pinged; after twice as long the connection is lost."""

_NO_MORE: Final = 0
# The two lowest bits of a stream's number say who opened it and who may write (RFC 9000, section 2.1).
_KIND: Final = 0b11

# aioquic warns of what we tell as an error of our own; without this it stands on standard error twice.
logging.getLogger("quic").addHandler(logging.NullHandler())


@dataclass(slots=True)
class _Answer:
    """An answer that is coming in, on one stream."""

    decoder: ResponseDecoder
    done: anyio.Event = field(default_factory=anyio.Event)
    response: Response | None = None
    fault: Lost | ProtocolError | None = None

    def fail(self, fault: Lost | ProtocolError) -> None:
        self.fault = fault
        self.done.set()


class Link(QuicConnectionProtocol):
    """A connection; `await shaken()` after connecting, then `ask` any number of times at once."""

    def __init__(self, quic: QuicConnection, place: str, host: str) -> None:
        super().__init__(quic)
        self._place = place
        self._host = host
        self._clock = asyncio.get_running_loop().time
        self._heard = self._clock()
        self._standing = anyio.Event()
        self._shaken = False
        self._ended: ConnectionTerminated | None = None
        self._error: OSError | None = None
        self._answers: dict[int, _Answer] = {}

    @property
    def usable(self) -> bool:
        """Whether the connection stands, as far as is known."""
        return self._shaken and not self._is_over

    @property
    def _is_over(self) -> bool:
        return self._ended is not None or self._error is not None

    async def shaken(self) -> None:
        """Wait until the connection stands.

        Raises: Untrusted, Unavailable.
        """
        await self._standing.wait()
        if self._ended:
            raise not_connected(self._ended, self._place, self._host)
        if self._error:
            raise unreachable(self._error, self._place)

    async def ask(self, request: bytes, decoder: ResponseDecoder) -> Response:
        """Send a request and give its answer; cancelling tells the server to stop.

        Raises: Lost (the connection is gone), ProtocolError.
        """
        if self._is_over:
            raise Lost(self._why())
        answer = _Answer(decoder)
        stream = self._quic.get_next_available_stream_id()
        self._answers[stream] = answer
        try:
            self._quic.send_stream_data(stream, request, end_stream=True)
            self.transmit()
            await self._wait_for(answer)
        finally:
            if self._answers.pop(stream, None) and not answer.response:
                self._give_up(stream)
        if answer.fault:
            raise answer.fault
        assert answer.response is not None
        return answer.response

    async def _wait_for(self, answer: _Answer) -> None:
        """Wait for an answer as long as the server shows that it is there."""
        quiet = 0
        while not answer.done.is_set():
            before = self._clock()
            with anyio.move_on_after(QUIET_SECONDS):
                await answer.done.wait()
            quiet = quiet + 1 if self._heard < before else 0
            if answer.done.is_set():
                return
            if quiet > 1:
                raise Lost(f"nothing comes from there any more, for {2 * QUIET_SECONDS:g} s")
            if quiet:
                self._quic.send_ping(id(answer))
                self.transmit()

    def _give_up(self, stream: int) -> None:
        if self._is_over:
            return
        try:
            self._quic.stop_stream(stream, _NO_MORE)
        except ValueError:
            # Nothing of the stream has been sent yet, or all of it is over.
            return
        self.transmit()

    def leave(self) -> None:
        """Say farewell and close; waits for nothing."""
        if not self._is_over:
            self.close()
        self._end(OSError("closed"))
        if self._transport is not None:
            self._transport.close()

    def transmit(self) -> None:
        """Send what waits to be sent; nothing after the end, when the socket is gone."""
        if not self._is_over:
            super().transmit()

    def datagram_received(self, data: bytes | str, addr: NetworkAddress) -> None:
        """Note that the server is there."""
        self._heard = self._clock()
        super().datagram_received(data, addr)

    def error_received(self, exc: Exception) -> None:
        """Note that the system says that the server cannot be reached (ICMP)."""
        if isinstance(exc, OSError):
            self._end(exc)

    def quic_event_received(self, event: QuicEvent) -> None:
        """Sort what came by stream."""
        match event:
            case HandshakeCompleted():
                self._shaken = True
                self._standing.set()
            case ConnectionTerminated():
                self._ended = event
                self._end(None)
            case StreamDataReceived(stream_id=stream, data=data, end_stream=end):
                self._take(stream, data, end=end)
            case StreamReset(stream_id=stream) if stream in self._answers:
                self._answers[stream].fail(ProtocolError(self._place, "broke off its answer"))
            case _:
                return

    def _take(self, stream: int, data: bytes, *, end: bool) -> None:
        if stream & _KIND:
            # Nobody asked for what a server begins by itself, and nobody would bound it.
            self.leave()
            return
        answer = self._answers.get(stream)
        if answer is None or answer.done.is_set():
            return
        try:
            answer.decoder.feed(data)
            if end:
                answer.response = answer.decoder.end()
                answer.done.set()
        except ProtocolError as error:
            answer.fail(error)

    def _end(self, error: OSError | None) -> None:
        self._error = self._error or error
        self._standing.set()
        for answer in self._answers.values():
            if not answer.done.is_set():
                answer.fail(Lost(self._why()))

    def _why(self) -> str:
        if self._ended:
            return ended(self._ended)
        return unreachable(self._error, self._place).reason if self._error else "the connection is gone"
