"""Connections that end: bounds that uvicorn leaves out, on the connection itself.

It waits for headers as long as a client likes, and for a client to read its answer just as long. Both hold
memory and a file descriptor; so do connections that never say anything.
"""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mark_server.bounds import Bounds

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class BoundedConnection(H11Protocol):
    """One connection: its headers come, and its answers are taken, in time."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        bounds: Bounds,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = bounds
        self._headers: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Take a connection, or say that there are too many."""
        super().connection_made(transport)
        # Whatever a client does not take at once counts as waiting, so that the wait has an end.
        transport.set_write_buffer_limits(high=0)
        if len(self.connections) > self._bounds.connections:
            transport.write(_FULL)
            transport.close()
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        """Read on; the time for headers runs from the first byte of a request to the last of its headers."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._expect_headers()
        else:
            self._stop_expecting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self._stop_expecting()
        self._stop_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Give a client so long to take what was written."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self._bounds.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it was taken."""
        self._stop_writing()
        super().resume_writing()

    def _expect_headers(self) -> None:
        if self._headers is None:
            self._headers = self.loop.call_later(self._bounds.header_seconds, self.transport.close)

    def _stop_expecting(self) -> None:
        if self._headers is not None:
            self._headers.cancel()
            self._headers = None

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None


def connections(bounds: Bounds) -> Any:
    """Give what uvicorn calls for every connection."""
    return functools.partial(BoundedConnection, bounds=bounds)
