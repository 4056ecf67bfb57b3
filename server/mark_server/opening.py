"""Opens what a store address names; the only file that knows every store client.

What cannot be opened is an error of the store, made into one line where it is shown. Several stores are put
together by `mounting`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mark_outline import counter
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.mount import Mount
from mark_server.mounting import hosts_of, open_mounts
from mark_server.remote import open_server
from mark_server.settings import Settings
from mark_store import BadAddress, FolderStore, Opened, StoreError, is_remote

_Made = TypeVar("_Made")


@asynccontextmanager
async def open_folder(settings: Settings) -> AsyncIterator[FolderStore]:
    """Open the configured folder; indexing goes on behind it until the context closes.

    Raises:
        StoreError: The folder does not exist, cannot be read, or there is no place for its index.
    """
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


def folders_of(settings: Settings) -> tuple[Settings, ...]:
    """Give settings for each folder among the configured stores, as if it stood alone.

    Raises:
        BadAddress: None of them is a folder.
    """
    addresses = [mount.address for mount in settings.stores] or [settings.store]
    found = tuple(
        replace(settings, store=address, stores=()) for address in addresses if not is_remote(address)
    )
    if not found:
        raise BadAddress(addresses[0], "is a server; this command works on a folder")
    return found


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator[Desk]:
    """Open the configured store, or several of them, and put a desk before it.

    Raises:
        StoreError: The one store cannot be opened.
        UnknownEncoding: No counter has the configured name.
    """
    unit = counter(settings.encoding)
    if settings.stores:
        async with open_mounts(settings.stores, lambda mount: _open(settings, mount)) as several:
            yield Desk(several, several.ready, lambda: several.progress, unit, settings, names=several.names)
        return
    alone = Mount("", settings.store, deadline=settings.deadline)
    async with _open(settings, alone) as opened:
        names = dict.fromkeys(["", *hosts_of(alone)], "")
        yield Desk(opened.store, opened.ready, opened.progress, unit, settings, names=names)


async def at_desk(settings: Settings, action: Callable[[Desk], Awaitable[_Made]]) -> _Made:
    """Open a desk for one action and give what that gives.

    Raises:
        ArgumentError: An argument of the action is wrong.
        StoreError: The one store cannot be opened, or the action's store cannot answer.
        UnknownEncoding: No counter has the configured name.
    """
    async with open_desk(settings) as desk:
        try:
            return await action(desk)
        except (ArgumentError, StoreError) as error:
            failure = error
    # Raised once the stores are closed: among their tasks it would leave as a group of errors.
    raise failure


@asynccontextmanager
async def _open(settings: Settings, mount: Mount) -> AsyncIterator[Opened]:
    if is_remote(mount.address):
        async with open_server(settings, mount) as opened:
            yield opened
        return
    async with open_folder(replace(settings, store=mount.address)) as store:
        yield Opened(store, store.ready, lambda: store.progress)
