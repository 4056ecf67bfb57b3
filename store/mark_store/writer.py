"""Changes of the index: a draft goes in, a document comes out; the caller holds the write locks."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from mark_outline import fold

from .contents import Contents, pack, unpack
from .databases import Unsound
from .disk import Stamp
from .draft import Draft, Reading
from .links import declared
from .metadata import compared, items, one_line
from .names import names_of
from .notice import Notice
from .passages import Told, passages
from .paths import below, folder_of, folders_above, nfc
from .source import decoded
from .versions import VersionLog

_COLUMNS = "rowid, title, trail, text, tags, front, scope"


class Writer:
    """Writes documents into one index, with the log from which old passages are made again."""

    def __init__(self, index: sqlite3.Connection, log: VersionLog) -> None:
        self._run = index.execute
        self._index = index
        self._log = log

    def put(self, draft: Draft, reading: Reading, version: int) -> None:
        """Write a document in place of what the index has at its path."""
        self.remove(draft.path)
        self._run("DELETE FROM notice WHERE path=? AND origin='document'", (draft.path,))
        document = self._insert(draft, reading, version)
        if reading.contents and not reading.known.archived:
            self._insert_passages(document, draft.path, reading, reading.contents)
        self._run(
            "INSERT INTO detail VALUES(?,?,?,?,?)",
            (
                document,
                json.dumps(dict(reading.metadata), ensure_ascii=False),
                reading.searched,
                reading.front.body_start,
                pack(reading.contents) if reading.contents else None,
            ),
        )
        fields = fields_of(reading.metadata, reading.known.title, reading.known.tags)
        self._index.executemany(
            "INSERT OR IGNORE INTO field VALUES(?,?,?)", ((key, value, document) for key, value in fields)
        )
        names = names_of(draft.path, reading.known.title, reading.known.tags, reading.metadata)
        self._index.executemany("INSERT INTO name VALUES(?,?)", ((name, document) for name in names))
        if not reading.known.archived:
            self._index.executemany(
                "INSERT INTO relation VALUES(?,?,?,?)", _relations(draft.path, reading.metadata)
            )
        self.note([Notice(draft.path, flaw) for flaw in reading.flaws], "document")

    def _insert(self, draft: Draft, reading: Reading, version: int) -> int:
        known, contents = reading.known, reading.contents
        row = self._run(
            "INSERT INTO document(path, nfc, folder, size, mtime_ns, inode, hash, version, kind, archived,"
            " title, folded, tags, importance, modified, dated, passages)"
            " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id",
            (
                draft.path,
                nfc(draft.path),
                self._folder(folder_of(draft.path)),
                draft.trusted.size,
                draft.trusted.mtime_ns,
                draft.trusted.inode,
                draft.content.hash,
                version,
                reading.kind,
                known.archived,
                known.title,
                fold(known.title),
                json.dumps(known.tags, ensure_ascii=False),
                known.importance,
                draft.seen.mtime_ns // 1_000_000 if known.modified is None else known.modified,
                known.modified is not None,
                len(contents.levels) + 1 if contents else 0,
            ),
        ).fetchone()
        return int(row[0])

    def _insert_passages(self, document: int, path: str, reading: Reading, contents: Contents) -> None:
        known = reading.known
        told = Told(known.title, known.tags, reading.searched, self._folders(path), contents)
        rows = passages(document, told, reading.front.body)
        self._index.executemany(f"INSERT INTO passage({_COLUMNS}) VALUES(?,?,?,?,?,?,?)", rows)

    def remove(self, path: str) -> None:
        """Take a document out of the index, if it is there."""
        found = self._run(
            "SELECT id, version, title, tags, metadata, front, body_start, outline, archived"
            " FROM document JOIN detail ON detail.document=document.id WHERE path=?",
            (path,),
        ).fetchone()
        if not found:
            return
        document, version, title, tags, metadata, front, body_start, outline, archived = found
        if outline and not archived:
            told = Told(title, json.loads(tags), front, self._folders(path), unpack(outline))
            self._remove_passages(document, path, version, told, body_start)
        kept = json.loads(metadata)
        self._index.executemany(
            "DELETE FROM field WHERE key=? AND value=? AND document=?",
            ((key, value, document) for key, value in fields_of(kept, title, json.loads(tags))),
        )
        self._index.executemany(
            "DELETE FROM relation WHERE target=? AND predicate=? AND path=? AND fragment=?",
            _relations(path, kept),
        )
        names = names_of(path, title, json.loads(tags), kept)
        self._index.executemany(
            "DELETE FROM name WHERE name=? AND document=?", ((name, document) for name in names)
        )
        self._run("DELETE FROM detail WHERE document=?", (document,))
        self._run("DELETE FROM document WHERE id=?", (document,))
        self._run("DELETE FROM notice WHERE path=? AND origin='document'", (path,))

    def _remove_passages(self, document: int, path: str, version: int, told: Told, body_start: int) -> None:
        stored = self._log.read(path, version)
        if not stored:
            raise Unsound
        rows = passages(document, told, decoded(stored.data).text[body_start:])
        self._index.executemany(
            f"INSERT INTO passage(passage, {_COLUMNS}) VALUES('delete',?,?,?,?,?,?,?)",
            rows,
        )

    def touch(self, path: str, seen: Stamp, trusted: Stamp) -> None:
        """Note that a file's stamp changed while its bytes did not."""
        self._run(
            "UPDATE document SET size=?, mtime_ns=?, inode=?,"
            " modified=CASE WHEN dated THEN modified ELSE ? END WHERE path=?",
            (trusted.size, trusted.mtime_ns, trusted.inode, seen.mtime_ns // 1_000_000, path),
        )

    def note(self, notices: Iterable[Notice], origin: str) -> None:
        """Keep notices, for the next run to tell again; `origin` says who will replace them."""
        rows = [(notice.path, one_line(notice.text), origin) for notice in notices]
        self._index.executemany("INSERT OR REPLACE INTO notice VALUES(?,?,?)", rows)

    def folder_seen(self, folder: str, mtime_ns: int) -> None:
        """Note a folder's time as it was when its names were read."""
        self._run("UPDATE folder SET mtime_ns=? WHERE id=?", (mtime_ns, self._folder(folder)))

    def folder_gone(self, folder: str) -> None:
        """Forget a folder, unless a document below it is still there: passages are taken out by its id."""
        self._run(
            "DELETE FROM folder WHERE path=? AND NOT EXISTS(SELECT 1 FROM document WHERE path>=? AND path<?)",
            (folder, *below(folder)),
        )

    def _folder(self, folder: str) -> int:
        found = self._run("SELECT id FROM folder WHERE path=?", (folder,)).fetchone()
        if not found:
            found = self._run(
                "INSERT INTO folder(path, nfc, mtime_ns) VALUES(?,?,-1) RETURNING id", (folder, nfc(folder))
            ).fetchone()
        return int(found[0])

    def _folders(self, path: str) -> list[int]:
        return [self._folder(folder) for folder in folders_above(folder_of(path))]


def _relations(path: str, metadata: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    return ((link.target, link.predicate, path, link.fragment) for link in declared(path, metadata))


def fields_of(metadata: Mapping[str, str], title: str, tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What filters compare: keys and values folded, a list value as itself and as each of its items."""
    for key, value in metadata.items():
        name = compared(key)
        yield name, compared(value)
        for item in items(value):
            yield name, compared(item)
    yield "title", compared(title)
    for tag in tags:
        yield "tag", compared(tag)
