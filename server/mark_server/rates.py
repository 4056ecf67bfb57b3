"""How many calls a caller may make in a minute; more get 429 with the seconds to wait.

A full minute's allowance may be used at once, and comes back evenly. Callers are told apart by name.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from mark_server.callers import Caller
from mark_server.refusal import Refusal

_MINUTE = 60.0
# A caller who has not called for a minute has a full allowance, as one who is not remembered.
_MOST_CALLERS = 10_000


class Rates:
    """What is left of each caller's allowance of `most` calls a minute."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> int:
        """Take one call; 0, or the whole seconds after which there is one to take.

        >>> clock = [0.0]
        >>> rates = Rates(2, lambda: clock[0])
        >>> [rates.wait("ann") for _ in range(3)]
        [0, 0, 30]
        >>> clock[0] = 30.0
        >>> rates.wait("ann"), rates.wait("ben")
        (0, 0)
        """
        now = self._now()
        left, then = self._left.pop(name, (float(self._most), now))
        left = min(self._most, left + (now - then) * self._most / _MINUTE)
        allowed = left >= 1
        self._left[name] = (left - 1 if allowed else left, now)
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return 0 if allowed else math.ceil((1 - left) * _MINUTE / self._most)


class Rated:
    """Refuses the calls of a caller who has none left."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._rates = Rates(most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one request."""
        caller: Caller = scope["state"]["caller"]
        seconds = self._rates.wait(caller.name)
        if seconds:
            line = f"more than {self._most} calls in a minute; try again in {seconds} s"
            await Refusal("rate", line, {"Retry-After": str(seconds)})(scope, receive, send)
            return
        await self._app(scope, receive, send)
