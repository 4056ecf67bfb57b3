"""What values a setting takes: how one is read from a text, and what is said about a wrong one.

Imports only the standard library's lightest parts, so that `--help` stays quick. Which settings there are is
`keys`'; where their values come from is `configuration`'s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_AUTHORITY = re.compile(r"(?:(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):)?([0-9]{1,5})", re.ASCII)
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.ASCII)
_LOOPBACK = re.compile(r"http://(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?(/.*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kind:
    """The values that a setting takes.

    `parse` makes a value of a text (an option, a variable), `accept` gives a value as it is kept; both raise
    ValueError for what is not `allowed`. `several`: the setting is a list of such values, in a variable
    divided by commas. `place`: a relative one in a file is relative to that file.
    """

    allowed: str
    example: str
    accept: Callable[[object], object]
    metavar: str = ""
    parse: Callable[[str], object] = str
    several: bool = False
    flag: bool = False
    place: bool = False

    def wrong(self, name: str, got: str) -> str:
        """Say in one line what this setting takes, and what it was given."""
        return f"{name} must be {self.allowed}, got {got}; for example {name}={self.example}"


def whole(allowed: str, example: str, low: int, high: int | None = None) -> Kind:
    """A whole number from `low` to `high`."""

    def accept(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise ValueError
        if high is not None and value > high:
            raise ValueError
        return value

    return Kind(allowed, example, accept, "N", _digits)


def number(allowed: str, example: str, low: float, high: float = math.inf, *, open_: bool = True) -> Kind:
    """A finite number over `low` (with `open_` false: from it) and up to `high`."""

    def accept(value: object) -> float:
        if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            raise ValueError
        try:
            real = float(value)
        except OverflowError:
            raise ValueError from None
        if not math.isfinite(real) or real < low or (open_ and real == low) or real > high:
            raise ValueError
        return real

    return Kind(allowed, example, accept, "N", float)


def seconds(example: str) -> Kind:
    """A positive number of seconds, at most a day."""
    kind = number("a number of seconds from 0.01 to 86400", example, 0.01, 86_400, open_=False)
    return Kind(kind.allowed, kind.example, kind.accept, "SECONDS", kind.parse)


def words(*choices: str) -> Kind:
    """One of a few words."""

    def accept(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    allowed = " or ".join([", ".join(choices[:-1]), choices[-1]])
    return Kind(allowed, choices[0], accept, f"[{'|'.join(choices)}]")


def text(allowed: str, example: str, metavar: str, *, several: bool = False) -> Kind:
    """A text, or several, that is not empty and stands on one line."""
    return Kind(allowed, example, _line, metavar, several=several)


def folder() -> Kind:
    """A folder that is kept as it was written, since addresses of stores stand in its place, too."""
    return Kind("a folder", "docs", _named, "FOLDER", place=True)


def patterns(example: str) -> Kind:
    """Patterns of paths; a store says what is wrong with one."""
    return Kind("patterns of paths", example, _named, "PATTERN", several=True)


def path(allowed: str, example: str, metavar: str) -> Kind:
    """A path of this machine."""

    def accept(value: object) -> Path:
        return Path(_named(value))

    return Kind(allowed, example, accept, metavar, place=True)


def authority(example: str) -> Kind:
    """Host and port, an IPv6 address in brackets, or a port alone."""

    def accept(value: object) -> str:
        found = _AUTHORITY.fullmatch(_line(value))
        if found is None or int(found[2]) > 65_535:
            raise ValueError
        return found[0]

    return Kind("HOST:PORT, or a port of this machine", example, accept, "HOST:PORT")


def url(example: str) -> Kind:
    """An https address; plain http is for this machine only."""

    def accept(value: object) -> str:
        if not is_url(value):
            raise ValueError
        return str(value)

    return Kind("an https address (http only for this machine)", example, accept, "URL")


def is_url(value: object) -> bool:
    """Whether it is an https address, or one of plain http on this machine.

    >>> is_url("https://a.example/keys"), is_url("http://a.example/keys"), is_url("http://127.0.0.1:8/keys")
    (True, False, True)
    """
    if not isinstance(value, str) or not value.isprintable() or not _URL.fullmatch(value):
        return False
    return value.startswith("https:") or _LOOPBACK.fullmatch(value) is not None


def flag() -> Kind:
    """True or false."""

    def accept(value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    return Kind("true or false", "true", accept, parse=_truth, flag=True)


def _named(value: object) -> str:
    """A text as the system takes names: anything but nothing and NUL."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError
    return value


def _line(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError
    return value


def _digits(value: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,30}\s*", value, re.ASCII):
        raise ValueError
    return int(value)


def _truth(value: str) -> bool:
    word = value.strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError
    return word in _TRUE


_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
