"""The two databases of one root: opened, checked, shared among threads, an unsound index replaced.

`versions.db` is durable and never touched but by the log; an index, one for each encoding and each choice of
documents, can be made again from folder and log.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from .connection import SIDE_FILES, checkpoint, connect, file_identity, is_damaged, is_index_damage, writing
from .errors import DataFolderUnusable, Unavailable
from .log_file import NAME, mended, prepared
from .notice import Notice
from .schema import fits, is_ours
from .versions import VersionLog

_T = TypeVar("_T")

# The log is read by key, its pages are not worth keeping.
_LOG_CACHE = 256
_SWOLLEN_BYTES = 8 << 20


class Unsound(Exception):  # noqa: N818 - a state of the index, which its owner mends
    """The index contradicts the version log."""


class Replaced(Exception):  # noqa: N818 - asks the caller to begin again
    """The index was damaged and has been replaced by an empty one."""


@dataclass(slots=True)
class Session:
    """A connection to each database, for one thread at a time."""

    index: sqlite3.Connection
    log_connection: sqlite3.Connection
    identity: tuple[int, int]

    @property
    def log(self) -> VersionLog:
        """The version log."""
        return VersionLog(self.log_connection)

    def close(self) -> None:
        """Close both connections."""
        self.index.close()
        self.log_connection.close()


class Databases:
    """Hands out sessions; any number of processes may hold the same files."""

    def __init__(self, folder: Path, encoding: str, selection: str = "", keep: int | None = None) -> None:
        """Open or create both databases, an index that does not fit or is damaged being replaced.

        The newest `keep` versions of each document have their bytes.

        Raises: DataFolderUnusable.
        """
        self.notices: list[Notice] = []
        self.keep = keep
        self.folder = folder
        self._log = folder / NAME
        self._encoding = encoding
        self._index = folder / f"index-{encoding}{selection}.db"
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._witness: Session | None = None
        self._witnesses = 0
        self._witnessing = threading.Lock()
        self._closed = False
        try:
            self.notices += prepared(self._log, keep)
            self._log_identity = file_identity(self._log)
            self._prepare_index()
        except sqlite3.DatabaseError as error:
            raise DataFolderUnusable(folder, f"versions.db: {error}") from error
        except OSError as error:
            raise DataFolderUnusable(folder, error.strerror or "cannot be written") from error

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Lend a session; it is kept for the next borrower unless the index was replaced meanwhile.

        Raises: Replaced, after the index proved damaged or gave way to another; Unavailable, when a database
        cannot be used now.
        """
        try:
            session = self._take()
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(str(self.folder), str(error)) from error
        try:
            yield session
        except Unsound as error:
            self._replace_index(session.identity)
            raise Replaced from error
        except sqlite3.DatabaseError as error:
            if not is_damaged(error):
                if file_identity(self._index) != session.identity:
                    # It was put in place between the look and the opening, and may be empty yet.
                    raise Replaced from error
                raise Unavailable(str(self.folder), str(error)) from error
            self._replace(session.identity, is_index_damage(error, session.index))
            raise Replaced from error
        finally:
            self._give_back(session)

    def read(self, work: Callable[[Session], _T]) -> _T:
        """Work on one state of the index, whatever is written meanwhile; raises as `session` does."""
        with self.session() as session:
            session.index.execute("BEGIN")
            try:
                return work(session)
            finally:
                session.index.execute("ROLLBACK")

    def _give_back(self, session: Session) -> None:
        with self._lock:
            keep = not self._closed and session.identity == self._identity
            if keep:
                self._idle.append(session)
        if not keep:
            session.close()

    def _replace(self, identity: tuple[int, int], is_index: bool) -> None:
        if is_index:
            self._replace_index(identity)
        else:
            self._replace_log()

    def _replace_log(self) -> None:
        """Have a damaged log salvaged, unless another process has just done so; the index goes with it."""
        with self._lock:
            self._drop_idle()
            try:
                self.notices += mended(self._log, self._log_identity)
                self._log_identity = file_identity(self._log)
                self._prepare_index()
            except (sqlite3.DatabaseError, OSError) as error:
                raise Unavailable(str(self._log), f"is damaged and cannot be mended: {error}") from error

    def _replace_index(self, identity: tuple[int, int]) -> None:
        with self._lock:
            if identity == self._identity:
                self._drop_idle()
                try:
                    self._set_aside(identity)
                    self._prepare_index()
                except (sqlite3.Error, OSError) as error:
                    raise Unavailable(
                        str(self._index), f"is damaged and cannot be replaced now: {error}"
                    ) from error

    def state(self) -> tuple[int, ...]:
        """Give a value that is another one after any change to either database, by whichever process.

        SQLite tells a connection that others wrote; this one never writes itself, so that it is told of all.

        Raises: Replaced; Unavailable, when a database cannot be used now.
        """
        with self._witnessing:
            try:
                return self._told(self._current_witness() or self._new_witness())
            except (sqlite3.Error, OSError) as error:
                self._drop_witness()
                raise Unavailable(str(self.folder), str(error)) from error

    def state_at_once(self) -> tuple[int, ...] | None:
        """Give the same without waiting for a thread, opening or replacing anything; None if that fails."""
        if not self._witnessing.acquire(blocking=False):
            return None
        try:
            witness = self._current_witness()
            return self._told(witness) if witness else None
        except (sqlite3.Error, OSError):
            return None  # `state` will say what is wrong
        finally:
            self._witnessing.release()

    def _told(self, witness: Session) -> tuple[int, ...]:
        connections = (witness.index, witness.log_connection)
        told = [each.execute("PRAGMA data_version").fetchone()[0] for each in connections]
        return (self._witnesses, *told)

    def _current_witness(self) -> Session | None:
        witness = self._witness
        identities = file_identity(self._index), file_identity(self._log)
        return witness if witness and identities == (witness.identity, self._log_identity) else None

    def _new_witness(self) -> Session:
        self._drop_witness()
        self._witness = self._take()
        self._witnesses += 1
        return self._witness

    def _drop_witness(self) -> None:
        if self._witness:
            self._witness.close()
        self._witness = None

    def close(self) -> None:
        """Close what is idle now, and the rest when it comes back."""
        with self._lock:
            self._closed = True
            self._drop_idle()
        with self._witnessing:
            self._drop_witness()

    @property
    def swollen(self) -> bool:
        """Whether a write-ahead log grew, under readers that never paused, to more than it should have."""
        files = (self._index, self.folder / "versions.db")
        return any(_size(Path(f"{file}-wal")) > _SWOLLEN_BYTES for file in files)

    def shrink(self) -> None:
        """Move what was written out of the write-ahead logs, as far as nobody reads it there."""
        with self.session() as session:
            checkpoint(session.log_connection)
            checkpoint(session.index)

    def size(self) -> int:
        """Bytes of both databases on the disk."""
        return sum(
            _size(Path(f"{name}{side}"))
            for name in (self._index, self.folder / "versions.db")
            for side in SIDE_FILES
        )

    def _take(self) -> Session:
        with self._lock:
            if file_identity(self._log) != self._log_identity:
                self._drop_idle()
                self._begin_anew()
                raise Replaced
            if file_identity(self._index) != self._identity:
                self._drop_idle()
                self._adopt()
                raise Replaced
            if self._idle:
                return self._idle.pop()
            identity = self._identity
        index = connect(self._index)
        return Session(index, self._connect_log(), identity)

    def _begin_anew(self) -> None:
        """Go over to another log: someone deleted ours, or another process mended it."""
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True)
            self.notices.append(Notice("/", "the folder of the index was gone: a new index is made"))
        self.notices += prepared(self._log, self.keep)
        self._log_identity = file_identity(self._log)
        self._prepare_index()

    def _adopt(self) -> None:
        """Go over to the index that another process has put in place of ours; never fight about it."""
        index = connect(self._index)
        try:
            if not fits(index, self._encoding):
                raise Unavailable(
                    str(self._index), "another process uses it with other settings or another release"
                )
        finally:
            index.close()
        self._identity = file_identity(self._index)
        self._log_identity = file_identity(self._log)

    def _prepare_index(self) -> None:
        if self._index.is_dir():
            self._set_aside(file_identity(self._index), "was a folder")
        while True:
            identity = file_identity(self._index)
            try:
                index = connect(self._index)
                try:
                    sound = fits(index, self._encoding)
                    ours = is_ours(index)
                finally:
                    index.close()
            except sqlite3.DatabaseError as error:
                if not is_damaged(error):
                    raise
                self._set_aside(identity)
                continue
            if sound:
                break
            if ours:
                self._discard(identity)
            else:
                self._set_aside(identity, "was a database of another program")
        self._identity = file_identity(self._index)

    def _set_aside(self, identity: tuple[int, int], what: str = "was damaged") -> None:
        with self._replacing(identity) as ours:
            if ours:
                kept = self._next_damaged()
                for side in SIDE_FILES:
                    _move(Path(f"{self._index}{side}"), Path(f"{kept}{side}"))
                self.notices.append(Notice("/", f"the index {what}: kept as {kept.name}, a new one is made"))

    def _discard(self, identity: tuple[int, int]) -> None:
        with self._replacing(identity) as ours:
            if ours:
                for side in SIDE_FILES:
                    Path(f"{self._index}{side}").unlink(missing_ok=True)

    @contextmanager
    def _replacing(self, identity: tuple[int, int]) -> Iterator[bool]:
        """Hold the log's lock, by which processes take turns; False when the index is another one by now."""
        log = self._connect_log()
        try:
            with writing(log):
                yield file_identity(self._index) == identity
        finally:
            log.close()

    def _next_damaged(self) -> Path:
        number = 1
        while (kept := Path(f"{self._index}.damaged-{number}")).exists():
            number += 1
        return kept

    def _connect_log(self) -> sqlite3.Connection:
        return connect(self._log, _LOG_CACHE)

    def _drop_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _move(source: Path, target: Path) -> None:
    if source.exists():
        source.replace(target)
