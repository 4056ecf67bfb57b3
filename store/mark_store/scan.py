"""Walking the root: which folders and documents there are, with what tells whether they changed.

Nothing is read and nothing is compared here. A path crosses at most one link to a folder, and no link to a
folder that contains it, so a walk ends; links that leave the root are not followed.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .clock import settled
from .disk import Stamp, is_inside, mtime_of, stamp_of, status_of
from .notice import Notice
from .paths import is_hidden, is_markdown, is_storable, nfc


@dataclass(slots=True)
class Folder:
    """One folder's names: documents with their stamps; `mtime_ns` is -1 when it may not be trusted later.

    `failed` when the names could not be read: nothing may be concluded from their absence.
    """

    path: str
    mtime_ns: int
    failed: bool = False
    files: dict[str, Stamp] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    linked: bool


def walk(root: Path) -> Iterator[Folder]:
    """Every visible folder of the root in turn, the root first; folders that cannot be read hold a notice."""
    places = [_Place("/", False)]
    while places:
        place = places.pop()
        folder, inner = _listed(root, place)
        yield folder
        places += reversed(inner)


def _listed(root: Path, place: _Place) -> tuple[Folder, list[_Place]]:
    started = time.time_ns()
    folder = Folder(place.path, -1)
    inner: list[_Place] = []
    try:
        folder.mtime_ns = settled(mtime_of(status_of(f"{root}{place.path}")), started)
        with os.scandir(f"{root}{place.path}") as entries:
            for entry in entries:
                if not is_hidden(entry.name):
                    _sort_in(root, place, entry, folder, inner)
    except OSError as error:
        folder.failed = True
        folder.notices.append(Notice(place.path, f"cannot be read: {error.strerror}"))
    _drop_twins(folder)
    return folder, sorted(inner, key=lambda inside: inside.path)


def _sort_in(root: Path, place: _Place, entry: os.DirEntry[str], folder: Folder, inner: list[_Place]) -> None:
    path = place.path + entry.name
    is_document = is_markdown(entry.name)
    if not is_storable(entry.name):
        if is_document or entry.is_dir():
            told = os.fsencode(entry.name).decode(errors="replace")
            folder.notices.append(Notice(place.path + told, "has a name that is not UTF-8: skipped"))
        return
    try:
        if entry.is_symlink():
            _follow(root, place, entry, folder, inner)
        elif entry.is_dir():
            inner.append(_Place(path + "/", place.linked))
        elif is_document and entry.is_file():
            folder.files[path] = stamp_of(entry.stat())
        elif is_document:
            folder.notices.append(Notice(path, "is no regular file: skipped"))
    except OSError as error:
        folder.notices.append(Notice(path, f"cannot be read: {error.strerror}"))


def _follow(root: Path, place: _Place, entry: os.DirEntry[str], folder: Folder, inner: list[_Place]) -> None:
    path = place.path + entry.name
    is_folder = entry.is_dir()
    if not is_folder and not is_markdown(entry.name):
        return
    if not is_inside(root, path):
        folder.notices.append(Notice(path, "is a link that leaves the root: skipped"))
    elif is_folder:
        if not place.linked and not _contains(path, place.path, root):
            inner.append(_Place(path + "/", True))
    elif entry.is_file():
        folder.files[path] = stamp_of(entry.stat())
    else:
        folder.notices.append(Notice(path, "is a link to nothing: skipped"))


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
