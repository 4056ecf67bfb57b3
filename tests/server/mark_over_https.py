"""The HTTP surface behind real TLS on loopback, and callers that are known by a token."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

import anyio
import uvicorn

from mark_server.addresses import Address, bound
from mark_server.callers import Anyone, Caller, CallerError, Callers
from mark_server.desk import Desk
from mark_server.hosts import Names
from mark_server.http import Surroundings, build_app
from mark_server.journal import Log
from tests.server.certificates import Authority
from tests.waiting import until


class Known:
    """Callers by their tokens; others are none."""

    issuers: Sequence[str] = ()
    scopes: Sequence[str] = ()

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
async def served(desk: Desk, authority: Authority, callers: Callers | None = None) -> AsyncIterator[str]:
    """Serve a desk; the address under which it is reached."""

    async def at_once() -> Desk:
        return desk

    shown = authority.vouch("127.0.0.1")
    with bound(Address("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        names = Names.of("127.0.0.1", port)
        around = Surroundings(names, callers or Anyone(), log=Log("error", _unseen))
        app = build_app(at_once, lambda: True, desk.counter.count, around)
        config = uvicorn.Config(
            app, ssl_certfile=str(shown.certificate), ssl_keyfile=str(shown.key), log_config=None
        )
        server = _Server(config)
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listening])
            await until(lambda: server.started)
            try:
                yield f"https://127.0.0.1:{port}"
            finally:
                server.should_exit = True


def _unseen(line: str) -> None:
    """The log of a server under test; what is wrong is asserted by what it answers."""
