"""What one server takes on: sizes, numbers and times have an end each, so that an overload is a clear answer.

A request is read whole before the protocol sees it; a call ends with its client, its time or its answer. What
is bounded on the connection itself (headers, idleness, readers that do not read) is `connections`'.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mark_server.headers import header
from mark_server.refusal import Refusal
from mark_server.standard_input import sound_line

# An overload passes in about the time of a call; who was refused may try again then.
_AGAIN = {"Retry-After": "1"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bytes, numbers and seconds that one server keeps to; every default serves a team.

    `body` is in bytes, `bodies` in bytes of all requests that are read or answered at once, `header` in bytes
    of one request's line and headers. `calls` and `connections` are numbers at once, `rate` calls a minute of
    one caller (None: any). The rest are seconds: for headers, for a body, for a call, for a client to take a
    part of its answer, of an idle connection, and of leaving.
    """

    body: int = 1 << 20
    bodies: int = 64 << 20
    header: int = 16 << 10
    calls: int = 256
    connections: int = 2048
    rate: int | None = None
    header_seconds: float = 10.0
    body_seconds: float = 10.0
    call_seconds: float = 60.0
    write_seconds: float = 30.0
    idle_seconds: float = 30.0
    leave_seconds: float = 10.0


# Answers a request that was read if that takes no time in which a client would go away; tells whether it did.
Quick = Callable[[Scope, bytes, Send], Awaitable[bool]]


class Bounded:
    """Reads a request, and answers it within the bounds; `quick` is asked before the application."""

    def __init__(self, app: ASGIApp, bounds: Bounds, quick: Quick) -> None:
        self._app = app
        self._bounds = bounds
        self._quick = quick
        self._held = 0
        self.running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say which bound it is over."""
        exchange, refused = _Exchange(receive, send), None
        try:
            # One limit, of the body first: a second one would cost as much as all that is checked here.
            with anyio.move_on_after(self._bounds.body_seconds) as limit:
                refused = await self._read(exchange, scope, receive) or self._busy()
                if refused is None and exchange.complete:
                    limit.deadline = anyio.current_time() + self._bounds.call_seconds
                    await self._run(exchange, scope)
            if limit.cancelled_caught:
                refused = self._late(exchange)
            if refused is not None and not exchange.started:
                await refused(scope, receive, send)
        finally:
            self._held -= len(exchange.body)

    async def _read(self, exchange: _Exchange, scope: Scope, receive: Receive) -> Refusal | None:
        """Read the body, as far as it comes; a client that goes away leaves it incomplete."""
        first = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if first + sum(len(name) + len(value) for name, value in scope["headers"]) > self._bounds.header:
            told = f"request line and headers have at most {self._bounds.header} bytes"
            return Refusal("head", told, {"Connection": "close"})
        declared = header(scope, b"content-length")
        if declared.isdigit() and int(declared[:20]) > self._bounds.body:
            return self._too_large()
        while not exchange.complete:
            message = await receive()
            if message["type"] != "http.request":
                return None
            part = message.get("body", b"")
            exchange.body += part
            self._held += len(part)
            if len(exchange.body) > self._bounds.body:
                return self._too_large()
            if self._held > self._bounds.bodies:
                return Refusal("busy", "too many requests are being read; try again", _AGAIN)
            exchange.complete = not message.get("more_body", False)
        return None

    def _busy(self) -> Refusal | None:
        if self.running < self._bounds.calls:
            return None
        return Refusal("busy", f"{self.running} calls are running; try again", _AGAIN)

    def _late(self, exchange: _Exchange) -> Refusal:
        if exchange.complete:
            line = f"the call took longer than {self._bounds.call_seconds:g} s; try again"
            return Refusal("time", line, _AGAIN)
        line = f"the request did not come within {self._bounds.body_seconds:g} s"
        return Refusal("slow", line, {"Connection": "close"})

    def _too_large(self) -> Refusal:
        line = f"a request has at most {self._bounds.body} bytes"
        # What is still on its way would be read as the next request.
        return Refusal("body", line, {"Connection": "close"})

    async def _run(self, exchange: _Exchange, scope: Scope) -> None:
        self.running += 1
        try:
            if not await self._quick(scope, bytes(exchange.body), exchange.answer):
                await exchange.run(self._app, scope)
        finally:
            self.running -= 1


class _Exchange:
    """One request, as far as it was read, and its answer; running, it ends when the client goes away."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.body = bytearray()
        self.complete = False
        self.started = False
        self._given = False
        self._finished = False
        self._receive = receive
        self._send = send

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        gone = anyio.Event()

        async def give() -> Message:
            if not self._given:
                self._given = True
                return {"type": "http.request", "body": bytes(self.body), "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async with anyio.create_task_group() as group:
            group.start_soon(self._watch, gone, group.cancel_scope)
            await app(scope, give, self.answer)
            group.cancel_scope.cancel()

    async def _watch(self, gone: anyio.Event, running: anyio.CancelScope) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            continue
        gone.set()
        # The end of the answer reads as a disconnect, too.
        if not self._finished:
            running.cancel()

    async def answer(self, message: Message) -> None:
        """Send a part of the answer."""
        self.started = True
        self._finished = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)


def sound(body: bytes) -> bytes:
    r"""Give JSON in which what has no UTF-8 form is U+FFFD, as standard input has it.

    >>> sound(b'"\\ud83d x"'), sound(b'"plain"')
    (b'"\\ufffd x"', b'"plain"')
    """
    return sound_line(body).encode()
