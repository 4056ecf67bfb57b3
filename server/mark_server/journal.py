"""What the HTTP server tells on standard error: a JSON object a line, a request's with its id.

No line holds text of a document, a query or a token. What other libraries log is told as where it happened
and the kind of error, since their messages quote what they were given.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import sys
import time
import traceback
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import get_args

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mark_server.headers import header
from mark_server.metrics import Metrics
from mark_server.settings import Level

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Asked every few seconds by machines.
_QUIET = ("/healthz", "/readyz", "/metrics")
_MOST_FRAMES = 6


def write_line(line: str) -> None:
    """Write to standard error at once."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


class Log:
    """Writes events of a level and above; `always` writes those of the server's own life."""

    def __init__(self, level: Level = "info", write: Callable[[str], None] = write_line) -> None:
        levels: tuple[Level, ...] = get_args(Level)
        self._told = frozenset(levels[levels.index(level) :])
        self._write = write

    def __call__(self, level: Level, event: str, **fields: object) -> None:
        """Tell one event."""
        if level in self._told:
            self.always(event, level, **fields)

    def always(self, event: str, level: Level = "info", **fields: object) -> None:
        """Tell one event whatever the level."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told = {"time": now, "level": level, "event": event, **fields}
        self._write(json.dumps({key: value for key, value in told.items() if value not in (None, "")}))


class Journal:
    """Tells of each request when it is over, and counts it."""

    def __init__(self, app: ASGIApp, log: Log, metrics: Metrics) -> None:
        self._app = app
        self._log = log
        self._metrics = metrics
        # Asking the system for random bits with each request is slower than all the rest here.
        self._prefix = uuid.uuid4().hex[:12]
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Follow one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        given = header(scope, b"x-request-id")
        name = given if _ID.fullmatch(given) else f"{self._prefix}-{next(self._numbers)}"
        state = scope.setdefault("state", {})

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", name.encode())]}
            await send(message)

        silence = 500
        try:
            await self._app(scope, receive, answer)
            # A client that went away is answered nothing; 499 is the usual word for it.
            silence = 499
        finally:
            status = status or silence
            self._metrics.answered(status, state.get("refused", ""))
            self._tell(scope, name, status, time.perf_counter() - started)

    def _tell(self, scope: Scope, name: str, status: int, seconds: float) -> None:
        state, peer = scope["state"], scope.get("client")
        caller = state.get("caller")
        self._log(
            "debug" if scope["path"] in _QUIET else "warning" if status >= 500 else "info",
            "request",
            request=name,
            peer=peer[0] if peer else None,
            method=scope["method"],
            path=_told(scope["path"]),
            status=status,
            ms=round(seconds * 1000, 2),
            caller=caller.name if caller else None,
            refused=state.get("refused"),
            **state.get("seen", {}),
        )


def _told(path: str) -> str:
    """One of our own paths, that of a store among several without its name, or `other`."""
    if path in (*_QUIET, "/mcp"):
        return path
    return "/mark" if path.endswith("/mark") else "other"


class Foreign(logging.Handler):
    """Tells what other libraries report as an error: where, and which kind, without their words."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one record."""
        error = record.exc_info[1] if record.exc_info else None
        frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:] if error else []
        self._log(
            "error",
            "fault",
            logger=record.name,
            place=f"{record.module}:{record.lineno}",
            error=type(error).__name__ if error else None,
            frames=[f"{frame.name}:{frame.lineno}" for frame in frames] or None,
        )


def take_over(log: Log) -> None:
    """Have all that is logged in this process go through one log."""
    root = logging.getLogger()
    root.handlers[:] = [Foreign(log)]
    root.setLevel(logging.ERROR)
