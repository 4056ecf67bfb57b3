"""Reading one file or folder of the root: stamps and bytes, never through a link that leaves the root.

Which names are looked at is decided by `paths` and `scan`.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from .paths import nfc

# A folder of notes holds no such document; reading one would take the machine's memory.
LARGEST_FILE = 64 << 20
_LARGEST = (1 << 63) - 1
# An odd number, so that neighbouring inodes do not meet neighbouring times.
_SPREAD = 0x9E3779B97F4A7C15
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells cheaply that a file is as it was: bytes, modification time, and inode with time of change.

    A modification time can be set (`touch -d`, `cp -p`), the time of change cannot; both go into one number.
    """

    size: int
    mtime_ns: int
    inode: int


class Unreadable(Exception):  # noqa: N818 - a state of a file, told to the user as a notice
    """A file cannot be taken as a document; `reason` is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def status_of(place: str) -> os.stat_result:
    """The status of what is at a place of the file system, links followed."""
    return os.stat(place)  # noqa: PTH116 - a Path for each of thousands of files costs more than the call


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a file's status."""
    return Stamp(status.st_size, mtime_of(status), (status.st_ino * _SPREAD ^ status.st_ctime_ns) & _LARGEST)


def mtime_of(status: os.stat_result) -> int:
    """The modification time in nanoseconds, as far as SQLite's numbers reach (1677 to 2262)."""
    found = status.st_mtime_ns
    return found if -_LARGEST <= found <= _LARGEST else max(min(found, _LARGEST), -_LARGEST)


def stamp(root: Path, path: str) -> Stamp | None:
    """The stamp of the regular file at a rooted path, None when there is none."""
    try:
        status = status_of(f"{root}{path}")
    except (OSError, ValueError):
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def is_absent(root: Path, path: str) -> bool:
    """Whether there certainly is no document at a rooted path, not just none that can be reached.

    That the root itself is there has to be made sure of afterwards.
    """
    try:
        status = status_of(f"{root}{path}")
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return not stat.S_ISREG(status.st_mode) or not is_inside(root, path)


def is_inside(root: Path, path: str) -> bool:
    """Whether the real place of a rooted path lies in the root, which is a real path itself."""
    return _real_place(root, path) is not None


def _real_place(root: Path, path: str) -> str | None:
    """Where a rooted path really leads; None when that is outside the root."""
    try:
        real = os.path.realpath(f"{root}{path}")
    except OSError:
        # What is exchanged for a link, or back, at this very moment.
        return None
    inside = real == str(root) or real.startswith(
        f"{root}{os.sep}" if root != Path(root.anchor) else str(root)
    )
    return real if inside else None


def on_disk(root: Path, path: str) -> str | None:
    """The path of a document as the disk spells it, in either Unicode form; None when it is not there.

    Letter case counts, also on a file system that does not care.
    """
    if not is_inside(root, path):
        return None
    spelled = ""
    for part in path.strip("/").split("/"):
        try:
            names = os.listdir(f"{root}{spelled}")  # noqa: PTH208 - names only, no Path for each
        except OSError:
            return None
        composed = nfc(part)
        found = sorted((name != part, name) for name in names if name == part or nfc(name) == composed)
        if not found:
            return None
        spelled = f"{spelled}/{found[0][1]}"
    return spelled


def read(root: Path, path: str) -> tuple[bytes, Stamp]:
    """The bytes of a document's file, and the stamp that they had.

    Raises: Unreadable, with the reason: no regular file, outside the root, too large, or the system's words.
    """
    try:
        descriptor = os.open(f"{root}{path}", _FLAGS)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Unreadable("is no regular file")
    with os.fdopen(descriptor, "rb") as file:
        if not _is_that_of(status, root, path):
            raise Unreadable("lies outside the folder, or was exchanged while it was read")
        if status.st_size > LARGEST_FILE:
            raise Unreadable(f"is larger than {LARGEST_FILE >> 20} MiB")
        try:
            return file.read(LARGEST_FILE), stamp_of(status)
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}") from error


def _is_that_of(status: os.stat_result, root: Path, path: str) -> bool:
    """Whether an opened file is the one inside the root that a rooted path leads to.

    Asked after opening: a link may have been put in the file's place since the folder was looked at. One
    resolved place is both found inside and compared, without following what stands there by then.
    """
    real = _real_place(root, path)
    try:
        return real is not None and os.path.samestat(status, os.lstat(real))
    except OSError:
        return False
