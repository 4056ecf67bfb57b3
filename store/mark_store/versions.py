"""The durable log: every observed state of every file, numbered for ever.

It outlives the index, which is rebuilt from the folder at will; a number is never given to other bytes.
"""

import sqlite3
import zlib
from dataclasses import dataclass

from .clock import iso_milliseconds
from .connection import writing
from .paths import nfc
from .port import Version

LOG_SCHEMA = 1
_TABLES = """
CREATE TABLE document(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, nfc TEXT NOT NULL);
CREATE INDEX document_nfc ON document(nfc);
CREATE TABLE content(
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE TABLE version(
    document INTEGER NOT NULL, number INTEGER NOT NULL, content INTEGER NOT NULL, observed INTEGER NOT NULL,
    PRIMARY KEY(document, number)
) WITHOUT ROWID;
CREATE TABLE event(document INTEGER NOT NULL, observed INTEGER NOT NULL, kind TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of one state of a file: SHA-256, length, zlib-compressed form (None: already in the log)."""

    hash: bytes
    size: int
    packed: bytes | None


@dataclass(frozen=True, slots=True)
class Stored:
    """One version as it was logged; `observed` is in milliseconds of the Unix epoch."""

    path: str
    number: int
    data: bytes
    hash: bytes
    observed: int


class VersionLog:
    """One connection's view of the log."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def create(self) -> bool:
        """Make the tables where there are none; False when the file belongs to a newer release."""
        if not self._schema():
            with writing(self._connection):
                if not self._schema():
                    for statement in _TABLES.split(";\n"):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA user_version={LOG_SCHEMA}")
        return self._schema() == LOG_SCHEMA

    def _schema(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def holds(self, digest: bytes) -> bool:
        """Whether these bytes are in the log already, for whatever document."""
        return bool(self._connection.execute("SELECT 1 FROM content WHERE hash=?", (digest,)).fetchone())

    def spelled(self, path: str) -> str | None:
        """The logged spelling of a path: the exact one, else that of the other Unicode normalisation."""
        found = self._connection.execute(
            "SELECT path FROM document WHERE nfc=? ORDER BY path<>?, path<>nfc, path", (nfc(path), path)
        ).fetchone()
        return found and str(found[0])

    def head(self, path: str) -> tuple[int, bytes] | None:
        """Number and hash of a document's newest version."""
        found = self._connection.execute(
            "SELECT number, hash FROM version JOIN content ON content.id=version.content"
            " WHERE document=(SELECT id FROM document WHERE path=?) ORDER BY number DESC LIMIT 1",
            (path,),
        ).fetchone()
        return found and (int(found[0]), bytes(found[1]))

    def record(self, path: str, content: Content, observed: int) -> int | None:
        """Log a state of a document and give its number; that of the newest version when nothing changed.

        None when the bytes are needed and were not given: another process pruned what `holds` had seen.
        """
        newest = self.head(path)
        if newest and newest[1] == content.hash:
            return newest[0]
        if content.packed is None and not self.holds(content.hash):
            return None
        run = self._connection.execute
        run("INSERT OR IGNORE INTO document(path, nfc) VALUES(?,?)", (path, nfc(path)))
        if content.packed is not None:
            run(
                "INSERT OR IGNORE INTO content(hash, size, packed) VALUES(?,?,?)",
                (content.hash, content.size, content.packed),
            )
        number = newest[0] + 1 if newest else 1
        run(
            "INSERT INTO version SELECT (SELECT id FROM document WHERE path=?), ?,"
            " (SELECT id FROM content WHERE hash=?), ?",
            (path, number, content.hash, observed),
        )
        return number

    def archive(self, path: str, observed: int) -> None:
        """Log that a document's file is gone."""
        self._connection.execute(
            "INSERT INTO event SELECT id, ?, 'archived' FROM document WHERE path=?", (observed, path)
        )

    def read(self, path: str, number: int) -> Stored | None:
        """One version with its bytes; None when the document has no such version."""
        found = self._connection.execute(
            "SELECT packed, hash, observed FROM version JOIN content ON content.id=version.content"
            " WHERE document=(SELECT id FROM document WHERE path=?) AND number=?",
            (path, number),
        ).fetchone()
        if not found:
            return None
        packed, digest, observed = found
        return Stored(path, number, zlib.decompress(packed), bytes(digest), int(observed))

    def history(self, path: str) -> tuple[Version, ...]:
        """Every version of a document, newest first."""
        rows = self._connection.execute(
            "SELECT number, observed, size, hash FROM version JOIN content ON content.id=version.content"
            " WHERE document=(SELECT id FROM document WHERE path=?) ORDER BY number DESC",
            (path,),
        )
        return tuple(Version(n, iso_milliseconds(at), size, digest.hex()) for n, at, size, digest in rows)
