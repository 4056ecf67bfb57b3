"""`marklookup serve --mark`: a store published to Mark clients over QUIC, until a signal asks to stop.

One bidirectional stream is one request; what it says is `answering`'s, who asks is told by its `auth`. Sizes,
connections, requests at once and idle time are bounded. aioquic calls back on the event loop; each request is
then a task of one group.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import signal
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from anyio.abc import TaskGroup

from mark_server.answering import answer, refusal
from mark_server.callers import Anyone, CallerError, Callers
from mark_server.checks import ArgumentError, shown
from mark_server.desk import Desk
from mark_server.memory import keep_small
from mark_server.opening import open_desk
from mark_server.quic_visit import Visit
from mark_server.settings import Settings
from mark_server.terminal import warn
from mark_store import BadAddress, Request, Response

ALPN = "mark"
DEFAULT_PORT = 6309
IDLE_SECONDS = 30.0
ANSWER_SECONDS = 30.0
MOST_VISITS = 100
_ADDRESS = re.compile(
    r"(?:(\[[0-9a-fA-F:.]+\]|[^\[\]:\s]*[^\[\]:\s\d][^\[\]:\s]*|[\d.]+\.\d+)?(?::(\d{1,5}))?|(\d{1,5}))"
)


@dataclass(frozen=True, slots=True)
class Publication:
    """Where a store is published, and how the server proves itself: PEM files of certificate and key."""

    host: str
    port: int
    certificate: Path
    key: Path

    def configuration(self) -> QuicConfiguration:
        """Give what connections are taken with.

        Raises:
            BadAddress: The files cannot be read, or are no pair of certificate and key.
        """
        try:
            # aioquic would take any two files; this proves that they are a pair.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
            made = QuicConfiguration(is_client=False, alpn_protocols=[ALPN], idle_timeout=IDLE_SECONDS)
            made.load_cert_chain(self.certificate, self.key)
        except ssl.SSLError as error:
            raise BadAddress(
                str(self.certificate),
                f"is no pair of PEM files with {self.key}: certificate and its private key",
            ) from error
        except OSError as error:
            raise BadAddress(
                str(error.filename or self.certificate), f"cannot be read: {error.strerror}"
            ) from error
        return made

    def bound(self) -> socket.socket:
        """Give the socket to listen with.

        Raises:
            BadAddress: The address cannot be listened at.
        """
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_DGRAM, flags=socket.AI_PASSIVE
            )[0]
            made = socket.socket(family, kind, protocol)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            made.bind(address)
        except OSError as error:
            made.close()
            raise self._unusable(error) from error
        made.setblocking(False)
        return made

    def _unusable(self, error: OSError) -> BadAddress:
        return BadAddress(f"{self.host}:{self.port}", f"cannot be listened at: {error.strerror}")

    def check(self, callers: Callers) -> None:
        """Refuse to be open to everyone where others than this machine can come.

        Raises:
            BadAddress: It would be.
        """
        if isinstance(callers, Anyone) and not _is_loopback(self.host):
            raise BadAddress(
                f"{self.host}:{self.port}",
                "others could read everything there; give --tokens FILE, or serve on 127.0.0.1",
            )


def publication_of(address: str, certificate: Path | None, key: Path | None) -> Publication:
    """Read where to publish: `host:port`, `:port` or `port` on this machine alone, `host` at the usual port.

    Raises:
        ArgumentError: It is no such address, or a file is not named.
    """
    found = _ADDRESS.fullmatch(address)
    port = int(found[2] or found[3] or DEFAULT_PORT) if found else DEFAULT_PORT + (1 << 16)
    if not found or port >= 1 << 16:
        raise ArgumentError(
            f"--mark must be host:port, got {shown(address)}; for example --mark 127.0.0.1:6309"
        )
    if certificate is None or key is None:
        raise ArgumentError("--mark needs --cert and --key; for example --cert cert.pem --key key.pem")
    return Publication((found[1] or "127.0.0.1").strip("[]"), port, certificate, key)


class House:
    """The store that is published, those who may come, and what goes on in it."""

    def __init__(self, desk: Desk, callers: Callers, group: TaskGroup) -> None:
        self._desk = desk
        self._callers = callers
        self._group = group
        self.visits: set[Visit] = set()

    @property
    def is_full(self) -> bool:
        """Whether there are as many connections as may be."""
        return len(self.visits) >= MOST_VISITS

    def begin(self, visit: Visit, stream: int, request: Request) -> None:
        """Have a request answered on its stream."""
        self._group.start_soon(visit.answered, stream, request)

    async def answer(self, request: Request) -> Response:
        """Answer whoever asks, within a deadline."""
        with anyio.move_on_after(ANSWER_SECONDS):
            try:
                caller = await self._callers.identify(request.fields.get("auth"))
            except CallerError as error:
                return refusal("unauthorized", str(error))
            return await answer(request, self._desk.within(caller.reader))
        return refusal("unavailable", f"no answer was found within {ANSWER_SECONDS:g} s")


@asynccontextmanager
async def published(desk: Desk, publication: Publication, callers: Callers) -> AsyncIterator[tuple[str, int]]:
    """Publish a desk's store while the context lasts; gives the address that it listens at.

    Raises:
        BadAddress: The certificate cannot be used, or the address not be listened at.
    """
    publication.check(callers)
    configuration = publication.configuration()
    bound = publication.bound()
    async with anyio.create_task_group() as group:
        house = House(desk, callers, group)
        _, server = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: QuicServer(
                configuration=configuration, create_protocol=lambda quic, **_: Visit(quic, house)
            ),
            sock=bound,
        )
        try:
            yield bound.getsockname()[:2]
        finally:
            group.cancel_scope.cancel()
            for visit in tuple(house.visits):
                visit.leave()
            server.close()


async def serve_mark(settings: Settings, publication: Publication, callers: Callers) -> None:
    """Publish a store until SIGTERM or SIGINT; the store is closed cleanly.

    Raises:
        StoreError: The store cannot be opened, or not be published there.
    """
    keep_small()
    publication.check(callers)
    # Before anything is told, so that whoever reads it can stop the server at once.
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with open_desk(settings) as desk, published(desk, publication, callers) as (host, port):
            where = f"[{host}]" if ":" in host else host
            warn(f"serving mark://{where}:{port}")
            async for _ in signals:
                return


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
