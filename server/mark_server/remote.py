"""Opens a store that is a server: over QUIC or over HTTPS, with the token that goes there and nowhere else.

What kind of address a store has is `opening`'s to tell apart.
"""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread

from mark_server.mount import Mount
from mark_server.settings import Settings
from mark_store import (
    BadAddress,
    HttpsExchange,
    KeptAnswers,
    MarkStore,
    Opened,
    Peer,
    VersionCache,
    authority_of,
    data_place,
    https_address,
    is_https_address,
    open_mark,
    token_for,
)

_KEPT = "mark-answers"
_LARGEST_TOKEN = 1 << 16


@asynccontextmanager
async def open_server(settings: Settings, mount: Mount) -> AsyncIterator[Opened]:
    """Open the server at a mount's address; nothing is asked of it before the first question.

    Raises:
        BadAddress: The address, its token or its certificates cannot be used.
    """
    token = await anyio.to_thread.run_sync(_own_token, mount)
    if is_https_address(mount.address):
        store = await anyio.to_thread.run_sync(_over_https, settings, mount, token)
    else:
        named = (authority_of(mount.address),) if mount.insecure else ()
        peer = Peer(
            ca=mount.ca or settings.ca,
            insecure=(*settings.insecure, *named),
            tokens=settings.store_tokens,
            data=settings.data,
            token=token,
            variable=_variable(mount),
        )
        store = await open_mark(mount.address, peer)
    async with store:
        yield Opened(store)


def _over_https(settings: Settings, mount: Mount, token: str) -> MarkStore:
    address = https_address(mount.address)
    token = token or token_for(address, os.environ, settings.store_tokens)
    insecure = mount.insecure or address.authority in map(str.lower, settings.insecure)
    exchange = HttpsExchange(
        mount.address, token, mount.deadline, ca=mount.ca or settings.ca, insecure=insecure
    )
    kept = KeptAnswers.of(VersionCache(data_place(settings.data) / _KEPT), exchange.place, token)
    return MarkStore(exchange, kept, variable=_variable(mount) or address.variable)


def _variable(mount: Mount) -> str:
    """Name where the mount's own token is kept, "" where nothing is said."""
    return mount.token_env or str(mount.token_file or "")


def _own_token(mount: Mount) -> str:
    """Give the token that the mount itself names, "" when it names none."""
    if mount.token_file:
        return _in_file(mount.token_file)
    return os.environ.get(mount.token_env, "").strip() if mount.token_env else ""


def _in_file(file: Path) -> str:
    """Read a file that holds one token.

    Raises:
        BadAddress: It cannot be read, others may read it, or it holds more than a token.
    """
    try:
        with file.open("rb") as opened:
            status = os.fstat(opened.fileno())
            data = opened.read(_LARGEST_TOKEN)
    except OSError as error:
        raise BadAddress(str(file), f"cannot be read: {error.strerror}") from error
    # Windows keeps such rights elsewhere and reports none of these.
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadAddress(str(file), "holds a token and others may read it; run: chmod 600 on it")
    words = data.decode("utf-8", errors="replace").split()
    if len(words) != 1:
        raise BadAddress(str(file), "holds no token, or more than one")
    return words[0]
