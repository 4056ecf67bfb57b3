"""A store for properties: hypothesis calls a test over and over, outside any event loop."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from anyio.from_thread import BlockingPortal

from mark_store import FolderStore

T = TypeVar("T")


class Living:
    """A store in an event loop of another thread, for tests that hypothesis calls over and over."""

    def __init__(
        self, portal: BlockingPortal, root: Path, data: Path, authorities: tuple[str, ...] = ()
    ) -> None:
        self.portal = portal
        self.root = root
        self.store = portal.call(partial(FolderStore.open, root, data, "bytes", authorities=authorities))
        assert portal.call(self.store.ready, 30)

    def try_(self, call: Callable[[], Awaitable[T]], *refusals: type[Exception]) -> T | None:
        """The answer of a call, or None for one of the refusals that it may make."""
        try:
            return self.portal.call(call)
        except refusals:
            return None
