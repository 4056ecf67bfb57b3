"""SQLite connections as this store wants them, and what an SQLite failure means.

What is in the files is `versions`' and `schema`'s business.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_SECONDS = 5.0
_WAL_BYTES = 4 << 20
# What a database consists of, as endings of its name.
SIDE_FILES = ("", "-wal", "-shm")


def connect(path: Path, cache: int = 1024) -> sqlite3.Connection:
    """Open (or create) a database; usable from any thread, by one at a time; transactions are explicit.

    `cache` is how much of it may stay in memory, in KiB.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _enter_wal(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
        connection.execute(f"PRAGMA cache_size=-{cache}")
    except BaseException:
        connection.close()
        raise
    return connection


def _enter_wal(connection: sqlite3.Connection) -> None:
    # Changing the journal mode does not wait for the busy timeout, so two first starts at one instant must
    # retry.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


@contextmanager
def writing(*connections: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock of each database; commit in the order given, or undo all.

    A crash between two commits leaves the first one made: the order decides what may be ahead of what.
    """
    try:
        for connection in connections:
            connection.execute("BEGIN IMMEDIATE")
        yield
        for connection in connections:
            connection.execute("COMMIT")
    except BaseException:
        for connection in connections:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def checkpoint(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log into its database, as far as that needs no waiting for a reader."""
    connection.execute("PRAGMA busy_timeout=0")
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")


def file_identity(file: Path) -> tuple[int, int]:
    """What tells a file from another of its name; zeros when there is none."""
    try:
        status = file.stat()
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


def is_damaged(error: sqlite3.Error) -> bool:
    """Whether a file is no sound database."""
    return _code(error) & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def is_index_damage(error: sqlite3.Error, index: sqlite3.Connection) -> bool:
    """Whether the damage that one of two databases showed is in the index."""
    if _code(error) == sqlite3.SQLITE_CORRUPT_VTAB:
        return True
    try:
        return bool(index.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.DatabaseError:
        return True


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection holds the lock."""
    return _code(error) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0)
