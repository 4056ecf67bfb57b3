"""The token file: its entries, read and checked whole. It holds hashes, so who reads it can call nobody.

Who watches the file and compares tokens is `token_file`; who adds entries is `token_making`.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches

from mark_server.checks import shown
from mark_server.scopes import ALLOWED, is_pattern

LARGEST = 1_000_000
_NAME = re.compile(r"[\w][\w .@+-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_KEYS = ("name", "sha256", "paths", "expires")


class TokenFileError(Exception):
    """A token file cannot be used; the text says why in one line, and where in the file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One who may call: the SHA-256 of the token in hex, what it lets read, until when (None: for ever)."""

    name: str
    sha256: str
    paths: tuple[str, ...]
    expires: datetime | None = None

    def expired(self, now: datetime) -> bool:
        """Whether the token is not valid any more."""
        return self.expires is not None and now >= self.expires


def digest(token: str) -> str:
    """The SHA-256 of a token, in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def entries_of(raw: bytes) -> tuple[Entry, ...]:
    """Read the bytes of a token file.

    Raises:
        TokenFileError: It is no token file, or an entry is wrong.
    """
    if len(raw) > LARGEST:
        raise TokenFileError("it is over 1 MB")
    try:
        tables = tomllib.loads(raw.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise TokenFileError(f"not TOML: {error}") from None
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise TokenFileError("not TOML in UTF-8") from None
    _only(tables, ("token",), "the file")
    listed = tables.get("token", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise TokenFileError("each entry begins with [[token]] on a line of its own")
    entries = tuple(_entry(table, number) for number, table in enumerate(listed, 1))
    _distinct([entry.name for entry in entries], "name")
    _distinct([entry.sha256 for entry in entries], "sha256")
    return entries


def moment(value: object) -> datetime | None:
    """Give the moment that a date (its first instant, UTC) or a time with its zone names; None for others."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value) if len(value) > 10 else date.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return None if value.tzinfo is None else _utc(value)
    return datetime.combine(value, time(), UTC) if isinstance(value, date) else None


def is_name(value: object) -> bool:
    """Whether a text may be the name of an entry, which logs repeat."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


NAME_ALLOWED = "at most 64 letters, digits, blanks, and any of . _ @ + -"
EXPIRES_ALLOWED = "a date, or a time with its zone, like 2027-01-31 or 2027-01-31T12:00:00Z"


def _utc(value: datetime) -> datetime | None:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return None


def _entry(table: Mapping[str, object], number: int) -> Entry:
    place = f"entry {number}"
    _only(table, _KEYS, place)
    name, sha256, paths = table.get("name"), table.get("sha256"), table.get("paths")
    if not isinstance(name, str) or not is_name(name):
        raise TokenFileError(f"{place}: name must have {NAME_ALLOWED}")
    place = f"entry {number} ({name})"
    if not isinstance(sha256, str) or not _HASH.fullmatch(sha256.lower()):
        # What stands there may be the token itself, so it is not repeated.
        raise TokenFileError(f"{place}: sha256 must be the SHA-256 of the token in 64 hexadecimal digits")
    if not isinstance(paths, list) or not paths:
        raise TokenFileError(f'{place}: paths must be a list of patterns, for example ["/docs/**"]')
    for path in paths:
        if not is_pattern(path):
            raise TokenFileError(f"{place}: each path must be {ALLOWED}, got {shown(path)}")
    expires = table.get("expires")
    until = moment(expires)
    if expires is not None and until is None:
        raise TokenFileError(f"{place}: expires must be {EXPIRES_ALLOWED}, got {shown(expires)}")
    return Entry(name, sha256.lower(), tuple(paths), until)


def _only(table: Mapping[str, object], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, 1, 0.5)
            advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise TokenFileError(f"{place}: unknown key {shown(key)}; {advice}")


def _distinct(values: list[str], what: str) -> None:
    for number, value in enumerate(values, 1):
        if value in values[: number - 1]:
            raise TokenFileError(f"entry {number}: another entry has the same {what}")
