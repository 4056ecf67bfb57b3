"""Where to listen: an address as a person writes it, and the socket that is bound to it.

Binding comes first, so that the port is known and a failure is one line before anything else starts.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from typing import Any

from mark_server.checks import ArgumentError, shown
from mark_server.hosts import bracketed

_ADDRESS = re.compile(r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):)?(?P<port>\d{1,5})")
_BACKLOG = 2048


class CannotListen(Exception):  # noqa: N818 - says what happened, as the store's errors do
    """The address cannot be bound; the text is one line."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host name or IP address, and a port; 0 for any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        """Give the address as it stands in a URL."""
        return f"{bracketed(self.host)}:{self.port}"


def address(text: str) -> Address:
    """Read `HOST:PORT`, or a port alone for this machine only.

    Raises:
        ArgumentError: It is neither.

    >>> str(address("[::1]:8080")), str(address("8080"))
    ('[::1]:8080', '127.0.0.1:8080')
    """
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"]) > 65535:
        raise ArgumentError(f"--http must be HOST:PORT, got {shown(text)}; for example --http 127.0.0.1:8080")
    return Address((found["host"] or "127.0.0.1").strip("[]"), int(found["port"]))


def bound(where: Address) -> socket.socket:
    """Listen there.

    Raises:
        CannotListen: The name is unknown, the port is taken, or the system refuses.
    """
    try:
        found = socket.getaddrinfo(where.host, where.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # A name such as localhost may have two; the older one is what every client finds.
        family, _, _, _, place = min(found, key=lambda each: each[0] != socket.AF_INET)
        return _listening(family, place)
    except OSError as error:
        raise CannotListen(f"{where}: {error.strerror or error}; give another --http HOST:PORT") from error


def _listening(family: int, place: tuple[Any, ...]) -> socket.socket:
    """As `socket.create_server`, but TCP by name.

    Otherwise asyncio does not know it for TCP and leaves Nagle's delay on: 40 ms an answer, measured.
    """
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(place)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach a bound socket."""
    return ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback
