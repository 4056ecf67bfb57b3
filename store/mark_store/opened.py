"""A store that is open, and how far it knows its documents.

A folder tells its progress; a remote store has nothing to tell, and is taken for complete.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .port import Progress, Store


async def _at_once(_seconds: float) -> bool:
    return True


def _complete() -> Progress | None:
    return None


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store.

    `ready(seconds)` waits, at most that long, until it knows all of its documents; `progress()` is None once
    it does.
    """

    store: Store
    ready: Callable[[float], Awaitable[bool]] = _at_once
    progress: Callable[[], Progress | None] = _complete
