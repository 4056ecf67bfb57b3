"""Callers that a token file names. The file is watched: what is added, changed or taken out counts at once.

What stands in the file is `token_entries`'; that a caller without a token gets 401 is the HTTP surface's.
"""

from __future__ import annotations

import hmac
import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mark_server.callers import Caller, CallerError, UnknownToken
from mark_server.token_entries import LARGEST, Entry, TokenFileError, digest, entries_of
from mark_store import Reader

Tell = Callable[[str], None]

# A file that was changed so shortly before it was read may change again without its time or size showing it.
_SETTLED = 2.0


@dataclass(frozen=True, slots=True)
class _Look:
    """What tells one state of a file from another."""

    inode: int
    size: int
    modified: int
    changed: int


class TokenFile:
    """Callers by the entries of one file.

    A file that is broken when it is read again leaves the entries as they were, and that is told once; one
    that is gone knows nobody. `tell` is given lines for the log, which hold neither tokens nor hashes.

    Raises:
        TokenFileError: At the start the file is missing, wrong, or can be written by anybody.
    """

    issuers: Sequence[str] = ()
    scopes: Sequence[str] = ()

    def __init__(self, path: Path, tell: Tell) -> None:
        self._path = path
        self._tell = tell
        self._told = ""
        self._look: _Look | None = None
        self._raw: bytes | None = None
        self._entries: tuple[Entry, ...] = ()
        try:
            self._read()
        except OSError as error:
            raise TokenFileError(error.strerror or str(error)) from None

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents this token.

        Raises:
            CallerError: There is no token, or it has expired.
            UnknownToken: No entry has its hash.
        """
        # Asking for the state of a file takes microseconds, less than handing that to a thread.
        self._refresh()
        if token is None:
            raise CallerError("a bearer token is required")
        entry = self._known(digest(token))
        if entry is None:
            raise UnknownToken("the token is not known here")
        if entry.expired(datetime.now(UTC)):
            raise CallerError("the token has expired")
        return Caller(entry.name, Reader(entry.paths))

    def _known(self, sha256: str) -> Entry | None:
        """The entry of a hash; all are compared, each in constant time, so that time tells nothing."""
        found = None
        for entry in self._entries:
            if hmac.compare_digest(entry.sha256, sha256):
                found = entry
        return found

    def _refresh(self) -> None:
        try:
            if _look(self._path.stat()) != self._look:
                self._read()
        except FileNotFoundError:
            self._entries, self._look, self._raw = (), None, None
            self._tell_once(f"{self._path}: the token file is gone; nobody may call until it is back")
        except OSError as error:
            self._tell_once(f"{self._path}: {error.strerror or error}; the entries stay as they were")
        except TokenFileError as error:
            self._tell_once(f"{self._path}: {error}; the entries stay as they were")

    def _read(self) -> None:
        if not stat.S_ISREG(self._path.stat().st_mode):
            # A pipe would be waited for, and a folder holds nothing.
            raise TokenFileError("it is no regular file")
        with self._path.open("rb") as file:
            status = os.fstat(file.fileno())
            raw = file.read(LARGEST + 1)
        if os.name == "posix" and status.st_mode & stat.S_IWOTH:
            raise TokenFileError("anybody may change it; chmod 600 keeps it to you")
        self._look = _look(status) if _settled(status) else None
        if raw == self._raw:
            return
        self._raw = raw
        self._entries, self._told = entries_of(raw), ""
        if os.name == "posix" and status.st_mode & (stat.S_IROTH | stat.S_IWGRP):
            self._tell_once(f"{self._path}: others may read or change it; chmod 600 keeps it to you")

    def _tell_once(self, line: str) -> None:
        if line != self._told:
            self._told = line
            self._tell(line)


def _look(status: os.stat_result) -> _Look:
    return _Look(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _settled(status: os.stat_result) -> bool:
    return time.time() - max(status.st_mtime, status.st_ctime) > _SETTLED
