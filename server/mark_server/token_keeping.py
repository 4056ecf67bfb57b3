"""Runs the commands of `marklookup token`: prints what they give, and one line where they cannot.

Options and help are `token_command`'s, files `token_making`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from mark_server.checks import ArgumentError
from mark_server.running import WRONG_USAGE
from mark_server.terminal import fail, put, warn
from mark_server.token_entries import Entry, TokenFileError
from mark_server.token_making import add, kept, new_token, remove, written

_Made = TypeVar("_Made")


def make(file: Path, name: str, paths: tuple[str, ...], expires: str | None) -> None:
    """Print a new token and add its entry to the file; to `-` print the entry, too."""
    try:
        token, entry = new_token(name, paths, expires)
    except ArgumentError as error:
        fail(str(error), WRONG_USAGE)
    if str(file) == "-":
        put(f"{token}\n\n{written(entry)}")
        return
    _done(file, lambda: add(file, entry))
    put(f"{token}\n")
    warn(f"added {name} to {file}; the token is not shown again")


def tell(file: Path) -> None:
    """Print a line for each entry: name, paths, expiry."""
    now = datetime.now(UTC)
    put("".join(f"{_line(entry, now)}\n" for entry in _done(file, lambda: kept(file))))


def revoke(file: Path, name: str) -> None:
    """Take an entry out of the file."""
    _done(file, lambda: remove(file, name))
    warn(f"revoked {name} in {file}")


def _line(entry: Entry, now: datetime) -> str:
    until = "for ever"
    if entry.expires is not None:
        word = "expired" if entry.expired(now) else "until"
        until = f"{word} {entry.expires.isoformat().replace('+00:00', 'Z')}"
    return f"{entry.name}\t{', '.join(entry.paths)}\t{until}"


def _done(file: Path, task: Callable[[], _Made]) -> _Made:
    try:
        return task()
    except TokenFileError as error:
        fail(f"{file}: {error}")
