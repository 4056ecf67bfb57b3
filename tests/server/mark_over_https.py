"""An application behind real TLS on loopback, and callers that are known by a token."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

import anyio
import uvicorn
from starlette.types import ASGIApp

from mark_server.callers import Caller, CallerError
from tests.certificates import Authority
from tests.waiting import until


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
