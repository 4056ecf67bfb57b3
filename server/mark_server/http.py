"""The HTTP surface as an ASGI application: tools at `/mcp`, Mark at `/mark`, operators' and OAuth's pages.

The protocol is the SDK's. Around it, from the outside in: log, names, caller, rate, bounds.
Sockets, signals and the store's life are `listening`'s.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mark_server import mark_route
from mark_server.bearer import METADATA, Identified, Resource
from mark_server.bounds import Bounded, Bounds, sound
from mark_server.callers import Anyone, Callers
from mark_server.hosts import Doors, Names
from mark_server.journal import Journal, Log
from mark_server.mark_route import MarkRoute
from mark_server.metrics import Metrics
from mark_server.rates import Rated
from mark_server.refusal import Refusal
from mark_server.remembered import Remembered
from mark_server.served import OpenDesk
from mark_server.tools import build_server
from mark_server.verbatim import Verbatim

PATH = "/mcp"
_TOKEN = b'"progressToken"'


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that the application is given beside the desk: who may call, under which names, within what."""

    names: Names
    callers: Callers = field(default_factory=Anyone)
    resource: Resource = field(default_factory=Resource)
    bounds: Bounds = field(default_factory=Bounds)
    log: Log = field(default_factory=Log)


def build_app(
    open_desk: OpenDesk,
    ready: Callable[[], bool],
    count: Callable[[str], int],
    around: Surroundings,
) -> ASGIApp:
    """Wire the application; `ready` tells whether the index can be used, `count` the tokens of a text."""
    metrics = Metrics(count)
    remembered = Remembered(metrics.given_again)
    server = build_server(open_desk, remembered)
    protocol = _Protocol(server, around.bounds)
    called = _Calls(Verbatim(protocol, remembered, metrics), MarkRoute(open_desk))
    bounded = Bounded(called, around.bounds, called.again)
    metrics.follow(lambda: bounded.running)
    server.middleware.append(metrics)
    calls: ASGIApp = bounded if around.bounds.rate is None else Rated(bounded, around.bounds.rate)
    calls = Identified(calls, around.callers, around.resource)
    marks = [Route(path, calls) for path in (mark_route.PATH, mark_route.OF_STORE)]
    figures = Route("/metrics", Identified(_Figures(metrics), around.callers, around.resource))
    posted = _Posted(calls)
    routes = [Route(PATH, posted), *marks, figures, *_for_probes(ready), *_for_oauth(around)]
    app: ASGIApp = _Entry(posted, Starlette(routes=routes, lifespan=protocol.running))
    if around.names.origins:
        app = CORSMiddleware(
            app,
            allow_origins=sorted(around.names.origins),
            allow_methods=["POST"],
            allow_headers=["*"],
            expose_headers=["WWW-Authenticate", "Retry-After", "X-Request-Id"],
        )
    return Journal(Doors(app, around.names), around.log, metrics)


class _Figures:
    """Answers with the metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Response(self._metrics.text(), media_type=CONTENT_TYPE_LATEST)(scope, receive, send)


def _for_probes(ready: Callable[[], bool]) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_request: Request) -> Response:
        if ready():
            return PlainTextResponse("ready\n")
        return PlainTextResponse("indexing\n", 503, {"Retry-After": "1"})

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def _for_oauth(around: Surroundings) -> list[Route]:
    """What a client without a token reads; nothing where no token is asked for."""

    async def metadata(request: Request) -> Response:
        return around.resource.metadata(request.scope)

    known = not isinstance(around.callers, Anyone)
    return [Route(path, metadata) for path in (METADATA, METADATA + PATH)] if known else []


class _Entry:
    """Leads to the protocol, and to all other pages; what is called all the time needs no router."""

    def __init__(self, protocol: ASGIApp, pages: ASGIApp) -> None:
        self._protocol = protocol
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._protocol if scope["type"] == "http" and scope["path"] == PATH else self._pages
        await app(scope, receive, send)


class _Posted:
    """Lets POST through: without sessions there is no stream to open and no session to end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await Refusal("method", f"{PATH} takes POST", {"Allow": "POST"})(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _Calls:
    """What is called: the tools, or a request of the Mark wire."""

    def __init__(self, tools: Verbatim, marks: ASGIApp) -> None:
        self._tools = tools
        self._marks = marks

    async def again(self, scope: Scope, body: bytes, send: Send) -> bool:
        """Answer what needs neither the protocol nor the wire; whether it did."""
        return scope["path"] == PATH and await self._tools.again(scope, body, send)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._tools if scope["path"] == PATH else self._marks)(scope, receive, send)


class _Protocol:
    """The SDK's transports, without sessions, for both eras: JSON, or a stream for who asks for progress."""

    def __init__(self, server: Server[Any], bounds: Bounds) -> None:
        self._json, self._stream = (
            StreamableHTTPSessionManager(
                server, json_response=plain, stateless=True, max_request_body_size=bounds.body
            )
            for plain in (True, False)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        first: Message | None = _mended(await receive())

        async def again() -> Message:
            nonlocal first
            message, first = first, None
            return message if message is not None else await receive()

        asked = first is not None and _TOKEN in first.get("body", b"")
        streams = asked and all(check_accept_headers(Request(scope)))
        await (self._stream if streams else self._json).handle_request(scope, again, send)

    def running(self, _app: Starlette) -> AbstractAsyncContextManager[None]:
        """Keep both transports open."""
        return self._both()

    @asynccontextmanager
    async def _both(self) -> AsyncIterator[None]:
        async with self._json.run(), self._stream.run():
            yield


def _mended(message: Message) -> Message:
    """A request's body, JSON that came whole, without what has no UTF-8 form."""
    return {**message, "body": sound(message["body"])} if message.get("body") else message
