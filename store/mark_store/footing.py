"""What answers rest on, as one state of the index has it: the times of folders, the stamps of documents.

As long as nothing is written its rows stay what they are, and a look has the disk alone to read. Whether
something was written is the databases' to tell, what to do about a difference the store's.
"""

import sqlite3
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .disk import Stamp, stamp, status_of
from .shelved import at_path

# Paths whose rows are kept; a folder has more documents, and few of them are asked about again and again.
_MOST_PATHS = 10_000


@dataclass(frozen=True, slots=True)
class Footing:
    """Rows of one state; `folders` are places with their times, `documents` paths as they were asked for.

    A path that the index does not know has None.
    """

    root: Path
    state: Hashable = None
    folders: tuple[tuple[str, int], ...] = ()
    documents: Mapping[str, tuple[str, Stamp] | None] = field(default_factory=dict)

    def holds(self, paths: Collection[str]) -> bool:
        """Whether the disk is as these rows have it; not where they say nothing about one of the paths."""
        if any(path not in self.documents for path in paths) or self.stale(paths):
            return False
        try:
            return all(status_of(place).st_mtime_ns == time for place, time in self.folders)
        except OSError:
            return False

    def stale(self, paths: Collection[str]) -> list[str]:
        """The documents, of those that are known, whose files are others by now."""
        known = filter(None, map(self.documents.__getitem__, paths))
        return [path for path, seen in known if stamp(self.root, path) != seen]

    def at(self, state: Hashable, index: sqlite3.Connection, paths: Collection[str]) -> "Footing":
        """Read the rows of a state, beside those of it that are known."""
        known = dict(self.documents) if state == self.state and len(self.documents) < _MOST_PATHS else {}
        top = str(self.root)
        for path in paths:
            found = at_path(index, path)
            known[path] = (found.path, found.stamp) if found else None
        rows = index.execute("SELECT path, mtime_ns FROM folder")
        return Footing(self.root, state, tuple((top + path, time) for path, time in rows), known)
