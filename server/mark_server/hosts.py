"""Which names this server answers to: the Host and Origin of a request, checked on public addresses too.

A web page that has its own name resolve to this machine (DNS rebinding) sends that name as Host, and a page
that calls from elsewhere sends where it comes from as Origin. The SDK checks loopback only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from starlette.types import ASGIApp, Receive, Scope, Send

from mark_server.checks import shown
from mark_server.headers import every, header
from mark_server.refusal import Refusal

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Probes of an orchestrator name the machine by its address, and learn nothing here.
_OPEN = ("/healthz", "/readyz")
_ORIGIN = re.compile(r"https?://([^/?#@]+)")


@dataclass(frozen=True, slots=True)
class Names:
    """Allowed hosts (`name`, any port, or `name:port`) and origins (`scheme://name[:port]`), lower-case."""

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, host: str, port: int, more: tuple[str, ...] = (), origins: tuple[str, ...] = ()) -> Self:
        """The names for a bound address: the address itself, loopback, and what was allowed beside them."""
        own = [f"{name}:{port}" for name in (*LOOPBACK, bracketed(host))]
        return cls(
            frozenset(name.lower() for name in (*own, *more)),
            frozenset(origin.lower().rstrip("/") for origin in origins),
        )

    def host_allowed(self, host: str) -> bool:
        """Whether a Host header names this server.

        >>> names = Names.of("10.0.0.5", 8080, ("docs.example",))
        >>> [names.host_allowed(host) for host in ("10.0.0.5:8080", "DOCS.example", "10.0.0.5:81", "")]
        [True, True, False, False]
        """
        return host.lower() in self.hosts or _without_port(host.lower()) in self.hosts

    def origin_allowed(self, origin: str) -> bool:
        """Whether a page of this origin may call: one that was allowed, or one of our own names.

        >>> names = Names.of("127.0.0.1", 8080, origins=("https://app.example",))
        >>> [names.origin_allowed(it) for it in ("https://app.example", "http://localhost:8080", "null")]
        [True, True, False]
        """
        own = _ORIGIN.fullmatch(origin.lower())
        return origin.lower() in self.origins or (own is not None and self.host_allowed(own[1]))


class Doors:
    """Lets through what names this server; everything else is told how to have a name allowed."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Refusal | None:
        if scope["path"] in _OPEN:
            return None
        hosts, origin = every(scope, b"host"), header(scope, b"origin")
        host = hosts[0] if hosts else ""
        if len(hosts) > 1 or not self._names.host_allowed(host):
            return Refusal("host", f"host {shown(host)} is not served here; --allow-host NAME allows one")
        if origin and not self._names.origin_allowed(origin):
            return Refusal("origin", f"origin {shown(origin)} may not call; --allow-origin URL allows one")
        return None


def bracketed(host: str) -> str:
    """A host as it stands in a URL: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
