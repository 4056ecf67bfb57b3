"""`marklookup serve`: the tools over standard input and output, for as long as the client stays.

`initialize` is answered before the index is opened: the store opens beside the protocol, and the first call
waits for it. Standard output carries protocol only; what a person should know goes to standard error.
"""

from __future__ import annotations

import signal

import anyio
from mcp.server.stdio import stdio_server

from mark_server.leaving import Exit
from mark_server.memory import keep_small
from mark_server.opened import Opened
from mark_server.settings import Settings
from mark_server.standard_input import StandardInput
from mark_server.tools import build_server

# A client that does not read its answers any more would keep the process, which must not outlast this.
_SECONDS_TO_LEAVE = 1.5


async def serve_stdio(settings: Settings) -> None:
    """Serve until standard input closes or a signal asks to stop; the store is closed cleanly.

    Raises:
        StoreError: The store cannot be opened.
        UnknownEncoding: No counter has the configured name.
    """
    keep_small()
    opened, leaving = Opened(), Exit(_SECONDS_TO_LEAVE)
    server = build_server(opened.wait)
    try:
        async with StandardInput() as lines, anyio.create_task_group() as group:
            group.start_soon(_stop_on_signal, group.cancel_scope, leaving)
            group.start_soon(opened.keep, settings, group.cancel_scope.cancel)
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


async def _stop_on_signal(scope: anyio.CancelScope, leaving: Exit) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            leaving.soon()
            scope.cancel()
            return
