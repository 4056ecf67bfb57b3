"""What every tool works with: one store, one counter, one reader's scope.

The tools themselves, each a function of a desk and its arguments, live beside this file; who calls them
(MCP, the command line) does not matter to them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from mark_outline import Counter, Location, spellings
from mark_server.outlines import Outlines
from mark_server.settings import Settings
from mark_store import EVERYTHING, NotFound, Progress, Reader, Store, split_address

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Desk:
    """One store as one caller may read it.

    `ready(seconds)` waits, at most that long, until the store knows all of its documents; `progress()` tells
    how far it is, None when it knows them. `names` gives the authorities of `mark://` addresses that mean a
    store here: its name among several, "" for a store that stands alone, whose paths are bare (H6).
    `outlines` are those of documents whose store keeps none.
    """

    store: Store
    ready: Callable[[float], Awaitable[bool]]
    progress: Callable[[], Progress | None]
    counter: Counter
    settings: Settings
    reader: Reader = EVERYTHING
    names: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    outlines: Outlines = field(default_factory=Outlines, compare=False)

    def within(self, reader: Reader) -> Desk:
        """Give the desk as this reader may see it."""
        desk = replace(self, reader=reader)
        return replace(desk, progress=lambda: desk.told(self.progress()))

    def told(self, progress: Progress | None) -> Progress | None:
        """Give progress as this reader may know it: how many files there are is for who may read them all."""
        return progress if progress is None or self.reader.unlimited else Progress(0, 0)

    async def read(
        self, url: str, action: Callable[[Location], Awaitable[_Found]]
    ) -> tuple[Location, _Found]:
        """Do `action` with the first reading of a url that names something; the location says which it was.

        Raises:
            StoreError: No reading names anything, or the store cannot answer.
        """
        *others, last = (self._own(reading) for reading in spellings(url))
        for reading in others:
            try:
                return reading, await action(reading)
            except NotFound:
                continue
        return last, await action(last)

    @property
    def is_alone(self) -> bool:
        """Whether there is one store with bare paths, and not several with names."""
        return self.names.get("") == ""

    def _own(self, reading: Location) -> Location:
        """A reading with a bare path, where its address is that of a store that stands alone."""
        host, path = split_address(reading.path)
        return replace(reading, path=path) if self.names.get(host) == "" else reading
