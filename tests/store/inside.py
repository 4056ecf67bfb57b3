"""One of several stores as a store of its own, so that the contract of every store can be asked of it."""

from dataclasses import replace
from typing import NoReturn

from mark_store import (
    EVERYTHING,
    Archived,
    Document,
    History,
    LookupPage,
    Match,
    NotFound,
    Page,
    Reader,
    SeveralStores,
    StoreError,
)


class Inside:
    """The store mounted as `name`: paths without its address, and readers whose patterns have none either."""

    def __init__(self, stores: SeveralStores, name: str) -> None:
        self._stores = stores
        self._root = f"mark://{name}"

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the contract's own name
        limit: int = 10,
        offset: int = 0,
        match: Match = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        try:
            page = await self._stores.lookup(
                query,
                scope=self._address(scope),
                filter=filter,
                limit=limit,
                offset=offset,
                match=match,
                reader=self._named(reader),
            )
        except StoreError as error:
            self._refuse(error)
        return replace(page, rows=tuple(replace(row, path=self._path(row.path)) for row in page.rows))

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        try:
            document = await self._stores.fetch(self._address(path), version, reader=self._named(reader))
        except StoreError as error:
            self._refuse(error)
        return replace(document, path=self._path(document.path))

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        try:
            page = await self._stores.list(self._address(path), cursor, page_size, reader=self._named(reader))
        except StoreError as error:
            self._refuse(error)
        entries = tuple(replace(entry, path=self._path(entry.path)) for entry in page.entries)
        return replace(page, path=self._path(page.path), entries=entries)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        try:
            history = await self._stores.versions(self._address(path), reader=self._named(reader))
        except StoreError as error:
            self._refuse(error)
        return replace(history, path=self._path(history.path))

    async def aclose(self) -> None:
        await self._stores.aclose()

    def _address(self, path: str) -> str:
        return self._root + (path if path.startswith("/") else f"/{path}")

    def _named(self, reader: Reader) -> Reader:
        # A store of which nothing may be read is not there; seen from inside it is there, and empty.
        patterns = reader.patterns or ("/no-such-document.md",)
        return Reader(tuple(self._address(pattern) for pattern in patterns))

    def _path(self, address: str) -> str:
        assert address.startswith(f"{self._root}/"), address
        return address.removeprefix(self._root)

    def _refuse(self, error: StoreError) -> NoReturn:
        match error:
            case NotFound(path=path):
                raise NotFound(self._path(path)) from error
            case Archived(path=path, last=last):
                raise Archived(self._path(path), last) from error
            case _:
                raise error
