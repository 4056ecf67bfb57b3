"""The desk of a server, opened beside the protocol: calls wait for it, and a failure ends the serving."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from mark_outline import UnknownEncoding
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_store import StoreError


class Opened:
    """A desk that may still be opening."""

    def __init__(self) -> None:
        self._ready = anyio.Event()
        self._desk: Desk | None = None
        self._complete = False
        self.failure: StoreError | UnknownEncoding | None = None

    async def wait(self) -> Desk:
        """Give the desk as soon as there is one."""
        await self._ready.wait()
        assert self._desk is not None
        return self._desk

    def usable(self) -> bool:
        """Whether the index has been complete once; a change that is being read takes nothing from it."""
        self._complete = self._complete or (self._desk is not None and self._desk.progress() is None)
        return self._complete

    async def keep(self, settings: Settings, give_up: Callable[[], None]) -> None:
        """Hold the desk open until cancelled; `give_up` is called when it cannot be opened."""
        try:
            async with open_desk(settings) as desk:
                self._desk = desk
                self._ready.set()
                await anyio.sleep_forever()
        except (StoreError, UnknownEncoding) as error:
            self.failure = error
            give_up()
