"""`mark_lookup`: rows from the store, the table, and the expansion driven to its end.

The only asynchronous shell around `mark_expand`, for every surface. What is printed is decided there, what
matches in the store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import anyio

from mark_expand import Ask, Expansion, Failure, Result, Trace, asked_backwards, thin_table
from mark_expand import Row as ExpandRow
from mark_outline import Outline, encode, terms
from mark_server.arguments import LookupArguments
from mark_server.bridge import Read, bridged
from mark_server.choosing import check_complete, chosen
from mark_server.desk import Desk
from mark_server.envelope import Pair, answer, envelope, indexing
from mark_server.outlines import Outlines
from mark_server.statuses import failed_line, failure_line
from mark_server.table import ECHO_CHARACTERS, full_table
from mark_store import Document, LookupPage, Relating, StoreError, Unavailable

# Tokens of a lookup for whole documents that names no budget.
FULL = 3000
# Of so many documents that declare a relation to one, a few are named and the others counted.
_LINKS = 20_000
# Who mentions a document says nothing about it; measured: 4 of 50 questions lost at 500 tokens.
_LOOSE = {"mentions", "related", "see-also", "links"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a lookup, the trace of its expansion when there was one, and what the envelope says."""

    text: str
    trace: Trace | None = None
    told: tuple[Pair, ...] = ()


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
    page = replace(page, indexing=desk.told(page.indexing))
    pairs = _pairs(page, arguments)
    head = envelope("ok", pairs)
    if not arguments.budget:
        return Answer(answer(head, full_table(page.rows, arguments.query, encode(where.path), page.match)))
    choice = chosen(desk, page.rows, arguments.budget, where.path)
    rows: Sequence[ExpandRow]
    places: Sequence[int | None]
    read: Read = {}
    started = anyio.current_time()
    if choice is None:
        placed, read = await bridged(desk, arguments, where.path, page.rows)
        rows, places = [row for row, _ in placed], [place for _, place in placed]
    else:
        rows, places = choice.rows, choice.places
    if arguments.verbose:
        table, listed = (
            full_table(page.rows, arguments.query, encode(where.path), page.match),
            len(rows),
        )
    else:
        table, listed = thin_table(rows, arguments.budget, desk.counter)
    top = Top(answer(head, table), listed)
    ask = await _told_from_outside(desk, arguments, replace(_ask(desk, arguments, rows, top), places=places))
    if choice is not None:
        ask = replace(ask, gate=choice.gate)
    result = await _expand(desk, ask, read, started + desk.settings.deadline - anyio.current_time())
    if choice is not None:
        choice.enter(result.trace)
        check_complete(desk, result.trace)
    return Answer(result.text, result.trace, pairs)


def _own_budget(desk: Desk, arguments: LookupArguments) -> int:
    """Tokens of a lookup that names no budget (B5, E1, E8)."""
    return {"sections": 0, "excerpts": desk.settings.page, "full": FULL}[arguments.detail]


def _pairs(page: LookupPage, arguments: LookupArguments) -> tuple[Pair, ...]:
    pairs: list[Pair] = [
        ("matches", page.total),
        ("failed", failed_line(page.failed)),
        *indexing(page.indexing, "more may match"),
    ]
    if arguments.verbose or page.match != arguments.match:
        pairs.append(("match", page.match))
    return tuple(pair for pair in (*pairs, *_notes(page, arguments)) if pair[1] not in ("", None))


def _notes(page: LookupPage, arguments: LookupArguments) -> list[Pair]:
    """Say where a store did less than it was asked for: it is part of the head, and so of the budget (B2)."""
    if page.match != arguments.match:
        return [("note", "this store compares titles and tags only")]
    if page.asked:
        return [("note", f'asked for "{_short(page.asked)}", nothing has all words of the query')]
    return []


def _short(text: str) -> str:
    return text if len(text) <= ECHO_CHARACTERS else text[: ECHO_CHARACTERS - 1] + "…"


def _ask(desk: Desk, arguments: LookupArguments, rows: Sequence[ExpandRow], top: Top) -> Ask:
    return Ask(
        head=top.text,
        rows=rows,
        listed=top.listed,
        offset=arguments.offset,
        terms=terms(arguments.query),
        budget=arguments.budget,
        readable=desk.reader.may_read,
        names=desk.names,
        limits=desk.settings.limits,
        detail=arguments.detail,
        hop=desk.settings.hop,
        oversized=desk.settings.oversized,
        provenance=arguments.verbose,
        words=desk.settings.predicates,
    )


async def _expand(desk: Desk, ask: Ask, read: Read, seconds: float) -> Result:
    """Expand within so many seconds; `read` came for this lookup already, and is not read again (F1)."""

    async def fetch(path: str) -> Sheet | Failure:
        try:
            came = read[path] if path in read else await desk.store.fetch(path, reader=desk.reader)
        except StoreError as error:
            came = error
        return Failure(failure_line(came)) if isinstance(came, StoreError) else _sheet(came, desk.outlines)

    return await drive(Expansion(ask, desk.counter), fetch, seconds)


async def _told_from_outside(desk: Desk, arguments: LookupArguments, ask: Ask) -> Ask:
    """Add what other documents declare to the first one that the question names, by predicate (HP3, HP5)."""
    named = next((row for row in ask.rows if row.named), None)
    if named is None or not isinstance(desk.store, Relating):
        return ask
    try:
        links = await desk.store.related(named.path, incoming=True, limit=_LINKS, reader=desk.reader)
    except Unavailable:
        # What went away since the rows came says so when its documents are fetched (F4).
        return ask
    told = dict.fromkeys((link.predicate, link.source) for link in links if link.predicate not in _LOOSE)
    called = named.title, PurePosixPath(named.path).stem
    backwards = asked_backwards(arguments.query, called, (predicate for predicate, _ in told))
    # What is asked for must not be what the line has no room for.
    ordered = sorted(told, key=lambda link: link[0] not in backwards)
    return replace(ask, incoming={named.path: ordered}, backwards=backwards)


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


def _sheet(document: Document, outlines: Outlines) -> Sheet | Failure:
    if document.kind == "binary":
        return Failure("binary")
    made = outlines.of(document)
    return Sheet(document.path, document.version, document.body, document.metadata, made)
