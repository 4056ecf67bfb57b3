"""What changed in the root since the index was written: a walk compared with stored stamps."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from .disk import Stamp, folder_time
from .errors import TooManyFiles
from .notice import Notice
from .scan import Folder, walk


@dataclass(slots=True)
class Survey:
    """Paths to read again, documents whose file is gone (with the stamp they had), and every folder's time."""

    changed: list[str] = field(default_factory=list)
    gone: dict[str, Stamp] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    gone_folders: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many documents are touched."""
        return len(self.changed) + len(self.gone)


def survey(root: Path, index: sqlite3.Connection, limit: int) -> Survey:
    """Compare the whole root with the index; what could not be listed counts as unchanged.

    Raises: TooManyFiles.
    """
    found = Survey()
    failed: list[str] = []
    files = 0
    for folder in walk(root):
        files += len(folder.files)
        if files > limit:
            raise TooManyFiles(root, limit)
        found.notices += folder.notices
        if folder.failed:
            failed.append(folder.path)
        else:
            found.folders[folder.path] = folder.mtime_ns
            _compare(folder, _stored(index, folder.path), found)
    for (path,) in index.execute("SELECT path FROM folder").fetchall():
        if path not in found.folders and not path.startswith(tuple(failed)):
            found.gone_folders.append(path)
            found.gone |= _stored(index, path)
    return found


def folders_changed(root: Path, index: sqlite3.Connection) -> bool:
    """Whether any folder's time differs from the one at which its names were read."""
    rows = index.execute("SELECT path, mtime_ns FROM folder")
    return any(folder_time(root, path) != mtime_ns for path, mtime_ns in rows)


def _stored(index: sqlite3.Connection, folder: str) -> dict[str, Stamp]:
    rows = index.execute(
        "SELECT path, size, mtime_ns, inode FROM document WHERE folder=(SELECT id FROM folder WHERE path=?)", (folder,)
    )
    return {path: Stamp(size, mtime_ns, inode) for path, size, mtime_ns, inode in rows}


def _compare(folder: Folder, stored: dict[str, Stamp], found: Survey) -> None:
    for path in sorted(folder.files):
        if stored.pop(path, None) != folder.files[path]:
            found.changed.append(path)
    found.gone |= stored
