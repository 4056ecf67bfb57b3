"""`marklookup serve`: the tools over standard input and output, for as long as the client stays.

`initialize` is answered before the index is opened: the store opens beside the protocol, and the first call
waits for it. Standard output carries protocol only; what a person should know goes to standard error.
"""

from __future__ import annotations

import os
import signal
import threading

import anyio
from mcp.server.stdio import stdio_server

from mark_outline import UnknownEncoding
from mark_server.desk import Desk
from mark_server.memory import keep_small
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_server.standard_input import StandardInput
from mark_server.tools import build_server
from mark_store import StoreError

# A client that does not read its answers any more would keep the process, which must not outlast this.
_SECONDS_TO_LEAVE = 1.5


class _Opened:
    """A desk that may still be opening."""

    def __init__(self) -> None:
        self._ready = anyio.Event()
        self._desk: Desk | None = None
        self.failure: StoreError | UnknownEncoding | None = None

    def set(self, desk: Desk) -> None:
        self._desk = desk
        self._ready.set()

    async def wait(self) -> Desk:
        await self._ready.wait()
        assert self._desk is not None
        return self._desk


class _Exit:
    """Ends the process by force when leaving takes too long; the databases survive that as any crash."""

    def __init__(self) -> None:
        self._forced = threading.Timer(_SECONDS_TO_LEAVE, os._exit, [0])
        self._forced.daemon = True

    def soon(self) -> None:
        if not self._forced.is_alive():
            self._forced.start()

    def done(self) -> None:
        self._forced.cancel()


async def serve_stdio(settings: Settings) -> None:
    """Serve until standard input closes or a signal asks to stop; the store is closed cleanly.

    Raises:
        StoreError: The store cannot be opened.
        UnknownEncoding: No counter has the configured name.
    """
    keep_small()
    opened, leaving = _Opened(), _Exit()
    server = build_server(opened.wait)
    try:
        async with StandardInput() as lines, anyio.create_task_group() as group:
            group.start_soon(_stop_on_signal, group.cancel_scope, leaving)
            group.start_soon(_keep_open, settings, opened, group.cancel_scope)
            async with stdio_server(stdin=lines) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
            leaving.soon()
            group.cancel_scope.cancel()
    except* BrokenPipeError:
        # The client closed its end and reads no answers any more; to a server that is the end, not a fault.
        leaving.soon()
    finally:
        leaving.done()
    if opened.failure is not None:
        raise opened.failure


async def _keep_open(settings: Settings, opened: _Opened, serving: anyio.CancelScope) -> None:
    try:
        async with open_desk(settings) as desk:
            opened.set(desk)
            await anyio.sleep_forever()
    except (StoreError, UnknownEncoding) as error:
        opened.failure = error
        serving.cancel()


async def _stop_on_signal(scope: anyio.CancelScope, leaving: _Exit) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            leaving.soon()
            scope.cancel()
            return
