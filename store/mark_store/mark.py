"""The client of one Mark server: the store's contract over requests of the wire, whatever carries them.

Transports keep `Exchange`; questions become queries in `mark_questions`, answers values in `mark_answers`.
What a reader's scope leaves out is left out on this side (`mark_scope`): the server knows the token only.
"""

from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypeVar

import anyio
import anyio.to_thread

from . import mark_answers
from .errors import Archived, BadQuery, NotFound, ProtocolError, Unavailable
from .exchange import Exchange
from .filters import conditions
from .kept_answers import KeptAnswers
from .lookups import Question
from .mark_questions import EVERYTHING as ALL
from .mark_questions import on_one_line, queries, shortened
from .mark_scope import MOST_ROWS, Scoped
from .paths import rooted
from .port import Document, History, LookupPage, Match, Page
from .reader import EVERYTHING, Reader
from .wire_request import Request, can_name
from .wire_response import LONGEST_ANSWER, Response

_Made = TypeVar("_Made")

_MOST_ENTRIES: Final = 1000
_LONGEST_ROW: Final = 2048
"""Bytes of a row or a line, on the average of all that were asked for, beside one MiB for a few long ones."""


class MarkStore:
    """One server as a `Store`; closing it closes the exchange.

    `token` goes into every request to this server and to no other.
    """

    def __init__(
        self, exchange: Exchange, kept: KeptAnswers | None = None, token: str = "", variable: str = ""
    ) -> None:
        """Begin with a way to the server; `variable` is what a refusal names as the place for a token."""
        self._exchange = exchange
        self._kept = kept
        self._token = token
        self._variable = variable
        self._place = exchange.place

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the name of the tool's argument (surface.md)
        limit: int = 10,
        offset: int = 0,
        match: Match = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        """Ask for all terms, then for fewer until something is found; rows carry neither version nor costs.

        Raises: NotFound, BadFilter, BadQuery, Unauthorized, NotPermitted, Untrusted, Unavailable,
        ProtocolError.
        """
        question = Question(query, scope, filter, limit, offset, match, reader)
        question.check()
        conditions(filter)
        name = self._named(scope)
        if reader.unlimited:
            found = await self._found(question, name, min(offset + limit, MOST_ROWS))
        else:
            found = await Scoped(self, reader).filtered(await self._found(question, name, MOST_ROWS), name)
        return replace(found, rows=found.rows[offset : offset + limit])

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        """Read a document as the server has it now, or one version, which is asked for once and then kept.

        Raises: NotFound, Archived, Pruned, Unauthorized, NotPermitted, Untrusted, Unavailable, ProtocolError.
        """
        name = self._named(path, reader)
        if version is None:
            return await self._head(name)
        if version < 1:
            raise NotFound(f"{name}/v{version}")
        return await self._version(name, version)

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        """Read one page of a directory.

        Raises: NotFound, BadQuery, Unauthorized, NotPermitted, Untrusted, Unavailable, ProtocolError.
        """
        if page_size < 1:
            raise BadQuery("page_size", str(page_size), "1 or more")
        name = self._named(path)
        if reader.unlimited:
            return await self.level(name, cursor, page_size)
        return await Scoped(self, reader).level(name, cursor, page_size)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        """Tell the versions of one document.

        Raises: NotFound, Unauthorized, NotPermitted, Untrusted, Unavailable, ProtocolError.
        """
        name = self._named(path, reader)
        response = await self._ask("VERSIONS", name, {}, _longest(MOST_ROWS))
        return mark_answers.history(response, name, self._place)

    async def aclose(self) -> None:
        """Close the way to the server; safe to call twice."""
        await self._exchange.aclose()

    async def __aenter__(self) -> Self:
        """Give the store itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        await self.aclose()

    async def everything(self, scope: str) -> LookupPage:
        """Give every document of a scope that one request can tell of.

        Raises: as `lookup`.
        """
        question = Question(ALL, scope, "", MOST_ROWS, 0, "body", EVERYTHING)
        return await self._found(question, scope, MOST_ROWS)

    async def level(self, name: str, cursor: str, page_size: int) -> Page:
        """Give one page of a directory with all that the server shows.

        Raises: as `list`.
        """
        page_size = min(page_size, _MOST_ENTRIES)
        fields = {"page-size": str(page_size)} | ({"cursor": cursor} if cursor else {})
        response = await self._ask("LIST", name, fields, _longest(page_size))
        return mark_answers.page(response, name if name == "/" else f"{name}/", self._place)

    async def _found(self, question: Question, name: str, most: int) -> LookupPage:
        body = question.match == "body"
        first, *fewer = queries(question.query) if body else (shortened(question.query),)
        found, final = await self._answered(question, name, first, most)
        asked = ""
        for query in fewer:
            if final or found.total:
                break
            found, final = await self._answered(question, name, query, most)
            asked = query
        return replace(found, asked=asked)

    async def _answered(
        self, question: Question, name: str, query: str, most: int
    ) -> tuple[LookupPage, bool]:
        """Rows for one query, and whether fewer terms could find no more.

        `question` is what our own server answers instead, as a folder does; others do not know the key.
        """
        fields = {"query": query, "limit": str(most), "match": question.match}
        if question.filter.strip():
            fields["filter"] = on_one_line(question.filter)
        if question.match == "body":
            fields["question"] = shortened(question.query)
        response = await self._ask("LOOKUP", name, fields, _longest(most))
        rows, matches, match = mark_answers.rows(response, self._place)
        rows = rows[:most]
        # A server that gives fewer rows than it counts gives no more to who asks for more.
        total = matches if len(rows) == min(most, matches) else len(rows)
        named = min(total, mark_answers.named(response, self._place))
        rows = tuple(replace(row, named=place < named) for place, row in enumerate(rows))
        page = LookupPage(rows, total, match, mark_answers.indexing(response), named=named)
        return page, response.fields.get("answered") == "question" or match != question.match

    async def _head(self, name: str) -> Document:
        known = await self._recall(name, None)
        etag = known.fields.get("etag", "") if known else ""
        response = await self._send("FETCH", name, {"if-none-match": etag} if etag else {}, LONGEST_ANSWER)
        if known and etag and response.status(self._place) == "not-modified":
            return mark_answers.document(known, name, self._place)
        self._expect_ok(response, name)
        found = mark_answers.document(response, name, self._place)
        await self._keep(name, None, response)
        if found.version is not None:
            await self._keep(name, found.version, response)
        return found

    async def _version(self, name: str, version: int) -> Document:
        if known := await self._recall(name, version):
            return replace(mark_answers.document(known, name, self._place), current=await self._current(name))
        response = await self._ask("FETCH", f"{name}/v{version}", {}, LONGEST_ANSWER)
        found = mark_answers.document(response, name, self._place)
        if found.version not in {None, version}:
            raise ProtocolError(self._place, f"asked for version {version}, answered {found.version}")
        await self._keep(name, version, response)
        stated = response.fields.get("current-version")
        return replace(found, version=version, current=found.current if stated else None)

    async def _current(self, name: str) -> int | None:
        """The newest version of a document, or its last one; None when the server cannot be asked."""
        try:
            return (await self._head(name)).current
        except Archived as error:
            return error.last
        except Unavailable:
            return None

    def _named(self, path: str, reader: Reader = EVERYTHING) -> str:
        name = rooted(path)
        if name is None or not can_name(name) or not reader.may_read(name):
            raise NotFound(path)
        return name

    async def _ask(self, verb: str, path: str, fields: dict[str, str], longest: int) -> Response:
        response = await self._send(verb, path, fields, longest)
        self._expect_ok(response, path)
        return response

    def _expect_ok(self, response: Response, path: str) -> None:
        if response.status(self._place) != "ok":
            raise mark_answers.failure(response, path, self._place, self._variable)

    async def _send(self, verb: str, path: str, fields: dict[str, str], longest: int) -> Response:
        signed = fields | ({"auth": self._token} if self._token else {})
        return await self._exchange.send(Request(verb, path, signed), longest)

    async def _recall(self, name: str, version: int | None) -> Response | None:
        kept = self._kept
        return await _in_thread(lambda: kept.get(name, version)) if kept else None

    async def _keep(self, name: str, version: int | None, response: Response) -> None:
        kept = self._kept
        if kept:
            await _in_thread(lambda: kept.put(name, version, response))


def _longest(rows: int) -> int:
    return (1 << 20) + rows * _LONGEST_ROW


async def _in_thread(work: Callable[[], _Made]) -> _Made:
    return await anyio.to_thread.run_sync(work)
