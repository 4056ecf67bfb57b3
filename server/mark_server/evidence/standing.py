"""Which documents say of themselves that another took their place, read as the policies read signals.

The rule is `mark_expand`'s (`signals_of`); here documents are only fetched for it, each once.
"""

from __future__ import annotations

from collections.abc import Iterable

from mark_expand import signals_of
from mark_server.desk import Desk
from mark_store import StoreError


class Standing:
    """Tells superseded and deprecated documents from current ones."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._known: dict[str, bool] = {}

    async def superseded(self, paths: Iterable[str]) -> frozenset[str]:
        """Give those of the paths whose document is superseded; one that cannot be read is not."""
        return frozenset([path for path in dict.fromkeys(paths) if await self._is_superseded(path)])

    async def _is_superseded(self, path: str) -> bool:
        if path not in self._known:
            try:
                document = await self._desk.store.fetch(path, reader=self._desk.reader)
            except StoreError:
                self._known[path] = False
            else:
                self._known[path] = signals_of(path, document.metadata)[0].deprecated
        return self._known[path]
