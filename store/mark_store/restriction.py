"""What a lookup may see: scope, filter and reader, as SQL about documents and as a full-text expression.

They restrict before anything is ranked or counted, so totals and pages are right.
"""

import sqlite3
from dataclasses import dataclass
from typing import Self

from .condition import Condition, all_of
from .errors import NotFound
from .passages import rowid, scope_word
from .paths import below, nfc, rooted
from .reader import Reader
from .schema import PIECE_BITS, SEARCHED

# Archived documents have no passages, binary ones no text.
_LIVE = Condition("NOT archived AND kind='text'")


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything, one document (its id), or everything below a folder (its path and id)."""

    folder: str = "/"
    folder_id: int | None = None
    document_id: int | None = None

    def conditions(self) -> tuple[Condition, ...]:
        """The scope as conditions on documents."""
        if self.document_id is not None:
            return (Condition("id=?", (self.document_id,)),)
        return (_inside(self.folder),) if self.folder_id is not None else ()


@dataclass(frozen=True, slots=True)
class Restriction:
    """A scope, and whatever else must hold of a document."""

    scope: Scope
    others: tuple[Condition, ...]

    @classmethod
    def of_everything(cls) -> Self:
        """The restriction that leaves nothing out."""
        return cls(Scope(), ())

    def documents(self) -> Condition:
        """The condition that a document must meet."""
        return all_of([_LIVE, *self.scope.conditions(), *self.others])

    def passages(self, expression: str) -> Condition:
        """The condition that a passage must meet, its words included.

        A word per folder above a passage makes a scope five times faster than comparing paths.
        """
        folder, document = self.scope.folder_id, self.scope.document_id
        within = "" if folder is None else f' AND scope : "{scope_word(folder)}"'
        parts = [Condition("passage MATCH ?", (f"{SEARCHED} : ({expression}){within}",))]
        if document is not None:
            parts.append(Condition("rowid >= ? AND rowid < ?", (rowid(document, 0), rowid(document + 1, 0))))
        if self.others:
            inner = all_of(self.others)
            among = f"(rowid >> {PIECE_BITS}) IN ({inner.select('id')})"
            parts.append(Condition(among, inner.parameters))
        return all_of(parts)


def readable(index: sqlite3.Connection, reader: Reader) -> tuple[Condition, ...]:
    """What a reader's scope asks of a document; nothing when it holds every path."""
    if reader.unlimited:
        return ()
    index.create_function("may_read", 1, reader.may_read)
    return (Condition("may_read(path)"),)


def resolved(index: sqlite3.Connection, path: str, reader: Reader) -> Scope:
    """The scope that a path names: that document, or everything below that folder.

    Raises: NotFound, when this reader may read nothing there.
    """
    name = rooted(path)
    if name == "/":
        return Scope()
    if name is None or not reader.may_enter(name):
        raise NotFound(path)
    seen = readable(index, reader)
    scope = _document(index, name, seen) or _folder(index, name, seen)
    if scope is None:
        raise NotFound(path)
    return scope


def _document(index: sqlite3.Connection, path: str, seen: tuple[Condition, ...]) -> Scope | None:
    where = all_of([Condition("nfc=?", (nfc(path),)), *seen])
    found = index.execute(where.select("id"), where.parameters).fetchone()
    return Scope(document_id=int(found[0])) if found else None


def _folder(index: sqlite3.Connection, path: str, seen: tuple[Condition, ...]) -> Scope | None:
    folders = index.execute(
        "SELECT id, path FROM folder WHERE nfc=? ORDER BY path<>?", (nfc(path) + "/", path + "/")
    )
    for number, folder in folders.fetchall():
        where = all_of([_inside(folder), *seen])
        if index.execute(where.select("1", then="LIMIT 1"), where.parameters).fetchone():
            return Scope(str(folder), int(number))
    return None


def _inside(folder: str) -> Condition:
    return Condition("path>=? AND path<?", below(folder))
