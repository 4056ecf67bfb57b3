"""What changed in the root since the index was written: a walk compared with stored stamps."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from .disk import Stamp, mtime_of, status_of
from .errors import TooManyFiles
from .notice import Notice
from .scan import Folder, walk


@dataclass(slots=True)
class Survey:
    """What a walk found: paths to read again, documents whose file is gone, and folders that changed.

    `gone` has the stamps that the index knows, `folders` the new times; `notices` are all there are now.
    """

    changed: list[str] = field(default_factory=list)
    gone: dict[str, Stamp] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    gone_folders: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    told_before: bool = True

    @property
    def size(self) -> int:
        """How many documents are touched."""
        return len(self.changed) + len(self.gone)

    @property
    def is_news(self) -> bool:
        """Whether there is anything to write down."""
        return bool(self.size or self.folders or self.gone_folders or not self.told_before)


def survey(root: Path, index: sqlite3.Connection, limit: int) -> Survey:
    """Compare the whole root with the index; what could not be listed counts as unchanged.

    Raises: TooManyFiles.
    """
    found = Survey()
    times = dict(index.execute("SELECT path, mtime_ns FROM folder"))
    unlisted: list[str] = []
    files = 0
    for folder in walk(root):
        files += len(folder.files)
        if files > limit:
            raise TooManyFiles(root, limit)
        found.notices += folder.notices
        known = times.pop(folder.path, None)
        if folder.failed:
            unlisted.append(folder.path)
            continue
        if known != folder.mtime_ns:
            found.folders[folder.path] = folder.mtime_ns
        _compare(folder, _stored(index, folder.path), found)
    for path in times:
        if not path.startswith(tuple(unlisted)):
            found.gone_folders.append(path)
            found.gone |= _stored(index, path)
    told = index.execute("SELECT path, text FROM notice WHERE origin='scan'")
    found.told_before = {Notice(*row) for row in told} == set(found.notices)
    return found


def folders_changed(root: Path, index: sqlite3.Connection) -> bool:
    """Whether any folder's time differs from the one at which its names were read."""
    rows = index.execute("SELECT path, mtime_ns FROM folder").fetchall()
    try:
        return any(mtime_of(status_of(f"{root}{path}")) != mtime_ns for path, mtime_ns in rows)
    except OSError:
        return True


def _stored(index: sqlite3.Connection, folder: str) -> dict[str, Stamp]:
    rows = index.execute(
        "SELECT path, size, mtime_ns, inode FROM document WHERE folder=(SELECT id FROM folder WHERE path=?)",
        (folder,),
    )
    return {path: Stamp(size, mtime_ns, inode) for path, size, mtime_ns, inode in rows}


def _compare(folder: Folder, stored: dict[str, Stamp], found: Survey) -> None:
    for path in sorted(folder.files):
        if stored.pop(path, None) != folder.files[path]:
            found.changed.append(path)
    found.gone |= stored
