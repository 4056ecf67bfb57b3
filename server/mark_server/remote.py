"""Opens a store that is a server reached over HTTPS: its address, its token, what was fetched of it before.

Every other kind of address is `opening`'s to tell apart.
"""

from __future__ import annotations

import os
import re
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
    VersionCache,
    data_place,
    https_address,
)

_VARIABLE = "MARKLOOKUP_TOKEN_"
_KEPT = "mark-answers"
_LARGEST_TOKEN = 1 << 16


@asynccontextmanager
async def open_https(settings: Settings, mount: Mount) -> AsyncIterator[Opened]:
    """Open the server at a mount's address; nothing is asked of it before the first question.

    Raises:
        BadAddress: The address, its token or its certificates cannot be used.
    """
    store = await anyio.to_thread.run_sync(_store, settings, mount)
    async with store:
        yield Opened(store)


def _store(settings: Settings, mount: Mount) -> MarkStore:
    variable = mount.token_env or variable_for(mount.address)
    token = _in_file(mount.token_file) if mount.token_file else os.environ.get(variable, "").strip()
    exchange = HttpsExchange(mount.address, token, mount.deadline, ca=mount.ca, insecure=mount.insecure)
    kept = KeptAnswers.of(VersionCache(data_place(settings.data) / _KEPT), exchange.place, token)
    return MarkStore(exchange, kept, variable=str(mount.token_file or variable))


def variable_for(address: str) -> str:
    """Name the variable of the environment for the token of the server at an address.

    Raises:
        BadAddress: It is none.

    >>> variable_for("https://docs.example:8443/wiki")
    'MARKLOOKUP_TOKEN_DOCS_EXAMPLE_8443'
    """
    authority = https_address(address).place.partition("://")[2].partition("/")[0]
    return _VARIABLE + re.sub(r"[^A-Z0-9]+", "_", authority.upper()).strip("_")


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
