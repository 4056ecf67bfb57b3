"""One argument at a time: its type and its range, and the one line that a wrong one gets.

A line says what is allowed, what was given and an example. Which tool takes which argument is `arguments`'.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from mark_expand import Detail, one_line

Match = Literal["body", "catalog"]
Given = Mapping[str, Any]
_Word = TypeVar("_Word", bound=str)

# Beyond any store or context window, and within the integers that a database takes.
MOST = 1_000_000_000
_DIGITS = re.compile(r"\s*[+-]?\d{1,30}\s*", re.ASCII)
_SHOWN = 60


class ArgumentError(Exception):
    """A wrong argument; its text is the one line that the caller reads."""


@dataclass(frozen=True, slots=True)
class Text:
    """An argument that is a text of at most `longest` characters."""

    name: str
    example: str
    longest: int = 10_000
    default: str = ""
    required: bool = False

    def read(self, given: Given) -> str:
        """Give the text, the default when it is missing; halves of surrogate pairs in it become U+FFFD.

        Raises:
            ArgumentError: It is no text, too long, or required and blank.
        """
        value = given.get(self.name)
        if value is None:
            value = self.default
        if not isinstance(value, str):
            raise self._wrong("must be a text", shown(value))
        if self.required and not value.strip():
            raise self._wrong("is required and must not be empty")
        if len(value) > self.longest:
            raise self._wrong(f"must be at most {self.longest} characters", f"{len(value)}")
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _wrong(self, allowed: str, got: str = "") -> ArgumentError:
        return _wrong(f"{self.name} {allowed}", got, self.example)


@dataclass(frozen=True, slots=True)
class Whole:
    """An argument that is a whole number, as such or in digits; `low` None takes any negative one."""

    name: str
    allowed: str
    example: str
    default: int
    low: int | None
    high: int = MOST

    def read(self, given: Given) -> int:
        """Give the number, the default when it is missing.

        Raises:
            ArgumentError: It is no whole number, or out of its range.
        """
        value = given.get(self.name)
        if value is None:
            return self.default
        number = _integer(value)
        if number is None or number > self.high or (self.low is not None and number < self.low):
            raise _wrong(f"{self.name} must be {self.allowed}", shown(value), self.example)
        return number


def flag(given: Given, name: str) -> bool:
    """Give a truth value, false when it is missing.

    Raises:
        ArgumentError: It is neither true nor false, nor one of these words.
    """
    value = given.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _wrong(f"{name} must be true or false", shown(value), f"{name}=true")


def match_of(given: Given) -> Match:
    """Give what a lookup compares, `body` when it is missing.

    Raises:
        ArgumentError: It is not one of the two.
    """
    rule = "match must be body or catalog"
    return _one_of(given, "match", get_args(Match), "body", rule=rule, example="body")


def detail_of(given: Given) -> Detail:
    """Give how much of each row a lookup prints, `sections` when it is missing.

    Raises:
        ArgumentError: It is not one of the three.
    """
    rule = "detail must be sections, excerpts or full"
    return _one_of(given, "detail", get_args(Detail), "sections", rule=rule, example="excerpts")


def _one_of(
    given: Given, name: str, allowed: tuple[_Word, ...], default: _Word, *, rule: str, example: str
) -> _Word:
    value = given.get(name)
    if value in (None, ""):
        return default
    for word in allowed:
        if value == word:
            return word
    raise _wrong(rule, shown(value), f"{name}={example}")


def shown(value: object) -> str:
    """Give what was passed, on one line and cut where long.

    >>> shown({"a": [1.5, None]}), shown("two\\nlines")
    ('{"a": [1.5, null]}', 'two lines')
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "what is too large to show"
    sound = text[: 2 * _SHOWN].encode("utf-8", "replace").decode()
    line = " ".join(one_line(sound).split()) or '""'
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _wrong(allowed: str, got: str, example: str) -> ArgumentError:
    given = f", got {got}" if got else ""
    return ArgumentError(f"{allowed}{given}; for example {example}")


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None
