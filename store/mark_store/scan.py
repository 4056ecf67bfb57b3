"""Walking the root: which folders and documents there are, with what tells whether they changed.

No document is read and nothing is compared here; what is served of what is visible says `selection`. A path
crosses at most one link to a folder, and no link to a folder that contains it, so a walk ends; links that
leave the root are not followed.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .clock import settled
from .disk import Stamp, is_inside, mtime_of, stamp_of, status_of
from .notice import Notice
from .paths import is_hidden, is_markdown, is_storable, nfc
from .selection import Rules, Selection


@dataclass(slots=True)
class Folder:
    """One folder's names: documents with their stamps; `mtime_ns` is -1 when it may not be trusted later.

    `failed` when the names could not be read: nothing may be concluded from their absence. `inner` are the
    folders in it that are served, `links` whether one of them is a link, `entries` how many names there are
    of any kind, `left_out` how many documents and folders the selection does not serve. `unknown` are paths
    of which the system does not tell what they are, so that nothing may be concluded about them either.
    """

    path: str
    mtime_ns: int
    failed: bool = False
    files: dict[str, Stamp] = field(default_factory=dict)
    inner: list[str] = field(default_factory=list)
    links: bool = False
    entries: int = 0
    left_out: int = 0
    unknown: set[str] = field(default_factory=set)
    notices: list[Notice] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    rules: Rules
    linked: bool = False


def walk(
    root: Path, selection: Selection, start: str = "/", enters: Callable[[str], bool] = lambda _path: True
) -> Iterator[Folder]:
    """Every served folder from `start` on, that one first; folders that cannot be read hold a notice.

    Of the folders inside, those are walked that `enters` is true for. Below a link `start` must be the root.
    """
    rules = selection.rules_in(start)
    places = [_Place(start, rules)] if rules else []
    while places:
        place = places.pop()
        folder, inner = _listed(root, selection, place)
        yield folder
        places += reversed([inside for inside in inner if enters(inside.path)])


def _listed(root: Path, selection: Selection, place: _Place) -> tuple[Folder, list[_Place]]:
    started = time.time_ns()
    folder = Folder(place.path, -1)
    listing = _Listing(root, selection, place, folder)
    try:
        folder.mtime_ns = settled(mtime_of(status_of(f"{root}{place.path}")), started)
        with os.scandir(f"{root}{place.path}") as entries:
            for entry in entries:
                folder.entries += 1
                if not is_hidden(entry.name):
                    listing.sort_in(entry)
    except OSError as error:
        folder.failed = True
        folder.notices.append(Notice(place.path, f"cannot be read: {error.strerror}"))
    _drop_twins(folder)
    listing.inner.sort(key=lambda inside: inside.path)
    folder.inner = [inside.path for inside in listing.inner]
    return folder, listing.inner


@dataclass(slots=True)
class _Listing:
    """One folder while its names are sorted into documents, folders and what is neither."""

    root: Path
    selection: Selection
    place: _Place
    folder: Folder
    inner: list[_Place] = field(default_factory=list)

    def sort_in(self, entry: os.DirEntry[str]) -> None:
        """Put one name where it belongs."""
        path = self.place.path + entry.name
        is_document = is_markdown(entry.name)
        if not is_storable(entry.name):
            if is_document or entry.is_dir():
                told = os.fsencode(entry.name).decode(errors="replace")
                self._note(self.place.path + told, "has a name that is not UTF-8: skipped")
            return
        try:
            if entry.is_symlink():
                self._follow(entry, path, is_document)
            elif entry.is_dir():
                self._enter(path + "/", self.place.linked)
            elif is_document:
                self._take(entry, path, "is no regular file: skipped")
        except OSError as error:
            self._note(path, f"cannot be read: {error.strerror}")
            if not isinstance(error, FileNotFoundError):
                self.folder.unknown.add(path)

    def _enter(self, path: str, linked: bool) -> None:
        rules = self.selection.inside(self.place.rules, path)
        if rules:
            self.inner.append(_Place(path, rules, linked))
        else:
            self.folder.left_out += 1

    def _take(self, entry: os.DirEntry[str], path: str, otherwise: str) -> None:
        if not self.selection.serves(self.place.rules, path):
            self.folder.left_out += 1
        elif entry.is_file():
            self.folder.files[path] = stamp_of(entry.stat())
        else:
            self._note(path, otherwise)

    def _follow(self, entry: os.DirEntry[str], path: str, is_document: bool) -> None:
        is_folder = entry.is_dir()
        if not is_folder and not is_document:
            return
        if not is_inside(self.root, path):
            self._note(path, "is a link that leaves the root: skipped")
        elif not is_folder:
            self._take(entry, path, "is a link to nothing: skipped")
        elif not self.place.linked and not _contains(path, self.place.path, self.root):
            self.folder.links = True
            self._enter(path + "/", True)

    def _note(self, path: str, text: str) -> None:
        self.folder.notices.append(Notice(path, text))


def _contains(link: str, folder: str, root: Path) -> bool:
    """Whether a link's target is the folder that holds the link or one above it."""
    target = os.path.realpath(f"{root}{link}")
    return f"{os.path.realpath(f'{root}{folder}')}{os.sep}".startswith(f"{target.rstrip(os.sep)}{os.sep}")


def _drop_twins(folder: Folder) -> None:
    """Of files equal after NFC keep the composed spelling, else the first; tell about the others."""
    kept: dict[str, str] = {}
    for path in sorted(folder.files, key=lambda name: (name != nfc(name), name)):
        winner = kept.setdefault(nfc(path), path)
        if winner != path:
            del folder.files[path]
            folder.notices.append(Notice(path, "has the name of another file in other Unicode form: skipped"))
