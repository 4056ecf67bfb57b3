"""Opens several stores at once, each on its own, and puts them together as one.

A store that cannot be opened is said on standard error and opened again later; meanwhile each answer says
that it is missing. How one address is opened is `opening`'s.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio

from mark_server.mount import Mount
from mark_server.statuses import explain
from mark_server.terminal import warn
from mark_store import (
    BadAddress,
    LateStore,
    Mounted,
    Opened,
    SeveralStores,
    authority_of,
    is_remote,
)

Open = Callable[[Mount], AbstractAsyncContextManager[Opened]]


@asynccontextmanager
async def open_mounts(mounts: Sequence[Mount], open_one: Open) -> AsyncIterator[SeveralStores]:
    """Begin to open all mounts and give them as one store at once.

    Raises:
        StoreError: A mount's name, weight or deadline is none.
    """
    late = [LateStore(mount.name, functools.partial(open_one, mount)) for mount in mounts]
    stores = SeveralStores([_mounted(mount, store) for mount, store in zip(mounts, late, strict=True)])
    async with anyio.create_task_group() as group:
        for store in late:
            group.start_soon(store.keep_open)
            group.start_soon(_say_why, store)
        yield stores
        group.cancel_scope.cancel()


def _mounted(mount: Mount, store: LateStore) -> Mounted:
    return Mounted(
        mount.name,
        Opened(store, store.ready, lambda: store.progress),
        mount.deadline,
        mount.weight,
        hosts_of(mount),
    )


def hosts_of(mount: Mount) -> frozenset[str]:
    """The authorities that `mark://` addresses of a mount have besides its name (H6)."""
    if not is_remote(mount.address):
        return frozenset()
    try:
        return frozenset({authority_of(mount.address)})
    except BadAddress:  # which is said when the store is opened
        return frozenset()


async def _say_why(store: LateStore) -> None:
    if failure := await store.tried():
        warn(f"marklookup: store {store.name}: {explain(failure)}")
