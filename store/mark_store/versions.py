"""The durable log: every observed state of every file, numbered for ever, each entry chained to the last.

It outlives the index, which is rebuilt from the folder at will; a number is never given to other bytes. How
the file comes to have its tables is `log_tables`, whether it holds what it should is `verification`.
"""

import sqlite3
import zlib
from dataclasses import dataclass

from .chain import START, Entry, EntryKind, link
from .clock import iso_milliseconds
from .log_tables import INSERT
from .paths import nfc
from .port import Moved, Version

# A file that goes and one that comes with the same bytes, this far apart in the log, are one that was moved.
_MOVING_MILLISECONDS = 10 * 60 * 1000


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


@dataclass(frozen=True, slots=True)
class Head:
    """A document's newest version: number, SHA-256 and bytes."""

    number: int
    hash: bytes
    size: int


class VersionLog:
    """One connection's view of the log; the caller holds the write lock where something is written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute

    def holds(self, digest: bytes) -> bool:
        """Whether these bytes are in the log already, for whatever document."""
        return bool(self._run("SELECT 1 FROM content WHERE hash=?", (digest,)).fetchone())

    def spelled(self, path: str) -> str | None:
        """The logged spelling of a path: the exact one, else that of the other Unicode normalisation."""
        found = self._run(
            "SELECT path FROM document WHERE nfc=? ORDER BY path<>?, path<>nfc, path", (nfc(path), path)
        ).fetchone()
        return found and str(found[0])

    def head(self, path: str) -> Head | None:
        """The newest version of a document."""
        found = self._run(
            "SELECT number, hash, size FROM entry WHERE kind='version'"
            " AND document=(SELECT id FROM document WHERE path=?) ORDER BY number DESC LIMIT 1",
            (path,),
        ).fetchone()
        return found and Head(int(found[0]), bytes(found[1]), int(found[2]))

    def record(self, path: str, content: Content, observed: int) -> int | None:
        """Log a state of a document and give its number; that of the newest version when nothing changed.

        None when the bytes are needed and were not given: another process pruned what `holds` had seen.
        """
        newest = self.head(path)
        if content.packed is None and not self.holds(content.hash):
            return None
        if content.packed is not None:
            self._run(
                "INSERT OR IGNORE INTO content(hash, size, packed) VALUES(?,?,?)",
                (content.hash, content.size, content.packed),
            )
        document = self._document(path)
        if newest and newest.hash == content.hash:
            self._come_back(document, path, newest, observed)
            return newest.number
        head = Head(newest.number + 1 if newest else 1, content.hash, content.size)
        self._append("version", document, path, head, observed)
        if not newest:
            self._link_to_gone(document, path, head, observed)
        return head.number

    def archive(self, path: str, observed: int) -> None:
        """Log that a document's file is gone."""
        newest = self.head(path)
        if newest and not self._is_gone(document := self._document(path)):
            self._append("archived", document, path, newest, observed)
            self._link_to_new(document, path, newest, observed)

    def prune(self, path: str, keep: int) -> None:
        """Let go of the bytes of all but the newest `keep` versions; numbers and hashes stay."""
        newest = self.head(path)
        if newest and newest.number > keep:
            self._drop(self._document(path), newest.number - keep)

    def prune_all(self, keep: int) -> None:
        """Let go of the bytes of all but the newest `keep` versions of every document."""
        rows = self._run(
            "SELECT document, max(number) FROM entry WHERE kind='version' GROUP BY document"
            " HAVING max(number) > ?",
            (keep,),
        ).fetchall()
        for document, newest in rows:
            self._drop(document, newest - keep)

    def read(self, path: str, number: int) -> Stored | None:
        """One version with its bytes; None when there is no such version, or its bytes were let go."""
        found = self._run(
            "SELECT packed, entry.hash, observed FROM entry JOIN content ON content.hash=entry.hash"
            " WHERE document=(SELECT id FROM document WHERE path=?) AND number=? AND kind='version' AND kept",
            (path, number),
        ).fetchone()
        if not found:
            return None
        packed, digest, observed = found
        return Stored(path, number, zlib.decompress(packed), bytes(digest), int(observed))

    def history(self, path: str) -> tuple[Version, ...]:
        """Every version of a document, newest first."""
        rows = self._run(
            "SELECT number, observed, size, hash, kept FROM entry WHERE kind='version'"
            " AND document=(SELECT id FROM document WHERE path=?) ORDER BY number DESC",
            (path,),
        )
        return tuple(
            Version(n, iso_milliseconds(at), size, digest.hex(), kept != 1)
            for n, at, size, digest, kept in rows
        )

    def moved_from(self, path: str) -> Moved | None:
        """The document, gone since, whose last bytes a document began with."""
        return self._moved(
            "SELECT path, number FROM entry JOIN document ON document.id=entry.other WHERE kind='moved'"
            " AND entry.document=(SELECT id FROM document WHERE path=?)",
            path,
        )

    def moved_to(self, path: str) -> Moved | None:
        """The document that began with the last bytes of one that is gone."""
        return self._moved(
            "SELECT path, 1 FROM entry JOIN document ON document.id=entry.document"
            " WHERE entry.other=(SELECT id FROM document WHERE path=?) ORDER BY entry.id DESC",
            path,
        )

    def _moved(self, statement: str, path: str) -> Moved | None:
        found = self._run(statement, (path,)).fetchone()
        return found and Moved(str(found[0]), int(found[1]))

    def _document(self, path: str) -> int:
        self._run("INSERT OR IGNORE INTO document(path, nfc) VALUES(?,?)", (path, nfc(path)))
        return int(self._run("SELECT id FROM document WHERE path=?", (path,)).fetchone()[0])

    def _append(
        self,
        kind: EntryKind,
        document: int,
        path: str,
        head: Head,
        observed: int,
        other: tuple[int, str] = (0, ""),
    ) -> None:
        last = self._run("SELECT link FROM entry ORDER BY id DESC LIMIT 1").fetchone()
        entry = Entry(kind, path, head.number, head.hash, head.size, observed, other[1])
        made = link(bytes(last[0]) if last else START, entry)
        kept = int(kind == "version")
        row = (document, head.number, head.hash, head.size, observed, kind, other[0], kept, made)
        self._run(INSERT, row)

    def _come_back(self, document: int, path: str, newest: Head, observed: int) -> None:
        # Bytes that were lost or let go are there again.
        self._run(
            "UPDATE entry SET kept=1 WHERE document=? AND number=? AND kind='version' AND kept<>1",
            (document, newest.number),
        )
        if self._is_gone(document):
            self._append("restored", document, path, newest, observed)

    def _is_gone(self, document: int) -> bool:
        """Whether the file went and nothing was seen of it since."""
        found = self._run(
            "SELECT kind='archived' AND NOT EXISTS(SELECT 1 FROM entry AS later"
            " WHERE later.document=entry.document AND later.kind='version' AND later.id>entry.id)"
            " FROM entry WHERE document=? AND kind<>'version' ORDER BY id DESC LIMIT 1",
            (document,),
        ).fetchone()
        return bool(found and found[0])

    def _link_to_gone(self, document: int, path: str, head: Head, observed: int) -> None:
        """Say where a new document was before, if one with its bytes went a moment ago."""
        rows = self._run(
            "SELECT entry.document, path, number FROM entry JOIN document ON document.id=entry.document"
            " WHERE kind='archived' AND hash=? AND size>0 AND observed BETWEEN ? AND ?"
            " ORDER BY entry.id DESC LIMIT 9",
            (head.hash, observed - _MOVING_MILLISECONDS, observed + _MOVING_MILLISECONDS),
        ).fetchall()
        rows.sort(key=lambda row: _name(row[1]) != _name(path))
        for gone, other, number in rows:
            if self._is_gone(gone) and not self.moved_to(other):
                self._append(
                    "moved", document, path, Head(number, head.hash, head.size), observed, (gone, other)
                )
                return

    def _link_to_new(self, gone: int, path: str, newest: Head, observed: int) -> None:
        """Say what became of a document that is gone, if one with its bytes was new a moment ago."""
        rows = self._run(
            "SELECT entry.document, path FROM entry JOIN document ON document.id=entry.document"
            " WHERE hash=? AND kept AND kind='version' AND number=1 AND size>0 AND entry.document<>?"
            " AND observed BETWEEN ? AND ? ORDER BY entry.id DESC LIMIT 9",
            (newest.hash, gone, observed - _MOVING_MILLISECONDS, observed + _MOVING_MILLISECONDS),
        ).fetchall()
        rows.sort(key=lambda row: _name(row[1]) != _name(path))
        written = self._entry(gone, newest.number)
        for document, other in rows:
            if (
                not self._is_gone(document)
                and not self.moved_from(other)
                and self._entry(document, 1) > written
            ):
                self._append("moved", document, other, newest, observed, (gone, path))
                return

    def _entry(self, document: int, number: int) -> int:
        found = self._run(
            "SELECT id FROM entry WHERE document=? AND kind='version' AND number=?", (document, number)
        )
        return int(found.fetchone()[0])

    def _drop(self, document: int, last: int) -> None:
        found = self._run(
            "SELECT hash FROM entry WHERE document=? AND kind='version' AND number<=? AND kept",
            (document, last),
        ).fetchall()
        self._run(
            "UPDATE entry SET kept=0 WHERE document=? AND kind='version' AND number<=? AND kept",
            (document, last),
        )
        for (digest,) in found:
            self._run(
                "DELETE FROM content WHERE hash=? AND NOT EXISTS(SELECT 1 FROM entry WHERE hash=? AND kept)",
                (digest, digest),
            )


def _name(path: str) -> str:
    return path.rpartition("/")[2]
