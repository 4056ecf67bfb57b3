"""The tables of the version log, and how an older release's file comes to have them.

A file is migrated in one transaction; one of a newer release, or of another program, is left as it is.
"""

import sqlite3
from collections.abc import Iterator

from .chain import START, Entry, link
from .connection import writing

SCHEMA = 2
TABLES = """
CREATE TABLE document(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, nfc TEXT NOT NULL);
CREATE INDEX document_nfc ON document(nfc);
CREATE TABLE content(
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE TABLE entry(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, document INTEGER NOT NULL, number INTEGER NOT NULL,
    hash BLOB NOT NULL, size INTEGER NOT NULL, observed INTEGER NOT NULL, other INTEGER NOT NULL,
    kept INTEGER NOT NULL, link BLOB NOT NULL
);
CREATE UNIQUE INDEX entry_version ON entry(document, number) WHERE kind='version';
CREATE INDEX entry_event ON entry(document, id) WHERE kind<>'version';
CREATE INDEX entry_other ON entry(other) WHERE other<>0;
CREATE INDEX entry_gone ON entry(hash) WHERE kind='archived';
CREATE INDEX entry_hash ON entry(hash) WHERE kept
"""
_OLD_ENTRIES = """
SELECT version.document, number, hash, size, observed, 'version' AS kind, 0 AS place
FROM version JOIN content ON content.id=version.content
UNION ALL
SELECT event.document, 0, x'', 0, observed, kind, rowid FROM event
ORDER BY observed, kind DESC, place, document, number
"""


class Foreign(Exception):  # noqa: N818 - a state of the file, told to the user by its owner
    """The file is no log that this release can read; `reason` says whose it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def prepare(log: sqlite3.Connection) -> None:
    """Make the tables in an empty file, migrate an older release's.

    Raises: Foreign.
    """
    if _version(log) != SCHEMA:
        with writing(log):
            _make(log, _version(log))


def _make(log: sqlite3.Connection, found: int) -> None:
    tables = {name for (name,) in log.execute("SELECT name FROM sqlite_schema WHERE type='table'")}
    match found:
        case 0 if tables:
            raise Foreign("is a database of another program")
        case 0:
            create(log)
        case 1:
            _migrate(log)
        case _ if found != SCHEMA:
            raise Foreign("was written by a newer release")


def create(log: sqlite3.Connection) -> None:
    """Make the tables, inside the caller's transaction."""
    for statement in TABLES.split(";\n"):
        log.execute(statement)
    log.execute(f"PRAGMA user_version={SCHEMA}")


def _migrate(log: sqlite3.Connection) -> None:
    """Turn the first release's versions and events into entries, in the order in which they happened."""
    paths = dict(log.execute("SELECT id, path FROM document"))
    rows = list(_linked(log.execute(_OLD_ENTRIES).fetchall(), paths))
    log.execute("DROP TABLE version")
    log.execute("DROP TABLE event")
    for statement in TABLES.split(";\n"):
        if "entry" in statement:
            log.execute(statement)
    log.executemany(INSERT, rows)
    log.execute(f"PRAGMA user_version={SCHEMA}")


INSERT = (
    "INSERT INTO entry(document, number, hash, size, observed, kind, other, kept, link)"
    " VALUES(?,?,?,?,?,?,?,?,?)"
)


def _linked(rows: list[tuple[int, int, bytes, int, int, str, int]], paths: dict[int, str]) -> Iterator[tuple]:  # type: ignore[type-arg] # a row of nine columns
    before = START
    newest: dict[int, tuple[int, bytes, int]] = {}
    for document, version, content, length, observed, kind, _ in rows:
        if kind == "version":
            newest[document] = (version, content, length)
        number, digest, size = newest.get(document, (0, b"", 0))
        before = link(before, Entry(kind, paths[document], number, digest, size, observed))  # type: ignore[arg-type] # the two kinds there were
        yield document, number, digest, size, observed, kind, 0, int(kind == "version"), before


def _version(log: sqlite3.Connection) -> int:
    return int(log.execute("PRAGMA user_version").fetchone()[0])
