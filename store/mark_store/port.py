"""The store's contract: the values that cross it and the one protocol that every client keeps.

Clients (folder, wire, engine) live beside this file; budgets and MCP do not know which one answers.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from mark_outline import Outline

from .errors import Failed
from .reader import EVERYTHING, Reader

Match = Literal["body", "catalog"]
Kind = Literal["text", "binary"]
EntryKind = Literal["document", "binary", "folder", "store"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far indexing is, in files; `total` is 0 until the folder has been walked.

    `trouble` says in one line why it does not get on, "" when it does; `store` names which of several it is.
    """

    done: int
    total: int
    trouble: str = ""
    store: str = ""


@dataclass(frozen=True, slots=True)
class RowCosts:
    """What a row would cost to print, in units of `encoding` (tokens; UTF-8 bytes for "bytes").

    Block text with its closing blank line, header not included (B3). `whole` = section with subsections
    (bare row: the whole document), `own` = up to the next heading of any level (bare row: `whole`).
    """

    encoding: str
    whole: int
    own: int


@dataclass(frozen=True, slots=True)
class Row:
    """One ranked match: a document (`anchor` "") or one of its sections; `path` is decoded."""

    path: str
    anchor: str
    title: str
    tags: tuple[str, ...]
    importance: float
    snippet: str
    score: float
    version: int | None
    costs: RowCosts | None
    named: bool = False


@dataclass(frozen=True, slots=True)
class LookupPage:
    """One page of rows in rank order; `total` counts the rows of all pages.

    `match` is the one that was used; `indexing` is set while the answer may lack documents; `failed` are
    those of several stores that did not answer, whose rows are neither here nor counted. `asked` is what was
    asked for where that is less than the query, because nothing had all of it; else "". `named` counts the
    rows at the beginning of the whole ranking that stand there because the query calls them by name.
    """

    rows: tuple[Row, ...]
    total: int
    match: Match
    indexing: Progress | None = None
    failed: tuple[Failed, ...] = ()
    asked: str = ""
    named: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one document; a "binary" one has no body and no outline.

    `body_start` counts characters of the file's text before the body, `modified` is ISO 8601 UTC,
    `content_hash` the hex SHA-256 of the file's bytes, `current` the newest version there is.
    """

    path: str
    version: int | None
    body: str
    metadata: Mapping[str, str]
    etag: str
    modified: str
    content_hash: str
    body_start: int
    outline: Outline | None
    kind: Kind = "text"
    current: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a directory page: a document with its title, a folder with the documents below it, a store.

    The `count` of a store is 0: nobody asks it for a list of stores.
    """

    path: str
    kind: EntryKind
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Page:
    """Part of one directory level: folders first, then documents, each sorted by path.

    `cursor` continues after the last entry and is None at the end; `total` counts the entries of the level.
    """

    path: str
    entries: tuple[Entry, ...]
    total: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """One observed state of a file: number from 1, time (ISO 8601 UTC), bytes, hex SHA-256.

    A `pruned` one cannot be fetched any more.
    """

    number: int
    time: str
    size: int
    content_hash: str
    pruned: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """The other end of a move: a document, and its version with the same bytes."""

    path: str
    version: int


@dataclass(frozen=True, slots=True)
class History:
    """The versions of one document, newest first; `archived` when there is no current one.

    `moved_from` is the document, gone since, that had its first bytes last; `moved_to` the one that an
    archived document went on as.
    """

    path: str
    current: int
    archived: bool
    versions: tuple[Version, ...]
    moved_from: Moved | None = None
    moved_to: Moved | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One relation that the document at `source` declares (R1).

    Both ends are decoded paths; `target` may also be a `mark://` location of another store, decoded, or any
    other URL as it is printed. Nothing says that there is such a document.
    """

    source: str
    predicate: str
    target: str
    fragment: str


class Store(Protocol):
    """Where documents live: asynchronous, read-only; what `reader` may not read is not seen nor counted."""

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
        """Rank the sections (`catalog`: the documents) that answer a query; pages never repeat or skip rows.

        Raises: NotFound (unknown scope), BadFilter, BadQuery, Unavailable.
        """
        ...

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        """Read one document as it is now, or as one immutable version.

        Raises: NotFound, Archived, Pruned, Unavailable.
        """
        ...

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        """Read one page of one directory level.

        Raises: NotFound, BadQuery (a cursor that is none of ours), Unavailable.
        """
        ...

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        """Tell the versions of one document, deleted or not.

        Raises: NotFound, Unavailable.
        """
        ...

    async def aclose(self) -> None:
        """Stop background work and release what is held; safe to call twice."""
        ...


@runtime_checkable
class Relating(Protocol):
    """What a store may be able to do besides: find relations from either end."""

    async def related(
        self,
        path: str,
        predicates: tuple[str, ...] = (),
        *,
        incoming: bool = False,
        limit: int = 100,
        reader: Reader = EVERYTHING,
    ) -> tuple[Link, ...]:
        """Tell what a document declares, or (`incoming`) what declares it; no predicates mean all of them.

        `path` is decoded, or a `mark://` location. Links are in the order of their predicates, then as they
        were declared, or (`incoming`) by path. Nothing that is archived or that the reader may not read is a
        source, and nothing of this store that the reader may not read is a target; what is not there has no
        links.

        Raises: BadQuery (limit), Unavailable.
        """
        ...


@runtime_checkable
class Standing(Protocol):
    """What a store may be able to do besides: tell whether an answer that it gave would be the same now."""

    async def standing(self, paths: Collection[str]) -> Hashable | None:
        """Give a value that stays equal for as long as no answer can have changed.

        `paths` are the documents that an answer rests on; they are compared with what they are now, as before
        an answer. Between two equal values every question of every reader has one and the same answer. None:
        that cannot be told now, as during indexing.

        Raises: TooManyFiles, Unavailable.
        """
        ...
