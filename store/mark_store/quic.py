"""Mark over QUIC: one connection to one server, made when needed, shared, and replaced once when it is lost.

How the server proves itself is decided here: TLS 1.3 for its name, by the system's authorities or a file of
them. The connection itself is `quic_link`'s, what its failures mean `quic_faults`'.
"""

import asyncio
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import certifi
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

from .errors import BadAddress, StoreError, Unavailable
from .mark_address import Address
from .quic_faults import Lost, not_found, silent, unreachable
from .quic_link import Link
from .wire_request import Request, encode_request
from .wire_response import Response, ResponseDecoder

ALPN: Final = "mark"
REQUEST_SECONDS: Final = 20.0
CONNECT_SECONDS: Final = 5.0

_STREAMS: Final = 10
"""Requests in flight on a connection; servers allow no more."""
_IDLE_SECONDS: Final = 30.0
_WINDOW: Final = 4 << 20
_MOST_ADDRESSES: Final = 4


@dataclass(frozen=True, slots=True)
class Trust:
    """How a server proves itself: by authorities, of the file `ca` or the system; `insecure`: not at all."""

    ca: Path | None = None
    insecure: bool = False

    def check(self) -> None:
        """Refuse a file of authorities that cannot be used; it blocks on the disk.

        Raises: BadAddress.
        """
        if self.ca is None:
            return
        try:
            ssl.create_default_context(cafile=str(self.ca))
        except ssl.SSLError as error:
            raise BadAddress(str(self.ca), "holds no certificates in PEM form") from error
        except OSError as error:
            raise BadAddress(str(self.ca), f"cannot be read: {error.strerror}") from error

    def configuration(self, host: str) -> QuicConfiguration:
        """Give what a connection to a host is made with."""
        made = QuicConfiguration(
            is_client=True,
            alpn_protocols=[ALPN],
            server_name=host,
            idle_timeout=_IDLE_SECONDS,
            max_data=_WINDOW,
            max_stream_data=_WINDOW,
            verify_mode=ssl.CERT_NONE if self.insecure else ssl.CERT_REQUIRED,
        )
        if self.ca is not None:
            made.load_verify_locations(cafile=str(self.ca))
        elif not self.insecure:
            made.load_verify_locations(*_of_system())
        return made


def _of_system() -> tuple[str | None, str | None, bytes | None]:
    """Where the system keeps authorities: a file, a folder or (Windows) a store; else those of certifi."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return paths.cafile, paths.capath, None
    known = ssl.create_default_context().get_ca_certs(binary_form=True)
    if known:
        return None, None, "".join(map(ssl.DER_cert_to_PEM_cert, known)).encode()
    return certifi.where(), None, None


class QuicExchange:
    """One server over QUIC; nothing is connected before the first request."""

    def __init__(
        self,
        address: Address,
        trust: Trust,
        request_seconds: float = REQUEST_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        """Begin with an address; each request has `request_seconds` in all, connecting included."""
        self._address = address
        self._trust = trust
        self._request_seconds = request_seconds
        self._connect_seconds = connect_seconds
        self._link: Link | None = None
        self._failures = 0
        self._failure: StoreError | None = None
        self._connecting = anyio.Lock()
        self._streams = anyio.Semaphore(_STREAMS)

    @property
    def authority(self) -> str:
        """The server: `host` or `host:port`."""
        return self._address.authority

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return self._address.place

    async def send(self, request: Request, longest_body: int) -> Response:
        """Give the answer to one request; every request of ours is a read, so that it may be sent again.

        Raises: Unavailable, Untrusted, ProtocolError.
        """
        data = encode_request(request)
        with anyio.move_on_after(self._request_seconds):
            async with self._streams:
                return await self._sent(data, longest_body)
        raise Unavailable(self.place, f"gave no whole answer within {self._request_seconds:g} s")

    async def aclose(self) -> None:
        """Close the connection; safe to call twice."""
        if self._link is not None:
            self._link.leave()
            self._link = None

    async def _sent(self, data: bytes, longest_body: int) -> Response:
        link = await self._linked()
        try:
            return await link.ask(data, ResponseDecoder(self.place, longest_body))
        except Lost:
            self._forget(link)
        link = await self._linked()
        try:
            return await link.ask(data, ResponseDecoder(self.place, longest_body))
        except Lost as error:
            self._forget(link)
            raise Unavailable(self.place, error.reason) from error

    def _forget(self, link: Link) -> None:
        link.leave()
        if self._link is link:
            self._link = None

    async def _linked(self) -> Link:
        """Give the connection, made where there is none; who waited for one that failed does not try again.

        Raises: Unavailable, Untrusted.
        """
        before = self._failures
        async with self._connecting:
            if self._link is None or not self._link.usable:
                if self._failure is not None and self._failures > before:
                    raise self._failure
                if self._link is not None:
                    self._forget(self._link)
                self._link = await self._noted()
            return self._link

    async def _noted(self) -> Link:
        try:
            return await self._connected()
        except StoreError as error:
            self._failures += 1
            self._failure = error
            raise

    async def _connected(self) -> Link:
        """Connect to the first of the host's addresses that answers, within the seconds for all of them."""
        fault = silent(self.place, self._connect_seconds)
        with anyio.move_on_after(self._connect_seconds):
            found = await self._addresses()
            for number, each in enumerate(found):
                share = self._connect_seconds / len(found) if number + 1 < len(found) else None
                with anyio.move_on_after(share):
                    try:
                        return await self._shake(*each)
                    except Unavailable as error:
                        fault = error
        raise fault

    async def _addresses(self) -> list[tuple[int, tuple[str, int] | tuple[str, int, int, int]]]:
        try:
            infos = await anyio.getaddrinfo(self._address.host, self._address.port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise not_found(error, self.place) from error
        return [(int(info[0]), info[4]) for info in infos[:_MOST_ADDRESSES]]

    async def _shake(self, family: int, remote: tuple[str, int] | tuple[str, int, int, int]) -> Link:
        connection = QuicConnection(configuration=self._trust.configuration(self._address.host))
        loop = asyncio.get_running_loop()
        try:
            # A connected socket, so that the system tells when nothing listens there.
            transport, link = await loop.create_datagram_endpoint(
                lambda: Link(connection, self.place, self._address.host),
                remote_addr=remote[:2],
                family=family,
            )
        except OSError as error:
            raise unreachable(error, self.place) from error
        try:
            link.connect(transport.get_extra_info("peername"))
            await link.shaken()
        except BaseException:
            link.leave()
            raise
        return link
