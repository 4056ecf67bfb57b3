"""An application behind real TLS on loopback, and callers that are known by a token."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mark_server.callers import Caller, CallerError, Callers
from mark_server.desk import Desk
from mark_server.mark_route import OF_STORE, PATH, MarkRoute
from tests.certificates import Authority
from tests.waiting import until

OpenDesk = Callable[[], Awaitable[Desk]]


class Known:
    """Callers by their tokens; others are none."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = callers

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents a token."""
        if token not in self._callers:
            raise CallerError("this token is not known" if token else "a token is wanted")
        return self._callers[token or ""]


class _Server(uvicorn.Server):
    """uvicorn that leaves the signals of the test run alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def served(app: ASGIApp, authority: Authority) -> AsyncIterator[str]:
    """Serve an application; the address under which it is reached."""
    certificate, key = authority.files("127.0.0.1")
    config = uvicorn.Config(app, port=0, ssl_certfile=str(certificate), ssl_keyfile=str(key), log_config=None)
    server = _Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        await until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield f"https://127.0.0.1:{port}"
        finally:
            server.should_exit = True


def application(open_desk: OpenDesk, callers: Callers) -> ASGIApp:
    """The routes of Mark over HTTPS, as the surface has them."""
    route = MarkRoute(open_desk)

    async def identified(scope: Scope, receive: Receive, send: Send) -> None:
        word, _, token = Request(scope).headers.get("authorization", "").partition(" ")
        try:
            scope["state"] = {"caller": await callers.identify(token if word == "Bearer" else None)}
        except CallerError as error:
            await PlainTextResponse(str(error), 401)(scope, receive, send)
            return
        await route(scope, receive, send)

    return Starlette(routes=[Route(path, _App(identified)) for path in (PATH, OF_STORE)])


class _App:
    """An ASGI application that starlette takes for one: it takes functions for handlers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
