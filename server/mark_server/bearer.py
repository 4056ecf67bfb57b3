"""Who sends a request: its bearer token, made into a caller, and what one without is told.

How a token is known is the `Callers`' business. What a caller may read travels in the request's state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mark_server.callers import CallerError, Callers, ScopeMissing
from mark_server.headers import every, header
from mark_server.refusal import Refusal

METADATA = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True)
class Resource:
    """This server as OAuth sees it (RFC 9728): the URL that clients use, who issues tokens, and their scopes.

    `url` "" takes the scheme and host of the request, which has been checked.
    """

    path: str = "/mcp"
    url: str = ""
    issuers: Sequence[str] = ()
    scopes: Sequence[str] = ()

    def root(self, scope: Scope) -> str:
        """Scheme and host under which a client reached this server."""
        host = header(scope, b"host")
        return self.url.rstrip("/") or f"{scope['scheme']}://{host}"

    def metadata(self, scope: Scope) -> Response:
        """The document at the well-known address."""
        about = {
            "resource": self.root(scope) + self.path,
            "resource_name": "marklookup",
            "authorization_servers": list(self.issuers),
            "scopes_supported": list(self.scopes),
            "bearer_methods_supported": ["header"],
        }
        return Response(json.dumps(about), media_type="application/json")


class Identified:
    """Puts the caller into the state of a request, or answers 401, and 403 who is known and reads nothing."""

    def __init__(self, app: ASGIApp, callers: Callers, resource: Resource) -> None:
        self._app = app
        self._callers = callers
        self._resource = resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Identify who sends one request."""
        token = bearer_token(every(scope, b"authorization"))
        try:
            scope["state"]["caller"] = await self._callers.identify(token)
        except ScopeMissing as error:
            wanted = " ".join(self._resource.scopes)
            challenge = self._challenge(scope, f', error="insufficient_scope", scope="{wanted}"')
            await Refusal("scope", str(error), challenge)(scope, receive, send)
        except CallerError as error:
            challenge = self._challenge(scope, ', error="invalid_token"' if token is not None else "")
            await Refusal("token", str(error), challenge)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _challenge(self, scope: Scope, wrong: str) -> dict[str, str]:
        """Where a client learns who issues tokens (RFC 9728), and what was wrong with its own (RFC 6750)."""
        where = f'resource_metadata="{self._resource.root(scope)}{METADATA}{self._resource.path}"'
        return {"WWW-Authenticate": f"Bearer {where}{wrong}"}


def bearer_token(headers: Sequence[str]) -> str | None:
    """Give the token of an Authorization header; none for another scheme, or when there are two headers.

    >>> bearer_token(["bearer abc"]), bearer_token(["Basic abc"]), bearer_token([])
    ('abc', None, None)
    """
    if len(headers) != 1:
        return None
    scheme, _, token = headers[0].strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
