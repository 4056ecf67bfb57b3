"""Opens what a store address names; the only file that knows every store client.

An address is a folder or a Mark server. What cannot be opened is an error of the store, made into one line
where it is shown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mark_outline import counter
from mark_server.desk import Desk
from mark_server.settings import Settings
from mark_store import BadAddress, FolderStore, Peer, is_mark_address, open_mark


@asynccontextmanager
async def open_folder(settings: Settings) -> AsyncIterator[FolderStore]:
    """Open the configured folder; indexing goes on behind it until the context closes.

    Raises:
        StoreError: The folder does not exist, cannot be read, or there is no place for its index.
    """
    if is_mark_address(settings.store):
        raise BadAddress(settings.store, "is a server; this command works on a folder")
    store = await FolderStore.open(
        Path(settings.store),
        settings.data,
        settings.encoding,
        settings.most_files,
        ignore=settings.ignore,
        include=settings.include,
        exclude=settings.exclude,
        poll=settings.poll,
        keep=settings.keep,
    )
    try:
        yield store
    finally:
        await store.aclose()


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator[Desk]:
    """Open the configured store and put a desk before it.

    Raises:
        StoreError: The store cannot be opened.
        UnknownEncoding: No counter has the configured name.
    """
    unit = counter(settings.encoding)
    if is_mark_address(settings.store):
        peer = Peer(settings.ca, settings.insecure, settings.tokens, settings.data)
        async with await open_mark(settings.store, peer) as server:
            yield Desk(server, _at_once, lambda: None, unit, settings)
        return
    async with open_folder(settings) as store:
        yield Desk(store, store.ready, lambda: store.progress, unit, settings)


async def _at_once(seconds: float) -> bool:  # noqa: ARG001 - what a desk asks of every store
    """A server says in its answers how far it is."""
    return True
