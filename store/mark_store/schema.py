"""The disposable index: its tables, and whether a file that is there still fits.

Everything in it can be read from the folder and the version log again, so it is never migrated: a file that
does not fit is replaced.
"""

import sqlite3
import unicodedata
import zlib

from .connection import writing
from .words import indexed

# Raise when the tables, what is derived from a document, or what `mark_outline` reads in one changes.
_SCHEMA = 8
_SAMPLE = "C++ naïve 中文合約 ภาษาไทย كِتَاب Ёлка ΆΛΦΑ 🚀🇩🇪 ＡＰＩ ٢٥ apply_secrets"

# The rowid of a passage is its document's id and its place in it: no table is needed to tell them apart.
PIECE_BITS = 20
# Measured on nine stores: words of the front matter on the first passage lift the gold section's rank (mean
# reciprocal rank .59 -> .64), words of the path add nothing.
SCORE = "bm25(passage, 2.0, 3.0, 1.0, 1.0, 1.0, 0.0)"
SEARCHED = "{title trail text tags front}"

# Marks (M*) belong to words: without them Thai, Hindi and other scripts would be cut at every vowel sign.
_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE folder(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, nfc TEXT NOT NULL, mtime_ns INTEGER NOT NULL
);
CREATE TABLE document(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, nfc TEXT NOT NULL UNIQUE, folder INTEGER NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    hash BLOB NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL, archived INTEGER NOT NULL,
    title TEXT NOT NULL, folded TEXT NOT NULL, tags TEXT NOT NULL, importance REAL NOT NULL,
    modified INTEGER NOT NULL, dated INTEGER NOT NULL, passages INTEGER NOT NULL
);
CREATE INDEX document_folder ON document(folder);
CREATE INDEX document_importance ON document(importance) WHERE importance <> 0.5;
CREATE TABLE detail(
    document INTEGER PRIMARY KEY, metadata TEXT NOT NULL, front TEXT NOT NULL,
    body_start INTEGER NOT NULL, outline BLOB
);
CREATE TABLE field(
    key TEXT NOT NULL, value TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY(key, value, document)
) WITHOUT ROWID;
CREATE TABLE name(
    name TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY(name, document)
) WITHOUT ROWID;
CREATE TABLE relation(
    target TEXT NOT NULL, predicate TEXT NOT NULL, path TEXT NOT NULL, fragment TEXT NOT NULL,
    PRIMARY KEY(target, predicate, path, fragment)
) WITHOUT ROWID;
CREATE TABLE notice(
    path TEXT NOT NULL, text TEXT NOT NULL, origin TEXT NOT NULL, PRIMARY KEY(path, text)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE passage USING fts5(
    title, trail, text, tags, front, scope, content='',
    tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
"""


def fits(connection: sqlite3.Connection, encoding: str) -> bool:
    """Make the tables in an empty file; False when the file is another release's or counts other tokens."""
    if not _tables(connection):
        with writing(connection):
            if not _tables(connection):
                for statement in _TABLES.split(";\n"):
                    connection.execute(statement)
                connection.execute("INSERT INTO meta VALUES('fingerprint', ?)", (_fingerprint(encoding),))
    try:
        found = connection.execute("SELECT value FROM meta WHERE key='fingerprint'").fetchone()
    except sqlite3.OperationalError:
        return False
    return bool(found == (_fingerprint(encoding),))


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether a file holds an index, of whichever release or settings."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name='passage_data'")
    return bool(found.fetchone())


def _tables(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])


def _fingerprint(encoding: str) -> str:
    # The sample notices a change of how text is cut, which would make passages impossible to take out again;
    # so would other tables of characters, which come with another Python.
    cut = zlib.crc32(indexed(_SAMPLE).encode())
    return f"{_SCHEMA} {encoding} {cut} {unicodedata.unidata_version}"
