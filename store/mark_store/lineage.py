"""Following one predicate to its end, over any store that can tell relations.

A store tells one step; how far to go, and that it ends, is decided here. Nothing is printed here.
"""

from collections import deque

from .paths import nfc
from .port import Link, Relating
from .reader import EVERYTHING, Reader


async def lineage(
    store: Relating,
    path: str,
    predicate: str,
    *,
    incoming: bool = False,
    limit: int = 20,
    reader: Reader = EVERYTHING,
) -> tuple[Link, ...]:
    """Follow a predicate from a document: at most `limit` links, the nearest first, each document once.

    A line of documents comes out as that line, a branching one level by level; a circle ends where it would
    close. `incoming` follows it backwards. The last target may be a document that is not there.

    Raises: BadQuery (limit), Unavailable.
    """
    found: list[Link] = []
    met = {nfc(path)}
    ahead = deque([path])
    while ahead and len(found) < limit:
        # Of so many links enough are new, whichever were met before.
        most = limit + len(met)
        links = await store.related(
            ahead.popleft(), (predicate,), incoming=incoming, limit=most, reader=reader
        )
        for link in links:
            end = link.source if incoming else link.target
            if nfc(end) not in met:
                met.add(nfc(end))
                ahead.append(end)
                found.append(link)
    return tuple(found[:limit])
