"""Names for the stores that are given as addresses alone, as on the command line.

A store is called by the last part of its address; `NAME=ADDRESS` says it otherwise. Files name their stores
themselves (`configuration`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from mark_server.checks import ArgumentError, shown
from mark_server.mount import NAME, Mount

_NAMED = re.compile(rf"({NAME.pattern})=(.+)", re.ASCII | re.DOTALL)
_FOREIGN = re.compile(r"[^a-z0-9_-]+")


def mounts_of(addresses: Sequence[str]) -> tuple[Mount, ...]:
    """Mount several addresses by name.

    Raises:
        ArgumentError: A name cannot be made of an address, or two have the same.
    """
    mounts: dict[str, Mount] = {}
    for given in addresses:
        name, address = named(given)
        name = name or _base_name(address)
        if not NAME.fullmatch(name):
            raise ArgumentError(_how(f"{shown(address)} has no part that can be a store's name", address))
        if name in mounts:
            both = f"{shown(mounts[name].address)} and {shown(address)} would both be the store {name}"
            raise ArgumentError(_how(both, address))
        mounts[name] = Mount(name, address)
    return tuple(mounts.values())


def named(given: str) -> tuple[str, str]:
    """Split `NAME=ADDRESS`; the name is "" where there is none, or where the whole is a folder that exists.

    >>> named("wiki=https://wiki.example"), named("./docs"), named("https://a/?b=c")
    (('wiki', 'https://wiki.example'), ('', './docs'), ('', 'https://a/?b=c'))
    """
    found = _NAMED.fullmatch(given)
    return (found[1], found[2]) if found and not Path(given).exists() else ("", given)


def _base_name(address: str) -> str:
    """Make a name of the last part of a path, or of a host's first label.

    >>> _base_name("/srv/Team Docs/"), _base_name("https://wiki.example:8443"), _base_name("https://127.0.0.1")
    ('team-docs', 'wiki', '')
    """
    if "://" in address:
        parts = urlsplit(address)
        path = parts.path.strip("/").rpartition("/")[2]
        host = (parts.hostname or "").partition(".")[0]
        base = path or ("" if host.isdigit() or ":" in host else host)
    else:
        base = Path(address).resolve().name
    return _FOREIGN.sub("-", base.lower()).strip("-_")[:63]


def _how(what: str, address: str) -> str:
    return f"{what}; name it: NAME={address}"
