"""Which of the processes that serve one root indexes it: the one that holds a lock, for as long as it lives.

The lock is SQLite's, on an empty database of its own: the same on every system, among threads and processes,
and gone with its holder however that ends. It saves work and nothing depends on it: writing is safe anyway.
"""

import sqlite3
import threading
from pathlib import Path


class Lease:
    """A lock that one holder at a time has."""

    def __init__(self, file: Path) -> None:
        """Name the file of the lock; nothing is opened yet."""
        self._file = file
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def held(self) -> bool:
        """Whether it is ours."""
        return self._connection is not None

    def take(self) -> bool:
        """Whether it is ours now, without waiting; a lock that cannot be used is nobody's."""
        with self._guard:
            if self._connection is None:
                self._connection = _locked(self._file)
            return self.held

    def release(self) -> None:
        """Let somebody else have it."""
        with self._guard:
            if self._connection:
                self._connection.close()
            self._connection = None


def _locked(file: Path) -> sqlite3.Connection | None:
    try:
        connection = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error:
        return None
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        connection.close()
        return None
    return connection
