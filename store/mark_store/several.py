"""Several stores as one: each mounted by name, its documents addressed as `mark://name/path`.

A question about one document goes to its store alone; a lookup without a scope goes to all of them at once
(`gathering`). A reader's scope goes to each store as far as it is for that store, and a store of which
nothing may be read is not there.
"""

from collections.abc import Sequence
from dataclasses import replace

import anyio

from .errors import BadQuery, NotFound, StoreError
from .gathering import gathered, together
from .lookups import Question
from .mounted import Mounted, is_mount_name, split_address
from .port import Document, Entry, History, Link, LookupPage, Match, Page, Progress, Relating
from .reader import EVERYTHING, Reader


class SeveralStores:
    """Mounted stores as a `Store`; who opened them closes them."""

    def __init__(self, mounts: Sequence[Mounted]) -> None:
        """Take the stores in their order, which decides between rows of equal rank.

        Raises: BadQuery (a name that is none, or is there twice; a weight or deadline that is not above 0).
        """
        _check(mounts)
        self.mounts = tuple(mounts)

    @property
    def names(self) -> dict[str, str]:
        """The name of the store that each authority of a `mark://` address means."""
        hosts = {host: mount.name for mount in reversed(self.mounts) for host in mount.hosts}
        return hosts | {mount.name: mount.name for mount in self.mounts}

    @property
    def progress(self) -> Progress | None:
        """How far those are that do not know all of their documents yet; None when all of them do."""
        return together([mount.indexing() for mount in self.mounts])

    async def ready(self, seconds: float) -> bool:
        """Wait until every store knows all of its documents, at most so many seconds; whether they do.

        A store that cannot be asked is not waited for: what it lacks is said with each answer.
        """
        done: list[bool] = []

        async def wait(mount: Mounted) -> None:
            try:
                done.append(await mount.opened.ready(seconds))
            except StoreError:
                done.append(False)

        async with anyio.create_task_group() as group:
            for mount in self.mounts:
                group.start_soon(wait, mount)
        return all(done)

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
        """Ask one store, or for the scope `/` all of them, whose rows are interleaved by rank and weight.

        Raises: NotFound (unknown scope or store), BadQuery, AllFailed, and what the one store raises.
        """
        question = Question(query, scope, filter, limit, offset, match, reader)
        question.check()
        host, path = split_address(scope)

        async def ask(mount: Mounted, start: int) -> LookupPage:
            return await mount.store.lookup(
                query,
                scope=path,
                filter=filter,
                limit=limit,
                offset=start,
                match=match,
                reader=reader.within(mount.name),
            )

        one = host or path != "/"
        mounts = (self._mount(scope, reader),) if one else self._visible(reader)
        return await gathered(mounts, ask, offset, limit, match)

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        """Read one document from its store.

        Raises: NotFound, BadQuery (an address without a store), and what the store raises.
        """
        mount, inner = self._place(path, reader)
        document = await mount.asked(
            lambda: mount.store.fetch(inner, version, reader=reader.within(mount.name)), _until(mount)
        )
        return replace(document, path=mount.address(document.path))

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        """Read one page of a level of one store; `/` lists the stores.

        Raises: NotFound, BadQuery (cursor, page size, an address without a store), and what the store raises.
        """
        if split_address(path) == ("", "/"):
            return self._stores(cursor, page_size, reader)
        mount, inner = self._place(path, reader)
        page = await mount.asked(
            lambda: mount.store.list(inner, cursor, page_size, reader=reader.within(mount.name)),
            _until(mount),
        )
        entries = tuple(replace(entry, path=mount.address(entry.path)) for entry in page.entries)
        return replace(page, path=mount.address(page.path), entries=entries)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        """Tell the versions of one document of one store.

        Raises: NotFound, BadQuery (an address without a store), and what the store raises.
        """
        mount, inner = self._place(path, reader)
        history = await mount.asked(
            lambda: mount.store.versions(inner, reader=reader.within(mount.name)), _until(mount)
        )
        return mount.history(history)

    async def related(
        self,
        path: str,
        predicates: tuple[str, ...] = (),
        *,
        incoming: bool = False,
        limit: int = 100,
        reader: Reader = EVERYTHING,
    ) -> tuple[Link, ...]:
        """Tell what a document of one store declares, or what in that store declares it.

        None where the store can tell no relations.

        Raises: NotFound (unknown store), BadQuery, and what the store raises.
        """
        mount, inner = self._place(path, reader)
        store, scope = mount.store, reader.within(mount.name)
        if not isinstance(store, Relating):
            return ()
        links = await mount.asked(
            lambda: store.related(inner, predicates, incoming=incoming, limit=limit, reader=scope),
            _until(mount),
        )
        return tuple(map(mount.link, links))

    async def aclose(self) -> None:
        """Close every store."""
        for mount in self.mounts:
            await mount.store.aclose()

    def _visible(self, reader: Reader) -> tuple[Mounted, ...]:
        return tuple(mount for mount in self.mounts if reader.within(mount.name).patterns)

    def _place(self, path: str, reader: Reader) -> tuple[Mounted, str]:
        return self._mount(path, reader), split_address(path)[1]

    def _mount(self, path: str, reader: Reader) -> Mounted:
        """The store that an address names, by its name or by its host."""
        host, inner = split_address(path)
        visible = self._visible(reader)
        if not host and inner != "/":
            names = ", ".join(mount.name for mount in visible)
            which = f", STORE one of {names}" if visible else ""
            raise BadQuery("url", path, f"an address in a store: mark://STORE{inner}{which}")
        name = self.names.get(host)
        for mount in visible:
            if mount.name == name:
                return mount
        raise NotFound(path)

    def _stores(self, cursor: str, page_size: int, reader: Reader) -> Page:
        if page_size < 1:
            raise BadQuery("page_size", str(page_size), "1 or more")
        names = [mount.name for mount in self._visible(reader)]
        if cursor and cursor not in names:
            raise BadQuery("cursor", cursor[:80], "the cursor of the page before, as it was given")
        start = names.index(cursor) + 1 if cursor else 0
        page = names[start : start + page_size]
        following = page[-1] if start + page_size < len(names) else None
        entries = tuple(Entry(f"mark://{name}/", "store", "", 0) for name in page)
        return Page("mark:///", entries, len(names), following)


def _until(mount: Mounted) -> float:
    return anyio.current_time() + mount.deadline


def _check(mounts: Sequence[Mounted]) -> None:
    names = [mount.name for mount in mounts]
    for mount in mounts:
        if not is_mount_name(mount.name):
            raise BadQuery("store name", mount.name, "small letters, digits, - and _")
        if names.count(mount.name) > 1:
            raise BadQuery("store name", mount.name, "one for each store")
        if not 0 < mount.weight < float("inf"):
            raise BadQuery("weight", str(mount.weight), "a number above 0")
        if not mount.deadline > 0:
            raise BadQuery("deadline", str(mount.deadline), "seconds, above 0")
