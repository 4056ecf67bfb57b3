"""Writing documents into a folder, and changing them so that no file system's clock can hide it."""

import os
from collections.abc import Mapping
from pathlib import Path


def plant(root: Path, documents: Mapping[str, str | bytes]) -> None:
    """Write documents at their rooted paths, folders made as needed."""
    for path, content in documents.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def age(root: Path, seconds: int = 100) -> None:
    """Set every time stamp of a tree back, as if it had been written long ago."""
    for place in [root, *root.rglob("*")]:
        status = place.lstat()
        moment = status.st_mtime_ns - seconds * 1_000_000_000
        os.utime(place, ns=(moment, moment), follow_symlinks=False)


def remove(*places: Path) -> None:
    """Delete files."""
    for place in places:
        place.unlink()


def remove_unseen(file: Path) -> None:
    """Delete a file in such a way that its folder's time does not tell."""
    moment = file.parent.stat().st_mtime_ns
    file.unlink()
    os.utime(file.parent, ns=(moment, moment))


def found_below(folder: Path, pattern: str) -> list[Path]:
    """The places below a folder whose names match."""
    return sorted(folder.rglob(pattern))


def truncated(file: Path, size: int) -> None:
    """Make a file of so many NUL bytes that takes no room."""
    with file.open("wb") as opened:
        opened.truncate(size)


def overwrite(file: Path, start: int, noise: bytes) -> None:
    """Put noise over all of a file from some place on."""
    content = bytearray(file.read_bytes())
    repeated = noise * (len(content) // len(noise) + 1)
    content[start:] = repeated[: len(content) - start]
    file.write_bytes(content)
