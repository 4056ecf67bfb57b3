"""Whose request it is that a handler answers, and the desk as that caller may read it.

Over HTTP the caller stands in the request's state, put there by `bearer` before the protocol sees it; over
standard input there is one client, whose desk is the server's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import ServerRequestContext

from mark_server.callers import Caller
from mark_server.desk import Desk

OpenDesk = Callable[[], Awaitable[Desk]]
Context = ServerRequestContext[Any]


async def desk_for(context: Context, open_desk: OpenDesk) -> Desk:
    """Give the desk, once it is open, within the scope of whoever sent this request."""
    desk = await open_desk()
    if context.request is None:
        return desk
    # A request without a caller is a mistake of ours: it fails here rather than read everything.
    caller: Caller = context.request.state.caller
    return desk.within(caller.reader)
