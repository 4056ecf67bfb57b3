"""Our side of the Mark protocol: a request in, a response out, for every transport that carries them.

Read verbs only. Who asks is settled before (the desk has their reader); what is no request at all is
`answer_bytes`' to refuse. Nothing here knows sockets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from mark_expand import one_line
from mark_server.checks import ArgumentError, Whole
from mark_server.desk import Desk
from mark_server.every_term import with_every_term
from mark_server.statuses import explain, status_of
from mark_server.table import full_table
from mark_server.wire_paths import read_at
from mark_store import (
    Archived,
    BadQuery,
    Document,
    LookupPage,
    Match,
    Moved,
    ProtocolError,
    Pruned,
    Request,
    RequestDecoder,
    Response,
    StoreError,
    Unavailable,
    encode_response,
    parse_iso,
    publishing,
    write_entries,
    write_versions,
)

MOST_ROWS = 10_000
_LIMIT = Whole("limit", f"a whole number from 1 to {MOST_ROWS}", "limit: 10", 10, 1, MOST_ROWS)
_PAGE_SIZE = Whole("page-size", "a whole number from 1 to 1000", "page-size: 100", 100, 1, 1000)
_LONGEST_VALUE = 200
_LONGEST_KEY = 128

_Pairs = Mapping[str, object]


async def answer(request: Request, desk: Desk) -> Response:
    """Answer one request from a desk's store; never raises for what the request says."""
    verb = _VERBS.get(request.verb)
    if verb is None:
        return refusal("bad-request", f"{request.verb} is no verb of this server: {', '.join(_VERBS)}")
    if request.body:
        return refusal("bad-request", f"{request.verb} takes no body")
    try:
        await desk.ready(desk.settings.patience)
        return await verb(request, desk)
    except ArgumentError as error:
        return refusal("bad-request", str(error))
    except StoreError as error:
        return _failure(error)


async def answer_bytes(data: bytes, desk: Desk) -> bytes:
    """Answer a request that came whole, as bytes; what is none is answered `bad-request`."""
    decoder = RequestDecoder("request", 0)
    try:
        decoder.feed(data)
        request = decoder.end()
    except ProtocolError as error:
        return encode_response(malformed(decoder, error))
    return encode_response(await answer(request, desk))


def malformed(decoder: RequestDecoder, error: ProtocolError) -> Response:
    """Give the answer to what could not be read as a request; a verb that is not ours is named first."""
    if decoder.verb and decoder.verb not in _VERBS:
        return refusal("bad-request", f"{decoder.verb} is no verb of this server: {', '.join(_VERBS)}")
    return refusal("bad-request", explain(error))


def refusal(status: str, line: str) -> Response:
    """Give an answer that is a status and one line."""
    return Response({"status": status}, f"{line}\n".encode(errors="replace"))


async def _fetch(request: Request, desk: Desk) -> Response:
    document = await read_at(
        request.path, lambda path, version: desk.store.fetch(path, version, reader=desk.reader)
    )
    if _is_known(document, request.fields):
        known = {"etag": document.etag, "version": document.version, "modified": document.modified}
        return _response("not-modified", known)
    own = _fields(
        "ok",
        {
            "version": document.version,
            "current-version": document.current,
            "etag": document.etag,
            "modified": document.modified,
            "content-hash": document.content_hash,
            "body-start": document.body_start,
            "kind": "" if document.kind == "text" else document.kind,
        },
    )
    return _fitting(own, document)


def _is_known(document: Document, asked: Mapping[str, str]) -> bool:
    """Whether the asker has this already; an etag says it better than a time (RFC 9110, section 13.2.2)."""
    if "if-none-match" in asked:
        return bool(document.etag) and asked["if-none-match"] == document.etag
    since, modified = parse_iso(asked.get("if-modified-since", "")), parse_iso(document.modified)
    return since is not None and modified is not None and modified <= since


def _fitting(own: dict[str, str], document: Document) -> Response:
    """Give a document with its publisher's metadata, without it where a block could not hold that."""
    named = {key: value for key, value in document.metadata.items() if len(key) < _LONGEST_KEY - 10}
    body = document.body.encode()
    whole = Response(publishing(named) | own, body)
    try:
        encode_response(replace(whole, body=b""))
    except ProtocolError:
        return Response(own, body)
    return whole


async def _list(request: Request, desk: Desk) -> Response:
    size, cursor = _PAGE_SIZE.read(request.fields), request.fields.get("cursor", "")
    page = await read_at(
        request.path, lambda path, _: desk.store.list(path, cursor, size, reader=desk.reader)
    )
    pairs = {
        "entries": page.total,
        "complete": "true" if page.cursor is None else "false",
        "next-cursor": page.cursor,
    }
    return _response("ok", pairs, write_entries(page.entries))


async def _versions(request: Request, desk: Desk) -> Response:
    history = await read_at(request.path, lambda path, _: desk.store.versions(path, reader=desk.reader))
    pairs = {
        "total": len(history.versions),
        "current": history.current,
        "archived": "true" if history.archived else "",
        "moved-from": _moved(history.moved_from),
        "moved-to": _moved(history.moved_to),
    }
    return _response("ok", pairs, write_versions(history.path, history.versions))


def _moved(other: Moved | None) -> str:
    return f"{other.path}/v{other.version}" if other else ""


async def _lookup(request: Request, desk: Desk) -> Response:
    """Answer as servers do, with what holds every term; a `question` of our own client as a folder does."""
    asked, limit = request.fields, _LIMIT.read(request.fields)
    match: Match = "body" if asked.get("match") == "body" else "catalog"
    question = asked.get("question", "") if match == "body" else ""
    query = question or asked.get("query", "")
    look = _looking(request, desk, query, match)
    page = (
        await look(limit)
        if question or match == "catalog"
        else await with_every_term(desk, query, look, limit)
    )
    progress = desk.told(page.indexing)
    pairs = {
        "matches": page.total,
        # Said only where it was asked for: without it an answer is a catalog answer.
        "match": match if asked.get("match") == match else "",
        "answered": "question" if question else "",
        "named": page.named if question and page.named else "",
        "indexing": f"{progress.done}/{progress.total}" if progress else "",
    }
    return _response("ok", pairs, full_table(page.rows, query, request.path, match, wire=True))


def _looking(
    request: Request, desk: Desk, query: str, match: Match
) -> Callable[[int], Awaitable[LookupPage]]:
    async def look(limit: int) -> LookupPage:
        return await read_at(
            request.path,
            lambda path, _: desk.store.lookup(
                query,
                scope=path,
                filter=request.fields.get("filter", ""),
                limit=limit,
                match=match,
                reader=desk.reader,
            ),
        )

    return look


def _failure(error: StoreError) -> Response:
    match error:
        case BadQuery(argument=argument, value=value, allowed=allowed):
            pairs: _Pairs = {"argument": argument, "value": value[:_LONGEST_VALUE], "allowed": allowed}
        case Archived(last=last):
            pairs = {"version": last}
        case Pruned(version=version):
            pairs = {"version": version, "pruned": "true"}
        case _:
            pairs = {}
    if isinstance(error, Unavailable):
        # That trying again may help is what the status says.
        return refusal("unavailable", one_line(f"{error.place}: {error.reason}"))
    return _response(status_of(error), pairs, f"{explain(error)}\n")


def _response(status: str, pairs: _Pairs, body: str = "") -> Response:
    return Response(_fields(status, pairs), body.encode(errors="replace"))


def _fields(status: str, pairs: _Pairs) -> dict[str, str]:
    stated = {key: str(value) for key, value in pairs.items() if value not in ("", None)}
    return {"status": status} | {
        key: value.encode(errors="replace").decode() for key, value in stated.items()
    }


_VERBS: Mapping[str, Callable[[Request, Desk], Awaitable[Response]]] = {
    "FETCH": _fetch,
    "LIST": _list,
    "VERSIONS": _versions,
    "LOOKUP": _lookup,
}
