"""Rows that hold every term of a query, as Mark servers answer one; stores rank what holds any.

Bounded: the store's best rows are looked at. A row with every term is among them unless more than those are
ranked before it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from mark_outline import Presence, pieces, terms
from mark_server.desk import Desk
from mark_store import Document, LookupPage, Row, StoreError

MOST_TRIED = 200
"""Rows that are looked at; each of their documents is fetched once."""


async def with_every_term(
    desk: Desk, query: str, look: Callable[[int], Awaitable[LookupPage]], limit: int
) -> LookupPage:
    """Give at most `limit` rows whose title, tags or own text hold every term; `total` counts all of them.

    Raises:
        StoreError: The store cannot answer.
    """
    wanted = () if query.strip() == "*" else terms(query)
    if len(wanted) < 2:
        return await look(limit)
    page = await look(max(limit, MOST_TRIED))
    documents: dict[str, Document | None] = {}
    kept = []
    for row in page.rows[:MOST_TRIED]:
        if row.path not in documents:
            documents[row.path] = await _document(desk, row)
        found = documents[row.path]
        if found and Presence(_text(row, found, desk)).count(wanted) == len(set(wanted)):
            kept.append(row)
    return replace(page, rows=tuple(kept[:limit]), total=len(kept))


async def _document(desk: Desk, row: Row) -> Document | None:
    try:
        return await desk.store.fetch(row.path, reader=desk.reader)
    except StoreError:
        # It went between the two questions; then it is no row either.
        return None


def _text(row: Row, document: Document, desk: Desk) -> str:
    made = desk.outlines.of(document)
    index = made.find(row.anchor) if row.anchor else None
    own = pieces(made, document.body)[0 if index is None else index + 1]
    return "\n".join((row.title, *row.tags, own))
