"""New tokens, and the entries of a token file as a person keeps them: added, told, taken out.

Nothing of the file but the entry in question is ever changed: comments and the order of entries stay.
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mark_server.checks import ArgumentError, shown
from mark_server.scopes import ALLOWED, is_pattern
from mark_server.token_entries import (
    EXPIRES_ALLOWED,
    NAME_ALLOWED,
    Entry,
    TokenFileError,
    digest,
    entries_of,
    is_name,
    moment,
)

_PREFIX = "mlk_"
_BYTES = 32
_DAYS = re.compile(r"([0-9]{1,5})d", re.ASCII)
_HEADER = re.compile(rb"\s*\[")
_ASIDE = re.compile(rb"\s*(#.*)?$", re.DOTALL)


def new_token(name: str, paths: tuple[str, ...], expires: str | None) -> tuple[str, Entry]:
    """Make a token of 256 random bits and the entry that knows it; `90d` is in 90 days.

    Raises:
        ArgumentError: A name, pattern or time is not allowed.
    """
    if not is_name(name):
        raise ArgumentError(f"name must have {NAME_ALLOWED}, got {shown(name)}; for example --name ci")
    for path in paths:
        if not is_pattern(path):
            example = "for example --paths '/docs/**'"
            raise ArgumentError(f"each path must be {ALLOWED}, got {shown(path)}; {example}")
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    return token, Entry(name, digest(token), paths, _until(expires))


def written(entry: Entry) -> str:
    """An entry as it stands in a file."""
    lines = [
        "[[token]]",
        f"name = {json.dumps(entry.name, ensure_ascii=False)}",
        f'sha256 = "{entry.sha256}"',
        f"paths = {json.dumps(list(entry.paths), ensure_ascii=False)}",
    ]
    if entry.expires is not None:
        lines.append(f"expires = {entry.expires.isoformat().replace('+00:00', 'Z')}")
    return "\n".join(lines) + "\n"


def kept(file: Path) -> tuple[Entry, ...]:
    """Read the entries of a file.

    Raises:
        TokenFileError: It cannot be read, or something in it is wrong.
    """
    return entries_of(_bytes(file))


def add(file: Path, entry: Entry) -> None:
    """Add an entry at the end of a file, which is made when there is none, readable by its owner alone.

    Raises:
        TokenFileError: The file cannot be read or written, is wrong, or has an entry of this name.
    """
    with _alone(file):
        before = _bytes(file) if file.exists() else b""
        if any(known.name == entry.name for known in entries_of(before)):
            advice = "choose another name, or revoke that one"
            raise TokenFileError(f"it has an entry {shown(entry.name)}; {advice}")
        gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
        text = gap + written(entry).encode()
        if not _ends_with(before + text, entry):
            raise TokenFileError("an entry cannot be added at its end; add it by hand")
        opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(opened, "wb", buffering=0) as appended:
            _append(appended, text, len(before))


def remove(file: Path, name: str) -> None:
    """Take the entry of this name out of a file; what stands beside it, comments too, stays.

    Raises:
        TokenFileError: The file cannot be read or written, is wrong, or has no such entry alone on its lines.
    """
    with _alone(file):
        before = _bytes(file)
        entries = entries_of(before)
        names = [entry.name for entry in entries]
        if name not in names:
            raise TokenFileError(f"it has no entry {shown(name)}")
        number = names.index(name)
        after = _without(before, number)
        if entries_of(after) != entries[:number] + entries[number + 1 :]:
            raise TokenFileError("the entry does not stand on lines of its own; take it out by hand")
        _replace(file.resolve(), after)


def _until(expires: str | None) -> datetime | None:
    if expires is None:
        return None
    days = _DAYS.fullmatch(expires)
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(int(days[1])) if days else moment(expires)
    if until is None:
        raise ArgumentError(f"expires must be {EXPIRES_ALLOWED}, or in days like 90d, got {shown(expires)}")
    if until <= datetime.now(UTC):
        raise ArgumentError(f"expires must be a time that is still to come, got {shown(expires)}")
    return until


def _append(file: io.FileIO, text: bytes, start: int) -> None:
    """Write all of a text at the end of a file, or nothing of it."""
    rest = text
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.truncate(start)
        raise


def _ends_with(raw: bytes, entry: Entry) -> bool:
    try:
        return entries_of(raw)[-1] == entry
    except TokenFileError:
        return False


def _without(raw: bytes, number: int) -> bytes:
    """The lines of a file without those of its entry of this number; comments after it belong to the next."""
    lines = raw.splitlines(keepends=True)
    headers = [at for at, line in enumerate(lines) if _HEADER.match(line) and line.strip()[:2] == b"[["]
    start = headers[number] if number < len(headers) else len(lines)
    end = headers[number + 1] if number + 1 < len(headers) else len(lines)
    while end > start and _ASIDE.match(lines[end - 1]):
        end -= 1
    return b"".join(lines[:start] + lines[end:])


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise TokenFileError(error.strerror or str(error)) from None


def _replace(file: Path, raw: bytes) -> None:
    """Write a file anew in one step, so that a server never reads half of it."""
    status = file.stat()
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as fresh:
        fresh.write(raw)
    place = Path(fresh.name)
    try:
        place.chmod(status.st_mode & 0o777)
        if os.name == "posix" and os.geteuid() == 0:
            os.chown(place, status.st_uid, status.st_gid)
        place.replace(file)
    finally:
        place.unlink(missing_ok=True)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Keep other commands of ours from changing the same file meanwhile."""
    try:
        import fcntl  # noqa: PLC0415 - only where the system has it
    except ImportError:  # pragma: no cover - only on Windows
        yield
        return
    try:
        folder = os.open(file.resolve().parent, os.O_RDONLY)
    except OSError as error:
        raise TokenFileError(error.strerror or str(error)) from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except OSError as error:
        raise TokenFileError(error.strerror or str(error)) from None
    finally:
        os.close(folder)
