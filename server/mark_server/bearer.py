"""Who sends a request: its bearer token, made into a caller, and what one without is told.

How a token is known is the `Callers`' business. What a caller may read travels in the request's state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mark_server.callers import CallerError, Callers
from mark_server.refusal import Refusal

METADATA = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True)
class Resource:
    """This server as OAuth sees it (RFC 9728): the URL that clients use, and who issues tokens for it.

    `url` "" takes the scheme and host of the request, which has been checked.
    """

    path: str = "/mcp"
    url: str = ""
    issuers: Sequence[str] = ()

    def root(self, scope: Scope) -> str:
        """Scheme and host under which a client reached this server."""
        host = Headers(scope=scope).get("host", "")
        return self.url.rstrip("/") or f"{scope['scheme']}://{host}"

    def metadata(self, scope: Scope) -> Response:
        """The document at the well-known address."""
        about = {
            "resource": self.root(scope) + self.path,
            "resource_name": "marklookup",
            "authorization_servers": list(self.issuers),
            "bearer_methods_supported": ["header"],
        }
        return Response(json.dumps(about), media_type="application/json")


class Identified:
    """Puts the caller into the state of a request, or answers 401."""

    def __init__(self, app: ASGIApp, callers: Callers, resource: Resource) -> None:
        self._app = app
        self._callers = callers
        self._resource = resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Identify who sends one request."""
        token = bearer_token(Headers(scope=scope).getlist("authorization"))
        try:
            scope["state"]["caller"] = await self._callers.identify(token)
        except CallerError as error:
            where = f'resource_metadata="{self._resource.root(scope)}{METADATA}{self._resource.path}"'
            wrong = ', error="invalid_token"' if token is not None else ""
            challenge = {"WWW-Authenticate": f"Bearer {where}{wrong}"}
            await Refusal("token", str(error), challenge)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def bearer_token(headers: Sequence[str]) -> str | None:
    """Give the token of an Authorization header; none for another scheme, or when there are two headers.

    >>> bearer_token(["bearer abc"]), bearer_token(["Basic abc"]), bearer_token([])
    ('abc', None, None)
    """
    if len(headers) != 1:
        return None
    scheme, _, token = headers[0].strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
