"""What a path on the Mark wire may mean: a document or a version of it, as written or percent-decoded.

Names stand on the wire as they are; only what a line cannot hold (control characters) is encoded there, and
so is read back as a second meaning.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from mark_outline import decode
from mark_store import NotFound

_Found = TypeVar("_Found")
_VERSION = re.compile(r"(.*[^/])/v([1-9][0-9]{0,17})", re.DOTALL)


async def read_at(path: str, action: Callable[[str, int | None], Awaitable[_Found]]) -> _Found:
    """Do `action` with the first meaning of a path that names something.

    Raises:
        NotFound: No meaning does.
    """
    for name, version in readings(path):
        try:
            return await action(name, version)
        except NotFound:
            continue
    raise NotFound(path)


def readings(path: str) -> Iterator[tuple[str, int | None]]:
    """Give path and version of each meaning, the likeliest first.

    >>> list(readings("/a%20b.md/v3"))
    [('/a%20b.md', 3), ('/a b.md', 3), ('/a%20b.md/v3', None), ('/a b.md/v3', None)]
    """
    found = _VERSION.fullmatch(path)
    meant = [(found[1], int(found[2]))] if found else []
    for name, version in [*meant, (path, None)]:
        yield from ((each, version) for each in dict.fromkeys((name, decode(name))))
