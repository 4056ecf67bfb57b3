"""`marklookup serve --http`: one socket, one store, many callers, until a signal.

A signal stops taking connections, lets running calls finish within a bound, and closes the store. What is
answered is `http`'s.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

import anyio
import uvicorn
from starlette.types import ASGIApp

from mark_outline import counter
from mark_server.addresses import Address, address, bound, is_loopback
from mark_server.bearer import Resource
from mark_server.bounds import Bounds
from mark_server.callers import Anyone
from mark_server.checks import ArgumentError
from mark_server.connections import connections
from mark_server.hosts import Names
from mark_server.http import PATH, Surroundings, build_app
from mark_server.journal import Log, take_over
from mark_server.known_callers import known_callers
from mark_server.leaving import Exit
from mark_server.memory import keep_small
from mark_server.opened import Opened
from mark_server.settings import Level, Settings

# To close the store, after the calls were given their time.
_SECONDS_TO_CLOSE = 1.5


@dataclass(frozen=True, slots=True)
class Web:
    """How a server is reached: its address, the names it answers to, its bounds.

    `url` is the root under which clients know it, "" when that is the address itself.
    """

    address: Address
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    url: str = ""
    bounds: Bounds = field(default_factory=Bounds)
    level: Level = "info"

    @classmethod
    def of(cls, settings: Settings, where: str) -> Self:
        """Take what a person chose.

        Raises:
            ArgumentError: `where` is no address.
        """
        bounds = Bounds(
            rate=settings.limit_rate,
            calls=settings.limit_calls,
            body=settings.limit_body,
            call_seconds=settings.limit_seconds,
        )
        names = settings.allow_host, settings.allow_origin, settings.public_url or ""
        return cls(address(where), *names, bounds, settings.log_level)


async def serve_http(settings: Settings, web: Web) -> None:
    """Serve until a signal asks to stop; the store is closed cleanly.

    Raises:
        ArgumentError: Others could reach the address, and no callers are known; or their file is wrong.
        CannotListen: The address cannot be bound.
        StoreError: The store cannot be opened.
        UnknownEncoding: No counter has the configured name.
    """
    keep_small()
    count, log = counter(settings.encoding).count, Log(web.level)
    known = known_callers(settings, lambda line: log("warning", "callers", text=line))
    with bound(web.address) as listening:
        if isinstance(known, Anyone) and not is_loopback(listening):
            raise ArgumentError(
                f"{web.address} can be reached by others, and no callers are known; "
                "give --tokens FILE (docs/callers.md), or an address of this machine: --http 127.0.0.1:8080"
            )
        take_over(log)
        opened = Opened()
        resource = Resource(PATH, web.url, known.issuers, known.scopes)
        around = Surroundings(_names(web, listening), known, resource, web.bounds, log)
        app = build_app(opened.wait, opened.usable, count, around)
        await _serve(Listener(app, web.bounds, log), listening, opened, settings)
    if opened.failure is not None:
        raise opened.failure


def _names(web: Web, listening: socket.socket) -> Names:
    own = web.url.partition("://")[2].partition("/")[0]
    hosts = (*web.hosts, *((own,) if own else ()))
    return Names.of(web.address.host, listening.getsockname()[1], hosts, web.origins)


async def _serve(listener: Listener, listening: socket.socket, opened: Opened, settings: Settings) -> None:
    _allow_connections(listener.bounds.connections)
    leaving = Exit(listener.bounds.leave_seconds + 2 * _SECONDS_TO_CLOSE)
    closing = Exit(_SECONDS_TO_CLOSE)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_leave_on_signal, listener, leaving)
            group.start_soon(opened.keep, settings, listener.leave)
            await listener.serve(sockets=[listening])
            closing.soon()
            group.cancel_scope.cancel()
    finally:
        leaving.done()
        closing.done()


class Listener(uvicorn.Server):
    """uvicorn without its own signals and words."""

    def __init__(self, app: ASGIApp, bounds: Bounds, log: Log) -> None:
        self.bounds = bounds
        self._log = log
        config = uvicorn.Config(
            app,
            http=connections(self.bounds),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            h11_max_incomplete_event_size=self.bounds.header,
            timeout_keep_alive=int(self.bounds.idle_seconds),
            timeout_graceful_shutdown=int(self.bounds.leave_seconds),
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to us."""
        yield

    def leave(self) -> None:
        """Stop: at once when asked a second time."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and tell where."""
        await super().startup(sockets)
        for each in sockets or ():
            host, port = each.getsockname()[:2]
            self._log.always("serving", url=f"http://{Address(host, port)}{PATH}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, and tell what is still running."""
        self._log.always("leaving", running=len(self.server_state.tasks))
        await super().shutdown(sockets)


async def _leave_on_signal(listener: Listener, leaving: Exit) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            leaving.soon()
            listener.leave()


def _allow_connections(most: int) -> None:
    """Raise the number of open files to what the connections need, as far as the system lets us."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not there on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + 512  # files of the store, and what else is open
    if soft < wanted:
        ceiling = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (ceiling, hard))
