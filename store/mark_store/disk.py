"""Reading one file or folder of the root: stamps and bytes, never through a link that leaves the root.

Which names are looked at is decided by `paths` and `scan`.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

# A folder of notes holds no such document; reading one would take the machine's memory.
LARGEST_FILE = 64 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells cheaply that a file is as it was: bytes, modification time, inode."""

    size: int
    mtime_ns: int
    inode: int


class Unreadable(Exception):  # noqa: N818 - a state of a file, told to the user as a notice
    """A file cannot be taken as a document; `reason` is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a file's status."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino)


def stamp(root: Path, path: str) -> Stamp | None:
    """The stamp of the regular file at a rooted path, None when there is none."""
    try:
        status = os.stat(f"{root}{path}")
    except (OSError, ValueError):
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def folder_time(root: Path, folder: str) -> int | None:
    """The modification time of a folder in nanoseconds, None when it is gone."""
    try:
        return os.stat(f"{root}{folder}").st_mtime_ns
    except OSError:
        return None


def is_inside(root: Path, path: str) -> bool:
    """Whether the real place of a rooted path lies in the root, which is a real path itself."""
    real = os.path.realpath(f"{root}{path}")
    return real == str(root) or real.startswith(f"{root}{os.sep}" if root != Path(root.anchor) else str(root))


def read(root: Path, path: str) -> tuple[bytes, Stamp]:
    """The bytes of a document's file, and the stamp that they had.

    Raises: Unreadable, with the reason: no regular file, too large, or what the system said.
    """
    try:
        descriptor = os.open(f"{root}{path}", _FLAGS)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("is no regular file")
        if status.st_size > LARGEST_FILE:
            raise Unreadable(f"is larger than {LARGEST_FILE >> 20} MiB")
        try:
            return file.read(LARGEST_FILE), stamp_of(status)
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}") from error
