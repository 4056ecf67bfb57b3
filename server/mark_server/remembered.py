"""Finished answers, given again for as long as the store vouches that they would be the same.

Keyed by what the caller may read and by the arguments, so nobody gets another reader's bytes. Before an
answer is given again the store compares what it always compares before an answer (`Standing`); one change to
its index, by whichever process, and the answer is made anew. A store that cannot tell is always asked.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from sys import getsizeof
from typing import Any, TypeVar

import anyio
from anyio.lowlevel import checkpoint

from mark_server.arguments import Arguments
from mark_server.desk import Desk
from mark_store import (
    EVERYTHING,
    Archived,
    Document,
    History,
    Link,
    LookupPage,
    NotFound,
    Page,
    Pruned,
    Reader,
    Relating,
    Standing,
    Store,
    StoreError,
)

Make = Callable[[Desk], Awaitable[str]]
_Found = TypeVar("_Found")
_Key = tuple[Reader, Arguments]

_MOST_BYTES = 32 << 20
_LARGEST = 512 << 10  # bytes of one text
# What was asked once is not kept, since most questions never come again; so many of them are known, by hash.
_MOST_MET = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """An answer, the documents that it rests on, and what their store said of them."""

    key: _Key
    text: str
    store: Standing
    paths: tuple[str, ...]
    state: Hashable
    size: int


class Met:
    """What was met before, the latest of it, by hash."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, None] = OrderedDict()

    def first(self, thing: Hashable) -> bool:
        """Whether this is met for the first time, as far as is known."""
        name = hash(thing)
        known = name in self._known
        self._known[name] = None
        self._known.move_to_end(name)
        if len(self._known) > _MOST_MET:
            self._known.popitem(last=False)
        return not known


class _Look:
    """One look at the store, on behalf of all answers whose documents it names; the first of them leads."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.state: Hashable | None = None
        self.led = False
        self.over = anyio.Event()


class Remembered:
    """Answers that were asked for more than once, the latest ones, `most` bytes of them.

    `again` is called for each that is given again.
    """

    def __init__(self, again: Callable[[], None] = lambda: None, most: int = _MOST_BYTES) -> None:
        self._again = again
        self._most = most
        self._kept: OrderedDict[_Key, Kept] = OrderedDict()
        self._met = Met()
        self._size = 0
        self._look = _Look()
        self._looking = anyio.Lock(fast_acquire=True)

    async def answer(self, desk: Desk, arguments: Arguments, make: Make) -> str:
        """Give the answer that `make` gives, from memory where nothing can have changed."""
        key = (desk.reader, arguments)
        if not isinstance(desk.store, Standing) or self._met.first(key):
            return await make(desk)
        kept = self._kept.get(key)
        state = await self._state_or_none(desk.store, kept.paths if kept else ())
        if kept and state == kept.state:
            self._used(kept)
            return kept.text
        return await self._made(desk, key, make, state)

    def kept(self, reader: Reader, arguments: Arguments) -> Kept | None:
        """Give what is kept for a question; whether it still holds is not asked."""
        return self._kept.get((reader, arguments))

    async def stands(self, kept: Kept) -> bool:
        """Tell whether an answer that was kept may be given again now; it then counts as given.

        Raises:
            StoreError: The store cannot be asked.
        """
        stands = await self._state(kept.store, kept.paths) == kept.state
        if stands:
            self._used(kept)
        return stands

    def _used(self, kept: Kept) -> None:
        self._again()
        # Another one may have taken its place meanwhile, or its room.
        if self._kept.get(kept.key) is kept:
            self._kept.move_to_end(kept.key)

    async def _made(self, desk: Desk, key: _Key, make: Make, before: Hashable | None) -> str:
        assert isinstance(desk.store, Standing)
        store, started = _Seen(desk.store), time.monotonic()
        text = await make(replace(desk, store=store))
        # An answer that a deadline or a failure cut short says so, and the next one may be whole.
        whole = store.whole and time.monotonic() - started < desk.settings.deadline / 2
        paths = tuple(store.paths)
        fit = whole and text.startswith("status: ok\n") and getsizeof(text) <= _LARGEST
        if fit and before is not None and await self._state_or_none(desk.store, paths) == before:
            size = getsizeof(text) + getsizeof(repr((key, paths)))
            self._keep(Kept(key, text, desk.store, paths, before, size))
        return text

    async def _state_or_none(self, store: Standing, paths: tuple[str, ...]) -> Hashable | None:
        """None where the store cannot be asked: a kept version, say, it gives all the same."""
        try:
            return await self._state(store, paths)
        except StoreError:
            return None

    async def _state(self, store: Standing, paths: tuple[str, ...]) -> Hashable | None:
        """Ask the store once for all who wait; what was asked before one of them came counts not for it."""
        look = self._look
        look.paths.update(paths)
        if look.led:
            await look.over.wait()
        else:
            look.led = True
            await self._led(look, store)
        return look.state

    async def _led(self, look: _Look, store: Standing) -> None:
        try:
            async with self._looking:
                # Whoever came in at the same moment joins.
                await checkpoint()
                self._look = _Look()
                look.state = await store.standing(look.paths)
        finally:
            # Cut short, it tells the others nothing; they have their answers made.
            if self._look is look:
                self._look = _Look()
            look.over.set()

    def _keep(self, kept: Kept) -> None:
        self._drop(kept.key)
        self._kept[kept.key] = kept
        self._size += kept.size
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: _Key) -> None:
        kept = self._kept.pop(key, None)
        self._size -= kept.size if kept else 0


class _Seen:
    """A store, and which documents were asked of it; `whole` as long as it gave all that it was asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.paths: dict[str, None] = {}
        self.whole = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def lookup(self, query: str, **options: Any) -> LookupPage:
        page = await self._told(self._store.lookup(query, **options))
        self.paths |= dict.fromkeys(row.path for row in page.rows)
        self.whole = self.whole and page.indexing is None
        return page

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        self.paths[path] = None
        return await self._told(self._store.fetch(path, version, reader=reader))

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        return await self._told(self._store.list(path, cursor, page_size, reader=reader))

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        self.paths[path] = None
        return await self._told(self._store.versions(path, reader=reader))

    async def related(self, path: str, predicates: tuple[str, ...] = (), **options: Any) -> tuple[Link, ...]:
        if not isinstance(self._store, Relating):
            return ()
        links = await self._told(self._store.related(path, predicates, **options))
        self.paths |= dict.fromkeys([path, *(link.source for link in links)])
        return links

    async def aclose(self) -> None:
        await self._store.aclose()

    async def _told(self, asked: Awaitable[_Found]) -> _Found:
        """Wait for an answer; a document that is not there is one, a failure or an interruption is none."""
        try:
            return await asked
        except (NotFound, Archived, Pruned):
            raise
        except BaseException:
            self.whole = False
            raise
