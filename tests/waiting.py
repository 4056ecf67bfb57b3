"""The one bounded wait. Tests that need something to have happened ask for it here; none sleeps."""

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

import anyio

T = TypeVar("T")
POLL_SECONDS = 0.01


@overload
async def until(condition: Callable[[], Awaitable[T]], seconds: float = 10) -> T: ...
@overload
async def until(condition: Callable[[], T], seconds: float = 10) -> T: ...
async def until(condition: Callable[[], object], seconds: float = 10) -> object:
    """The first true answer of `condition` (plain or async); AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if inspect.isawaitable(answer):
            answer = await answer
        if answer:
            return answer
        _expect_before(deadline, seconds)
        await anyio.sleep(POLL_SECONDS)


def until_sync(condition: Callable[[], T], seconds: float = 10) -> T:
    """The first true answer of `condition`; AssertionError after `seconds`. Never in an event loop."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        _expect_before(deadline, seconds)
        time.sleep(POLL_SECONDS)


def _expect_before(deadline: float, seconds: float) -> None:
    if time.monotonic() >= deadline:
        raise AssertionError(f"still not true after {seconds:g} s")
