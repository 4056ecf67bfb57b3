"""A desk behind `POST /mark`, behind real TLS on loopback, and stores that ask it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import uvicorn
from starlette.types import ASGIApp

from tests.certificates import Authority
from tests.waiting import until


@asynccontextmanager
async def served(app: ASGIApp, authority: Authority) -> AsyncIterator[str]:
    """Serve an application over HTTPS; the address of its server."""
    certificate, key = authority.files("127.0.0.1")
    config = uvicorn.Config(
        app, port=0, ssl_certfile=certificate, ssl_keyfile=str(key), log_config=None, lifespan="on"
    )
    server = _Quiet(config)
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        await until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield f"https://127.0.0.1:{port}"
        finally:
            server.should_exit = True
