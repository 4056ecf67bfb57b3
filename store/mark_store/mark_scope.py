"""What of a Mark server's answers a reader may see: the server knows the token, not the reader.

Every document of a scope is asked for, so that totals and pages are right; costly, and needed only where a
reader is limited to parts of a server.
"""

from dataclasses import dataclass, replace
from typing import Final, Protocol

from .errors import BadQuery, NotFound, Unavailable
from .port import Entry, LookupPage, Page
from .reader import Reader

MOST_ROWS: Final = 10_000
"""Rows that one request asks for at most."""
_MOST_PAGES: Final = 100
_PAGE: Final = 1000


class Source(Protocol):
    """What is needed of the client: everything of a scope, and one page of a level."""

    async def everything(self, scope: str) -> LookupPage:
        """Give every document of a scope."""
        ...

    async def level(self, name: str, cursor: str, page_size: int) -> Page:
        """Give one page of a directory."""
        ...


@dataclass(frozen=True, slots=True)
class Scoped:
    """A server as a limited reader sees it."""

    source: Source
    reader: Reader

    async def filtered(self, found: LookupPage, scope: str) -> LookupPage:
        """Leave out of a lookup what may not be read.

        Raises: NotFound, when nothing in the scope may be.
        """
        rows = tuple(row for row in found.rows if self.reader.may_read(row.path))
        if not rows and scope != "/" and not await self._readable(scope):
            raise NotFound(scope)
        return replace(found, rows=rows, total=len(rows), named=sum(row.named for row in rows))

    async def level(self, folder: str, cursor: str, page_size: int) -> Page:
        """Give one page of a directory; folders in which nothing may be read are not there.

        Raises: NotFound, BadQuery (cursor), Unavailable (a directory too large to go through).
        """
        whole = await self._whole(folder)
        counts = self._counts(whole.path, await self._readable(folder))
        seen = [entry for entry in whole.entries if self._sees(entry, counts)]
        entries = [replace(entry, count=counts.get(entry.path, entry.count)) for entry in seen]
        if not entries and folder != "/":
            raise NotFound(folder)
        start = self._start(cursor, len(entries))
        following = start + page_size
        rest = str(following) if following < len(entries) else None
        return Page(whole.path, tuple(entries[start:following]), len(entries), rest)

    def _sees(self, entry: Entry, counts: dict[str, int]) -> bool:
        return entry.path in counts if entry.kind == "folder" else self.reader.may_read(entry.path)

    async def _readable(self, scope: str) -> tuple[str, ...]:
        found = await self.source.everything(scope)
        return tuple(row.path for row in found.rows if self.reader.may_read(row.path))

    async def _whole(self, folder: str) -> Page:
        entries: list[Entry] = []
        cursor = ""
        for _ in range(_MOST_PAGES):
            page = await self.source.level(folder, cursor, _PAGE)
            entries += page.entries
            if page.cursor is None:
                return replace(page, entries=tuple(entries))
            cursor = page.cursor
        raise Unavailable(
            folder, f"has more than {_MOST_PAGES * _PAGE} entries to be filtered for this reader"
        )

    @staticmethod
    def _counts(folder: str, paths: tuple[str, ...]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for path in paths:
            name, slash, _ = path.removeprefix(folder).partition("/")
            if slash and path.startswith(folder):
                counts[f"{folder}{name}/"] = counts.get(f"{folder}{name}/", 0) + 1
        return counts

    @staticmethod
    def _start(cursor: str, entries: int) -> int:
        if not cursor:
            return 0
        if not cursor.isascii() or not cursor.isdigit() or not 0 < int(cursor[:15]) < entries:
            raise BadQuery("cursor", cursor[:80], "the cursor of the page before, as it was given")
        return int(cursor[:15])
