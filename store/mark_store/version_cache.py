"""Answers that were fetched once, kept on the disk: versions for ever, heads to be asked about by their etag.

Safe for several processes and for a kill at any moment: an entry is written beside its place and renamed, and
one whose hash or name is not right is none. What may be served from it is `mark`'s to decide.
"""

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 256 << 20
"""Bytes of all entries together; the least recently used go first."""

_MAGIC: Final = b"marklookup-answer-1\n"
_HASH: Final = 32
_TEMPORARY: Final = ".new-"
_LEFT_BEHIND_SECONDS: Final = 3600
_SHARE: Final = 8

Key = tuple[str, ...]


class VersionCache:
    """A folder of entries; every failure of the disk is a miss. All calls block, so make them in a thread."""

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most = most
        # What was written since the folder was last measured; other processes write too, so it starts full.
        self._written = most

    def get(self, key: Key) -> bytes | None:
        """Give the bytes that were put under a key, None when there are none or not those."""
        file = self._file(key)
        try:
            data = file.read_bytes()
            os.utime(file)
        except OSError:
            return None
        told, content = data[: len(_MAGIC) + 2 * _HASH], data[len(_MAGIC) + 2 * _HASH :]
        return content if told == _head(key, content) else None

    def put(self, key: Key, content: bytes) -> None:
        """Keep bytes under a key; what is larger than an eighth of the whole is not kept."""
        if len(content) > self._most // _SHARE:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._file(key), _head(key, content) + content)
        except OSError:
            return
        self._written += len(content)
        if self._written > self._most // _SHARE:
            self._written = 0
            self._shrink()

    def _file(self, key: Key) -> Path:
        return self._folder / _digest("\0".join(key).encode("utf-8", "surrogatepass")).hex()

    def _write(self, file: Path, data: bytes) -> None:
        descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(data)
            Path(name).replace(file)
        except OSError:
            _remove(Path(name))
            raise

    def _shrink(self) -> None:
        found = sorted(self._entries(), key=lambda entry: entry[1])
        total = sum(size for _, _, size in found)
        for file, _, size in found:
            if total <= self._most:
                return
            _remove(file)
            total -= size

    def _entries(self) -> list[tuple[Path, float, int]]:
        """Entries with the time of their last use and their size; what a killed process left is removed."""
        entries = []
        for file in _listed(self._folder):
            try:
                status = file.stat()
            except OSError:
                continue
            if file.name.startswith(_TEMPORARY) and status.st_mtime < time.time() - _LEFT_BEHIND_SECONDS:
                _remove(file)
            else:
                entries.append((file, status.st_mtime, status.st_size))
        return entries


def _head(key: Key, content: bytes) -> bytes:
    """Vouches for the content and for its being that of this key."""
    return _MAGIC + _digest("\0".join(key).encode("utf-8", "surrogatepass")) + _digest(content)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError:
        return
