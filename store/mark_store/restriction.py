"""What a lookup may see: scope, filter and reader, as SQL about documents and as a full-text expression.

They restrict before anything is ranked or counted, so totals and pages are right.
"""

import sqlite3
from dataclasses import dataclass

from .errors import NotFound
from .filters import Condition
from .passages import rowid, scope_word
from .paths import below, nfc, rooted
from .reader import Reader
from .schema import PIECE_BITS, SEARCHED

# Archived documents have no passages, binary ones no text.
_LIVE = Condition("NOT archived AND kind='text'", ())


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything, one document (its id), or everything below a folder (its path and id)."""

    folder: str = "/"
    folder_id: int | None = None
    document_id: int | None = None

    def condition(self) -> Condition | None:
        """The scope as a condition on documents."""
        if self.document_id is not None:
            return Condition("id=?", (self.document_id,))
        return Condition("path>=? AND path<?", below(self.folder)) if self.folder_id is not None else None


@dataclass(frozen=True, slots=True)
class Restriction:
    """A scope, and whatever else must hold of a document."""

    scope: Scope
    others: tuple[Condition, ...]

    def documents(self) -> Condition:
        """The condition that a document must meet."""
        scope = self.scope.condition()
        parts = [_LIVE, *([scope] if scope else []), *self.others]
        return Condition(
            " AND ".join(f"({part.sql})" for part in parts), tuple(p for part in parts for p in part.parameters)
        )

    def passages(self, expression: str) -> Condition:
        """The condition that a passage must meet, its words included."""
        within = "" if self.scope.folder_id is None else f' AND scope : "{scope_word(self.scope.folder_id)}"'
        sql, parameters = ["passage MATCH ?"], [f"{SEARCHED} : ({expression}){within}"]
        bounds: tuple[str | int, ...] = ()
        if (document := self.scope.document_id) is not None:
            sql.append("rowid >= ? AND rowid < ?")
            bounds = (rowid(document, 0), rowid(document + 1, 0))
        if self.others:
            inner = " AND ".join(f"({other.sql})" for other in self.others)
            sql.append(f"(rowid >> {PIECE_BITS}) IN (SELECT id FROM document WHERE {inner})")  # noqa: S608 - our own
        others = tuple(p for other in self.others for p in other.parameters)
        return Condition(" AND ".join(sql), (*parameters, *bounds, *others))


def readable(index: sqlite3.Connection, reader: Reader) -> tuple[Condition, ...]:
    """What a reader's scope asks of a document; nothing when it holds every path."""
    if reader.unlimited:
        return ()
    index.create_function("may_read", 1, reader.may_read)
    return (Condition("may_read(path)", ()),)


def resolved(index: sqlite3.Connection, path: str, reader: Reader) -> Scope:
    """The scope that a path names: that document, or everything below that folder.

    Raises: NotFound, when this reader may read nothing there.
    """
    name = rooted(path)
    if name == "/":
        return Scope()
    if name is not None:
        seen = readable(index, reader)
        return _document(index, name, seen) or _folder(index, name, seen) or _missing(path)
    return _missing(path)


def _document(index: sqlite3.Connection, path: str, seen: tuple[Condition, ...]) -> Scope | None:
    also = "".join(f" AND {condition.sql}" for condition in seen)
    found = index.execute(f"SELECT id FROM document WHERE nfc=?{also}", (nfc(path),)).fetchone()  # noqa: S608
    return Scope(document_id=int(found[0])) if found else None


def _folder(index: sqlite3.Connection, path: str, seen: tuple[Condition, ...]) -> Scope | None:
    also = "".join(f" AND {condition.sql}" for condition in seen)
    folders = index.execute(
        "SELECT id, path FROM folder WHERE nfc=? ORDER BY path<>?", (nfc(path) + "/", path + "/")
    )
    for number, folder in folders.fetchall():
        inside = f"SELECT 1 FROM document WHERE path>=? AND path<?{also} LIMIT 1"  # noqa: S608 - our own conditions
        if index.execute(inside, below(folder)).fetchone():
            return Scope(folder, int(number))
    return None


def _missing(path: str) -> Scope:
    raise NotFound(path)
