"""Bringing the index up to what is in the folder: whole passes, and single files on demand.

Files are read and parsed before any lock is taken; under the write locks every file's stamp is compared
again, so that two processes on one root neither log a state twice nor put an older one over a newer. When a
pass runs, and who waits for it, is `background`'s business.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from mark_outline import Counter

from .ahead import MANY, Ahead
from .clock import now_milliseconds
from .connection import writing
from .databases import Databases, Session
from .disk import Stamp, Unreadable, is_absent, is_inside, stamp
from .draft import Draft, draft
from .notice import Notice
from .paths import folder_of, nfc
from .presence import check_presence, remember
from .survey import Ground, Survey, survey
from .touched import Touched
from .writer import Writer

BATCH_FILES = 200
BATCH_BYTES = 4 << 20
_ROUNDS = 3


class Indexer:
    """Reads files of one root into its databases; safe to use from several threads and processes."""

    def __init__(self, ground: Ground, databases: Databases, counter: Counter) -> None:
        """Index what is served of a root with costs of `counter`."""
        self._ground = ground
        self._root = ground.root
        self._databases = databases
        self._counter = counter

    def survey(self, where: Touched) -> Survey:
        """What changed, in the folders that were touched, since they were last read.

        Raises: TooManyFiles; Unavailable, when the root is not there.
        """
        with self._databases.session() as session:
            return survey(self._ground, session.index, where)

    def count_left(self, found: Survey) -> int:
        """How many documents of a survey are still to be done; those with a notice may stay as they are."""
        with self._databases.session() as session:
            noticed = {path for (path,) in session.index.execute("SELECT path FROM notice")}
        return sum(path not in noticed for path in found.changed) + len(found.gone)

    def tidy(self) -> None:
        """Bound the write-ahead logs."""
        if self._databases.swollen:
            self._databases.shrink()

    def folders(self) -> frozenset[str]:
        """The folders that the index knows."""
        with self._databases.session() as session:
            return frozenset(path for (path,) in session.index.execute("SELECT path FROM folder"))

    def carry_out(self, found: Survey, proceed: Callable[[int], bool]) -> bool:
        """Bring the index up to a survey; `proceed` is told the files done and may stop between batches.

        False when it was stopped.
        """
        unread: set[str] = set()
        wanted = found.changed
        done = 0
        for _ in range(_ROUNDS):
            again: list[str] = []
            with closing(self._drafts(wanted, found.notices, unread)) as batches:
                for batch in batches:
                    if not proceed(done):
                        return False
                    again += self._write(batch)
                    done += len(batch)
            wanted = again
        if found.is_news:
            self._finish(found, unread.union(wanted))
        if done >= BATCH_FILES:
            self._databases.shrink()
        return proceed(done)

    def refresh(self, paths: Sequence[str]) -> bool:
        """Read single files again, or take them out when they are gone; whether anything changed.

        Raises: Unavailable, when files are gone and so is the root.
        """
        notices: list[Notice] = []
        present = [path for path in paths if stamp(self._root, path) and self._may_read(path)]
        drafts = [made for batch in self._drafts(present, notices, set()) for made in batch]
        self._write(drafts)
        missing = [path for path in paths if is_absent(self._root, path)]
        if missing:
            with self._databases.session() as session, writing(session.log_connection, session.index):
                check_presence(self._root, session.index)
                for path in missing:
                    self._archive(session, path)
        return bool(drafts or missing)

    def _may_read(self, path: str) -> bool:
        return is_inside(self._root, path) and self._ground.selection.serves_now(path)

    def _drafts(
        self, paths: Sequence[str], notices: list[Notice], unread: set[str]
    ) -> Generator[list[Draft], None, None]:
        batch: list[Draft] = []
        size = 0
        counted = False
        with self._databases.session() as session, closing(self._ahead(session, paths)) as ahead:
            for path in paths:
                made = (taken := ahead.take(path)) or self._made(session, path)
                if isinstance(made, Unreadable):
                    notices.append(Notice(path, made.reason))
                    unread.add(path)
                    continue
                batch.append(made)
                counted = counted or (made.reading is not None and not taken)
                size += made.content.size
                if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
        yield batch
        if counted:
            self._counter.release()

    def _ahead(self, session: Session, paths: Sequence[str]) -> Ahead:
        """Have what the index does not know at all made by another process, when it is much."""
        new: Sequence[str] = ()
        if len(paths) >= MANY:
            known = {path for (path,) in session.index.execute("SELECT path FROM document")}
            new = [path for path in paths if path not in known]
        return Ahead(self._root, self._counter.encoding, new)

    def _made(self, session: Session, path: str) -> Draft | Unreadable:
        try:
            return draft(self._root, path, self._counter, session)
        except Unreadable as unreadable:
            return unreadable

    def _write(self, batch: Sequence[Draft]) -> list[str]:
        """Write drafts in one transaction; give the paths of those that no longer show their file."""
        if not batch:
            return []
        with self._databases.session() as session, writing(session.log_connection, session.index):
            writer = Writer(session.index, session.log)
            return [made.path for made in batch if not self._write_one(session, writer, made)]

    def _write_one(self, session: Session, writer: Writer, made: Draft) -> bool:
        if stamp(self._root, made.path) != made.seen:
            return False
        found = session.index.execute("SELECT hash FROM document WHERE path=?", (made.path,)).fetchone()
        if found and found[0] == made.content.hash:
            writer.touch(made.path, made.seen, made.trusted)
            return True
        if made.reading is None:
            return False
        if not self._gives_way(session, writer, made.path):
            number = session.log.record(made.path, made.content, made.observed)
            if number is None:
                return False
            writer.put(made, made.reading, number)
            if self._databases.keep:
                session.log.prune(made.path, self._databases.keep)
        return True

    def _gives_way(self, session: Session, writer: Writer, path: str) -> bool:
        """Whether another folder's document with the same composed path goes first (store.md, Documents)."""
        found = session.index.execute(
            "SELECT path FROM document WHERE nfc=? AND path<>?", (nfc(path), path)
        ).fetchone()
        if not found:
            return False
        other = str(found[0])
        loses = (path != nfc(path), path) > (other != nfc(other), other)
        if loses and stamp(self._root, other):
            writer.note(
                [Notice(path, "has the name of another file in other Unicode form: skipped")], "document"
            )
            return True
        writer.remove(other)
        return False

    def _finish(self, found: Survey, unfinished: set[str]) -> None:
        with self._databases.session() as session, writing(session.log_connection, session.index):
            writer = Writer(session.index, session.log)
            for path, seen in found.gone.items():
                self._archive(session, path, seen)
            for folder in found.gone_folders:
                writer.folder_gone(folder)
            # A folder whose files were not all written is looked at again.
            for folder, mtime_ns in (found.folders | {folder_of(path): -1 for path in unfinished}).items():
                writer.folder_seen(folder, mtime_ns)
            session.index.execute("DELETE FROM notice WHERE origin='scan'")
            writer.note(found.notices, "scan")
            if found.root is not None:
                remember(found.root, session.index)

    def _archive(self, session: Session, path: str, seen: Stamp | None = None) -> None:
        """Take a document out whose file is gone, unless it was met again since it had the stamp `seen`."""
        found = session.index.execute(
            "SELECT size, mtime_ns, inode FROM document WHERE path=?", (path,)
        ).fetchone()
        if found and (seen is None or Stamp(*found) == seen):
            Writer(session.index, session.log).remove(path)
            session.log.archive(path, now_milliseconds())
