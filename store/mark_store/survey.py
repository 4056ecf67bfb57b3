"""What changed in the root since the index was written: a walk compared with stored stamps.

The walk is of everything, or of the folders where something is known to have happened.
"""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from .disk import Stamp, mtime_of, status_of
from .errors import TooManyFiles
from .notice import Notice
from .paths import below, folder_of
from .presence import check_presence, is_news
from .scan import Folder, walk
from .selection import Selection
from .touched import EVERYWHERE, Touched

# A home folder has millions of names and few documents; walking it is given up after so many for each
# document that would be allowed.
NAMES_FOR_EACH = 20


@dataclass(slots=True)
class Survey:
    """What a walk found: paths to read again, documents whose file is gone, and folders that changed.

    `gone` has the stamps that the index knows, `folders` the new times; `notices` are all there are now.
    `visited` are the folders that were walked, `links` says whether a link to a folder was among them.
    `root` tells the root from others that take its place, where the index does not know it yet.
    """

    changed: list[str] = field(default_factory=list)
    gone: dict[str, Stamp] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    gone_folders: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    told_before: bool = True
    visited: set[str] = field(default_factory=set)
    links: bool = False
    root: str | None = None

    @property
    def size(self) -> int:
        """How many documents are touched."""
        return len(self.changed) + len(self.gone)

    @property
    def is_news(self) -> bool:
        """Whether there is anything to write down."""
        return bool(
            self.size or self.folders or self.gone_folders or not self.told_before or self.root is not None
        )


@dataclass(frozen=True, slots=True)
class Ground:
    """What is surveyed: a real path, what of it is served, and how many documents may be there."""

    root: Path
    selection: Selection
    limit: int


def survey(ground: Ground, index: sqlite3.Connection, where: Touched = EVERYWHERE) -> Survey:
    """Compare the root, or the folders that were touched, with the index.

    What could not be listed counts as unchanged. Without `links` in the last survey of everything, a survey
    of touched folders finds what one of everything would find.

    Raises: TooManyFiles; Unavailable, when the root was not there all the time.
    """
    check_presence(ground.root, index)
    found = None if where.everywhere else _Walking(ground, index).part(where)
    found = found or _Walking(ground, index).everything()
    root = check_presence(ground.root, index)
    found.root = root if is_news(root, index) else None
    return found


class _Walking:
    """One survey while it goes on."""

    def __init__(self, ground: Ground, index: sqlite3.Connection) -> None:
        self._ground = ground
        self._index = index
        self._found = Survey()
        self._times = dict(index.execute("SELECT path, mtime_ns FROM folder"))
        self._unlisted: list[str] = []
        self._inner: dict[str, set[str]] = {}
        self._files = self._names = self._left_out = 0

    def everything(self) -> Survey:
        """Walk the whole root; folders of the index that the walk does not meet are gone."""
        ground, found = self._ground, self._found
        for folder in walk(ground.root, ground.selection):
            self._files += len(folder.files)
            self._names += folder.entries
            self._left_out += folder.left_out
            if self._files > ground.limit:
                raise TooManyFiles(ground.root, ground.limit)
            if self._names > ground.limit * NAMES_FOR_EACH:
                raise TooManyFiles(ground.root, ground.limit, ground.limit * NAMES_FOR_EACH)
            self._visit(folder)
        for path in self._times.keys() - found.visited:
            if not path.startswith(tuple(self._unlisted)):
                self._lose(path)
        if self._left_out and not self._files:
            found.notices.append(Notice("/", "holds documents or folders, but none that is not left out"))
        return self._told(self._scan_notices())

    def part(self, where: Touched) -> Survey | None:
        """Walk touched folders, those in them that the index does not know, and touched trees.

        None when that could be too many documents.
        """
        ground, found = self._ground, self._found
        trees = tuple(where.trees)

        def enters(path: str) -> bool:
            return path not in self._times or path.startswith(trees)

        for start in sorted({self._known(path) for path in where.folders | where.trees}):
            if start not in found.visited:
                for folder in walk(ground.root, ground.selection, start, enters):
                    self._visit(folder)
        self._lose_missing()
        (held,) = self._index.execute("SELECT count(*) FROM document").fetchone()
        if held + len(found.changed) - len(found.gone) > ground.limit:
            return None
        found.notices += [notice for notice in self._scan_notices() if self._stands(notice)]
        return self._told(self._scan_notices())

    def _known(self, path: str) -> str:
        """The innermost folder, at or above a path, that the index knows and that is there."""
        while path != "/" and (path not in self._times or _mtime(f"{self._ground.root}{path}") is None):
            path = folder_of(path)
        return path

    def _visit(self, folder: Folder) -> None:
        found = self._found
        found.visited.add(folder.path)
        found.links = found.links or folder.links
        found.notices += folder.notices
        if folder.failed:
            self._unlisted.append(folder.path)
            return
        self._inner[folder.path] = set(folder.inner)
        if self._times.get(folder.path) != folder.mtime_ns:
            found.folders[folder.path] = folder.mtime_ns
        self._unlisted += [f"{path}/" for path in folder.unknown]
        self._inner[folder.path].update(f"{path}/" for path in folder.unknown)
        stored = self._stored(folder.path)
        for path in folder.unknown:
            stored.pop(path, None)
        for path in sorted(folder.files):
            if stored.pop(path, None) != folder.files[path]:
                found.changed.append(path)
        found.gone |= stored

    def _lose_missing(self) -> None:
        """Lose what lay in folders that a visited one does not hold any more."""
        missing = [
            path
            for path in self._times
            if path != "/" and (inner := self._inner.get(folder_of(path))) is not None and path not in inner
        ]
        for start in missing:
            first, end = below(start)
            for path in self._times:
                if first <= path < end and path not in self._found.gone_folders:
                    self._lose(path)

    def _lose(self, folder: str) -> None:
        self._found.gone_folders.append(folder)
        self._found.gone |= self._stored(folder)

    def _stored(self, folder: str) -> dict[str, Stamp]:
        rows = self._index.execute(
            "SELECT path, size, mtime_ns, inode FROM document"
            " WHERE folder=(SELECT id FROM folder WHERE path=?)",
            (folder,),
        )
        return {path: Stamp(size, mtime_ns, inode) for path, size, mtime_ns, inode in rows}

    def _scan_notices(self) -> list[Notice]:
        told = self._index.execute("SELECT path, text FROM notice WHERE origin='scan'")
        return [Notice(*row) for row in told]

    def _stands(self, notice: Notice) -> bool:
        """Whether a notice is about a place that was not walked now and is not gone."""
        owner = notice.path if notice.path.endswith("/") else folder_of(notice.path)
        return owner not in self._found.visited and owner not in self._found.gone_folders

    def _told(self, before: list[Notice]) -> Survey:
        self._found.told_before = set(before) == set(self._found.notices)
        return self._found


def changed_folders(root: Path, index: sqlite3.Connection) -> Touched:
    """The folders whose time differs from the one at which their names were read."""
    rows = index.execute("SELECT path, mtime_ns FROM folder").fetchall()
    # Thousands of folders before each answer, and a Path is slow to become text.
    top = str(root)
    return Touched(frozenset(path for path, mtime_ns in rows if _mtime(top + path) != mtime_ns))


def _mtime(place: str) -> int | None:
    try:
        return mtime_of(status_of(place))
    except OSError:
        return None
