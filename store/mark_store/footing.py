"""What answers rest on, as one state of the index has it: the times of folders, the stamps of documents.

As long as nothing is written its rows stay what they are, and a look has the disk alone to read. Whether
something was written is the databases' to tell, what to do about a difference the store's.
"""

import sqlite3
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .databases import Databases
from .disk import Stamp, stamp, status_of
from .mounts import is_near
from .shelved import at_path

# Paths whose rows are kept; a folder has more documents, and few of them are asked about again and again.
_MOST_PATHS = 10_000
# Folders and documents that are looked at in the event loop, 2 microseconds each: a thread takes 100.
_FEW = 200


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one state; `folders` are places with their times, `documents` paths as they were asked for.

    A path that the index does not know has None. `near`: a look at so few places of this machine is quick.
    """

    state: Hashable = None
    folders: tuple[tuple[str, int], ...] = ()
    documents: Mapping[str, tuple[str, Stamp] | None] = field(default_factory=dict)
    near: bool = False


class Footing:
    """The rows that were read last, of a root and its databases; for any thread."""

    def __init__(self, root: Path, databases: Databases) -> None:
        self._root = root
        self._databases = databases
        self._rows = _Rows()

    def state(self, paths: Collection[str]) -> Hashable | None:
        """Give the state of the index if the disk is as that has it; None where `read` must tell.

        Raises: Replaced; Unavailable, when a database cannot be used now.
        """
        return self._state(paths, self._databases.state)

    def state_at_once(self, paths: Collection[str]) -> Hashable | None:
        """Give the same where that takes less time than going to a thread; None where it does not."""
        few = self._rows.near and len(paths) <= _FEW
        return self._state(paths, self._databases.state_at_once) if few else None

    def _state(self, paths: Collection[str], ask: Callable[[], Hashable | None]) -> Hashable | None:
        rows = self._rows
        known = all(path in rows.documents for path in paths)
        if not known or self._stale(rows, paths) or not _unchanged(rows.folders):
            return None
        return rows.state if ask() == rows.state else None

    def read(self, paths: Collection[str]) -> list[str]:
        """Read the rows anew; gives the documents, of those that are known, whose files are others by now.

        Raises: Replaced; Unavailable, when a database cannot be used now.
        """
        before = self._databases.state()
        # What was written after that may stand in these rows: their state is then never met again.
        rows = self._databases.read(lambda session: self._read(before, session.index, paths))
        self._rows = rows
        return self._stale(rows, paths)

    def _read(self, state: Hashable, index: sqlite3.Connection, paths: Collection[str]) -> _Rows:
        rows = self._rows if state == self._rows.state else self._folders(state, index)
        known = dict(rows.documents) if len(rows.documents) < _MOST_PATHS else {}
        for path in paths:
            found = at_path(index, path)
            known[path] = (found.path, found.stamp) if found else None
        return replace(rows, documents=known)

    def _folders(self, state: Hashable, index: sqlite3.Connection) -> _Rows:
        top = str(self._root)
        told = index.execute("SELECT path, mtime_ns FROM folder")
        folders = tuple((top + path, time) for path, time in told)
        near = len(folders) <= _FEW and is_near(self._root) and is_near(self._databases.folder)
        return _Rows(state, folders, near=near)

    def _stale(self, rows: _Rows, paths: Collection[str]) -> list[str]:
        known = filter(None, map(rows.documents.__getitem__, paths))
        return [path for path, seen in known if stamp(self._root, path) != seen]


def _unchanged(folders: Collection[tuple[str, int]]) -> bool:
    try:
        return all(status_of(place).st_mtime_ns == time for place, time in folders)
    except OSError:
        return False
