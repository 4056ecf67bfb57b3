"""A version log that is damaged, put together again from every row that can be read.

Numbers that the log has lost are taken from the indexes beside it, so that none is given to other bytes. The
damaged file is kept. It may be stopped at any moment and is then done again or gone on with.
"""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from . import log_tables
from .chain import START, Entry, link
from .clock import now_milliseconds
from .connection import SIDE_FILES, file_identity, writing
from .pages import Value, rows
from .paths import nfc

_LOST = -1
_KINDS = {"version", "archived", "restored", "moved", "salvaged"}
# Columns of `document`, `content` and `entry` as they lie in the file; the first is the rowid's and empty.
_DOCUMENT, _CONTENT, _ENTRY = 3, 4, 10


@dataclass(slots=True)
class _Found:
    """What could be read: paths and entries by their ids; contents are in the new file already."""

    paths: dict[int, str] = field(default_factory=dict)
    entries: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    contents: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Known:
    """A version that an index knows."""

    path: str
    number: int
    hash: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How many versions have their bytes and how many do not; `kept` is the name of the damaged file."""

    kept: str
    versions: int
    lost: int

    def __str__(self) -> str:
        """One line that says what happened."""
        kept = f"kept as {self.kept}" if self.kept else "was gone"
        return (
            f"versions.db was damaged: {kept}, {self.versions} versions were read from it,"
            f" {self.lost} are lost; numbers go on"
        )


def salvage(file: Path, seen: tuple[int, int]) -> Salvaged | None:
    """Put a sound log in place of the file with the identity `seen`; None when another is there by now."""
    with _turn(file):
        if file_identity(file) != seen:
            return None
        ready = Path(f"{file}.salvaged")
        if not ready.exists():
            draft = Path(f"{file}.salvaging")
            draft.unlink(missing_ok=True)
            _rebuild(file, draft)
            draft.replace(ready)
        return _exchange(file, ready)


@contextmanager
def _turn(file: Path) -> Iterator[None]:
    """One process at a time; the lock ends with its holder."""
    with closing(sqlite3.connect(f"{file}.turn", timeout=60, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _exchange(file: Path, ready: Path) -> Salvaged:
    kept = ""
    if file.exists():
        number = 1
        while Path(f"{file}.damaged-{number}").exists():
            number += 1
        aside = Path(f"{file}.damaged-{number}")
        kept = aside.name
        os.link(file, aside)
        for side in SIDE_FILES[1:]:
            if Path(f"{file}{side}").exists():
                Path(f"{file}{side}").replace(f"{aside}{side}")
    for index in file.parent.glob("index*.db"):
        if index.is_file():
            for side in SIDE_FILES:
                Path(f"{index}{side}").unlink(missing_ok=True)
    with closing(sqlite3.connect(ready)) as log:
        there, lost = log.execute(
            "SELECT coalesce(sum(there), 0), coalesce(sum(newest - known), 0) FROM"
            " (SELECT sum(kept=1) AS there, max(number) AS newest, sum(kept>=0) AS known"
            " FROM entry WHERE kind='version' GROUP BY document)"
        ).fetchone()
    ready.replace(file)
    return Salvaged(kept, there, lost)


def _rebuild(damaged: Path, target: Path) -> None:
    # Its own journal goes with it: the file is complete before it is given its name.
    with closing(sqlite3.connect(target, isolation_level=None)) as log, writing(log):
        log_tables.create(log)
        found = _read(damaged, log) if damaged.exists() else _Found()
        _write(log, found, list(_known(damaged.parent)))


def _read(damaged: Path, log: sqlite3.Connection) -> _Found:
    found = _Found()
    for rowid, row in rows(damaged):
        match row:
            case (None, str(path), str(composed)) if composed == nfc(path):
                found.paths.setdefault(rowid, path)
            case (None, bytes(digest), int(size), bytes(packed)) if _is_sound(digest, packed):
                log.execute("INSERT OR IGNORE INTO content VALUES(?,?,?,?)", (rowid, digest, size, packed))
                found.contents.add(digest)
            case (None, str(kind), *_) if len(row) == _ENTRY and kind in _KINDS:
                found.entries.setdefault(rowid, row)
    return found


def _is_sound(digest: bytes, packed: bytes) -> bool:
    try:
        return hashlib.sha256(zlib.decompress(packed)).digest() == digest
    except zlib.error:
        return False


def _known(folder: Path) -> Iterator[_Known]:
    for index in sorted(folder.glob("index*.db")):
        try:
            with closing(sqlite3.connect(index, timeout=1)) as connection:
                for row in connection.execute("SELECT path, version, hash, size FROM document").fetchall():
                    yield _Known(*row)
        except sqlite3.DatabaseError:
            continue


def _write(log: sqlite3.Connection, found: _Found, known: Iterable[_Known]) -> None:
    for number, path in found.paths.items():
        log.execute("INSERT OR IGNORE INTO document VALUES(?,?,?)", (number, path, nfc(path)))
    chain = _Chain(log, found.paths)
    for rowid in sorted(found.entries):
        chain.repeat(found.entries[rowid], found.contents)
    for version in known:
        chain.complete(version, found.contents)
    chain.append("salvaged", 0, ("", ""), (0, b"", 0, now_milliseconds()), 0)


class _Chain:
    """Writes entries one after another, each with a new link to the one before."""

    def __init__(self, log: sqlite3.Connection, paths: Mapping[int, str]) -> None:
        self._log = log
        self._paths = {0: "", **paths}
        self._before = START
        self._newest: dict[str, int] = {}

    def repeat(self, row: tuple[Value, ...], contents: set[bytes]) -> None:
        """Write an entry of the old log, unless its document is not known any more."""
        _, kind, document, number, digest, size, observed, other, kept, _ = row
        match (document, number, digest, size, observed, other, kept):
            case (int(), int(), bytes(), int(), int(), int(), int()) if document in self._paths:
                paths = (self._paths[document], self._paths.get(other, ""))
                state = _state(kind, kept, digest in contents)
                self.append(str(kind), document, paths, (number, digest, size, observed), state, other)

    def complete(self, known: _Known, contents: set[bytes]) -> None:
        """Write a version that an index knows and the log does not."""
        if known.number > self._newest.get(known.path, 0):
            row = self._log.execute("SELECT id FROM document WHERE path=?", (known.path,)).fetchone()
            if not row:
                row = self._log.execute(
                    "INSERT INTO document(path, nfc) VALUES(?,?) RETURNING id", (known.path, nfc(known.path))
                ).fetchone()
            facts = (known.number, known.hash, known.size, now_milliseconds())
            self.append(
                "version", int(row[0]), (known.path, ""), facts, _state("version", 1, known.hash in contents)
            )

    def append(
        self,
        kind: str,
        document: int,
        paths: tuple[str, str],
        facts: tuple[int, bytes, int, int],
        kept: int,
        other: int = 0,
    ) -> None:
        """Write an entry; `paths` are the document's and the other's, `facts` number, hash, size, time."""
        if kind == "version" and facts[0] <= self._newest.get(paths[0], 0):
            return
        entry = Entry(kind, paths[0], *facts, paths[1])  # type: ignore[arg-type] # one of the kinds, as was checked
        self._before = link(self._before, entry)
        self._log.execute(log_tables.INSERT, (document, *facts, kind, other, kept, self._before))
        if kind == "version":
            self._newest[paths[0]] = facts[0]


def _state(kind: Value, kept: int, has_bytes: bool) -> int:
    if kind != "version" or not kept:
        return 0
    return 1 if has_bytes else _LOST
