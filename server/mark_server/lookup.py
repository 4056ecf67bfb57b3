"""`mark_lookup`: rows from the store, the table, and the expansion driven to its end.

The only asynchronous shell around `mark_expand`, for every surface. What is printed is decided there, what
matches in the store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import anyio

from mark_expand import Ask, Expansion, Failure, Result, Trace, thin_table
from mark_outline import Outline, encode, outline, terms
from mark_server.arguments import LookupArguments
from mark_server.desk import Desk
from mark_server.envelope import Pair, answer, envelope, indexing
from mark_server.statuses import failure_line
from mark_server.table import full_table
from mark_store import Document, LookupPage, Relating, StoreError

# Tokens of a lookup for whole documents that names no budget.
FULL = 3000
# Of so many documents that declare a relation to one, a few are named and the others counted.
_LINKS = 1000
# Who mentions a document says nothing about it; measured: 4 of 50 questions lost at 500 tokens.
_LOOSE = {"mentions", "related", "see-also", "links"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a lookup, and the trace of its expansion when there was one."""

    text: str
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Top:
    """Envelope and table, and how many rows the table shows."""

    text: str
    listed: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A fetched document as the expansion takes it: always with an outline."""

    path: str
    version: int | None
    body: str
    metadata: Mapping[str, str]
    outline: Outline


async def lookup(desk: Desk, arguments: LookupArguments) -> Answer:
    """Answer a lookup: envelope and table, and with a budget the expansion.

    Raises:
        StoreError: The scope does not exist, the filter is wrong, or the store cannot answer.
    """
    arguments = replace(arguments, budget=arguments.budget or _own_budget(desk, arguments))
    where, page = await desk.read(
        arguments.url,
        lambda where: desk.store.lookup(
            arguments.query,
            scope=where.path,
            filter=arguments.filter,
            limit=arguments.limit,
            offset=arguments.offset,
            match=arguments.match,
            reader=desk.reader,
        ),
    )
    head = _envelope(page, verbose=arguments.verbose)
    if not arguments.budget:
        return Answer(answer(head, full_table(page.rows, arguments.query, encode(where.path), page.match)))
    if arguments.verbose:
        table, listed = (
            full_table(page.rows, arguments.query, encode(where.path), page.match),
            len(page.rows),
        )
    else:
        table, listed = thin_table(page.rows, arguments.budget, desk.counter)
    result = await _expand(desk, arguments, page, Top(answer(head, table), listed))
    return Answer(result.text, result.trace)


def _own_budget(desk: Desk, arguments: LookupArguments) -> int:
    """Tokens of a lookup that names no budget (B5, E1, E8)."""
    return {"sections": 0, "excerpts": desk.settings.page, "full": FULL}[arguments.detail]


def _envelope(page: LookupPage, *, verbose: bool) -> str:
    pairs: list[Pair] = [("matches", page.total), *indexing(page.indexing, "more may match")]
    if verbose:
        pairs.append(("match", page.match))
    return envelope("ok", pairs)


async def _expand(desk: Desk, arguments: LookupArguments, page: LookupPage, top: Top) -> Result:
    ask = Ask(
        head=top.text,
        rows=page.rows,
        listed=top.listed,
        offset=arguments.offset,
        terms=terms(arguments.query),
        budget=arguments.budget,
        readable=desk.reader.may_read,
        limits=desk.settings.limits,
        detail=arguments.detail,
        hop=desk.settings.hop,
        oversized=desk.settings.oversized,
        provenance=arguments.verbose,
        incoming=await _incoming(desk, page),
    )

    async def fetch(path: str) -> Sheet | Failure:
        try:
            return _sheet(await desk.store.fetch(path, reader=desk.reader))
        except StoreError as error:
            return Failure(failure_line(error))

    return await drive(Expansion(ask, desk.counter), fetch, desk.settings.deadline)


async def _incoming(desk: Desk, page: LookupPage) -> dict[str, list[tuple[str, str]]]:
    """What other documents declare to the first one that the question names, sorted by predicate (HP3)."""
    named = next((row.path for row in page.rows if row.named), None)
    if named is None or not isinstance(desk.store, Relating):
        return {}
    links = await desk.store.related(named, incoming=True, limit=_LINKS, reader=desk.reader)
    return {named: [(link.predicate, link.source) for link in links if link.predicate not in _LOOSE]}


async def drive(
    expansion: Expansion, fetch: Callable[[str], Awaitable[Sheet | Failure]], deadline: float
) -> Result:
    """Run an expansion to its end: fetch what it wants, all at once, within `deadline` seconds (F2, F5).

    Cancelling the caller cancels the fetches.
    """
    send, receive = anyio.create_memory_object_stream[tuple[str, Sheet | Failure]](16)
    started: set[str] = set()

    async def run(path: str) -> None:
        await send.send((path, await fetch(path)))

    with send, receive, anyio.move_on_after(deadline):
        async with anyio.create_task_group() as group:
            while not expansion.done:
                for path in expansion.wanted:
                    if path not in started:
                        started.add(path)
                        group.start_soon(run, path)
                expansion.receive(*await receive.receive())
            group.cancel_scope.cancel()
    expansion.stop()
    return expansion.result


def _sheet(document: Document) -> Sheet | Failure:
    if document.kind == "binary":
        return Failure("binary")
    made = document.outline or outline(document.body)
    return Sheet(document.path, document.version, document.body, document.metadata, made)
