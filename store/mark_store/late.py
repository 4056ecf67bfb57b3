"""A store that is opened behind its first questions, and again when that failed.

A question waits for the first attempt and is then told at once why there is no store; how a store is opened
is left to whoever gives the `opening`.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import NoReturn

import anyio

from .errors import BadAddress, BadRoot, DataFolderUnusable, StoreError, Unavailable
from .opened import Opened
from .port import Document, History, Link, LookupPage, Match, Page, Progress, Relating, Store
from .reader import EVERYTHING, Reader

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0


Opening = Callable[[], AbstractAsyncContextManager[Opened]]


class LateStore:
    """A `Store` that `keep_open` opens and closes."""

    def __init__(self, name: str, opening: Opening) -> None:
        """Take how the store is opened; `name` stands in what is said while it is not."""
        self.name = name
        self._opening = opening
        self._opened: Opened | None = None
        self._tried = anyio.Event()
        self.failure: StoreError | None = None

    async def keep_open(self) -> NoReturn:
        """Open the store and keep it until this is cancelled; what fails is tried again, later each time."""
        pause = FIRST_PAUSE
        while True:
            try:
                async with self._opening() as opened:
                    self._opened, self.failure = opened, None
                    self._tried.set()
                    await anyio.sleep_forever()
            except StoreError as error:
                self.failure = error
                self._tried.set()
            finally:
                self._opened = None
            await anyio.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    async def tried(self) -> StoreError | None:
        """Wait for the first attempt; why the last one failed, None when the store is open."""
        await self._tried.wait()
        return self.failure

    @property
    def progress(self) -> Progress | None:
        """How far indexing is: nowhere before the first attempt, None when the store cannot be opened."""
        if not self._tried.is_set():
            return Progress(0, 0)
        return self._opened.progress() if self._opened else None

    async def ready(self, seconds: float) -> bool:
        """Wait until the store knows all of its documents, at most so many seconds; whether it does.

        False at once when it cannot be opened.

        Raises: StoreError.
        """
        with anyio.move_on_after(seconds) as waiting:
            await self._tried.wait()
        if not self._opened:
            return False
        return await self._opened.ready(max(0.0, waiting.deadline - anyio.current_time()))

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the name of the tool's argument (surface.md)
        limit: int = 10,
        offset: int = 0,
        match: Match = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        """Look up in the store once it is open."""
        store = await self._store()
        return await store.lookup(
            query, scope=scope, filter=filter, limit=limit, offset=offset, match=match, reader=reader
        )

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        """Fetch from the store once it is open."""
        return await (await self._store()).fetch(path, version, reader=reader)

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        """List the store once it is open."""
        return await (await self._store()).list(path, cursor, page_size, reader=reader)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        """Tell versions of the store once it is open."""
        return await (await self._store()).versions(path, reader=reader)

    async def related(
        self,
        path: str,
        predicates: tuple[str, ...] = (),
        *,
        incoming: bool = False,
        limit: int = 100,
        reader: Reader = EVERYTHING,
    ) -> tuple[Link, ...]:
        """Tell relations of the store once it is open; none where it cannot tell any."""
        store = await self._store()
        if not isinstance(store, Relating):
            return ()
        return await store.related(path, predicates, incoming=incoming, limit=limit, reader=reader)

    async def aclose(self) -> None:
        """Leave the closing to the end of `keep_open`."""

    async def _store(self) -> Store:
        await self._tried.wait()
        if self._opened:
            return self._opened.store
        raise self._why()

    def _why(self) -> StoreError:
        """Why there is no store, without a path of this machine: that was said where it was opened."""
        match self.failure:
            case None:
                return Unavailable(self.name, "closed")
            case BadRoot(reason=reason) | DataFolderUnusable(reason=reason) | BadAddress(reason=reason):
                return Unavailable(self.name, reason)
            case failure:
                return failure
