"""Tool arguments, checked in our own words.

A wrong argument is one line that says what was given, what is allowed and an example. Arguments that a tool
does not know are ignored: some clients add their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Match = Literal["body", "catalog"]

MOST_ROWS = 1000
LONGEST_QUERY = 20_000
_WHOLE = re.compile(r"\s*[+-]?\d{1,15}\s*", re.ASCII)
_SHOWN = 60


class ArgumentError(Exception):
    """A wrong argument; its text is the one line that the caller reads."""


@dataclass(frozen=True, slots=True)
class LookupArguments:
    """Arguments of `mark_lookup`; `budget` is in tokens, 0 for none."""

    query: str
    url: str = "/"
    filter: str = ""
    limit: int = 10
    offset: int = 0
    match: Match = "body"
    budget: int = 0
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class FetchArguments:
    """Arguments of `mark_fetch`; `start` is in characters, None when not given."""

    url: str
    budget: int = 0
    start: int | None = None
    force: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class ListArguments:
    """Arguments of `mark_list`."""

    url: str = "/"
    cursor: str = ""
    page_size: int = 100


@dataclass(frozen=True, slots=True)
class VersionsArguments:
    """Arguments of `mark_versions`."""

    url: str


def lookup_arguments(given: Mapping[str, Any]) -> LookupArguments:
    """Check the arguments of `mark_lookup`.

    Raises:
        ArgumentError: An argument is missing or out of its range.
    """
    query = _text(given, "query", example='query="what replaced the old backend"', required=True)
    if len(query) > LONGEST_QUERY:
        raise ArgumentError(f"query must be at most {LONGEST_QUERY} characters, got {len(query)}; shorten it")
    return LookupArguments(
        query=query,
        url=_text(given, "url", "/", example="url=/adr") or "/",
        filter=_text(given, "filter", example="filter=tag=adr"),
        limit=_whole(given, "limit", 10, 1, MOST_ROWS),
        offset=_whole(given, "offset", 0, 0),
        match=_match(given),
        budget=_budget(given),
        verbose=_flag(given, "verbose"),
    )


def fetch_arguments(given: Mapping[str, Any]) -> FetchArguments:
    """Check the arguments of `mark_fetch`.

    Raises:
        ArgumentError: An argument is missing or out of its range.
    """
    start = _whole(given, "start", -1, -1)
    return FetchArguments(
        url=_text(given, "url", example="url=/adr/0001.md#context", required=True),
        budget=_budget(given),
        start=None if start < 0 else start,
        force=_flag(given, "force"),
        verbose=_flag(given, "verbose"),
    )


def list_arguments(given: Mapping[str, Any]) -> ListArguments:
    """Check the arguments of `mark_list`.

    Raises:
        ArgumentError: An argument is out of its range.
    """
    return ListArguments(
        url=_text(given, "url", "/", example="url=/adr") or "/",
        cursor=_text(given, "cursor", example="the next-cursor of the page before"),
        page_size=_whole(given, "page_size", 100, 1, MOST_ROWS),
    )


def versions_arguments(given: Mapping[str, Any]) -> VersionsArguments:
    """Check the arguments of `mark_versions`.

    Raises:
        ArgumentError: The url is missing.
    """
    return VersionsArguments(_text(given, "url", example="url=/adr/0001.md", required=True))


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _text(
    given: Mapping[str, Any], name: str, default: str = "", *, example: str, required: bool = False
) -> str:
    value = given.get(name)
    if value is None:
        value = default
    if not isinstance(value, str):
        raise ArgumentError(f"{name} must be a text, got {_shown(value)}; for example {example}")
    if required and not value.strip():
        raise ArgumentError(f"{name} is required and must not be empty; for example {example}")
    return value


def _whole(
    given: Mapping[str, Any], name: str, default: int, low: int | None, high: int | None = None
) -> int:
    value = given.get(name)
    if value is None:
        return default
    number = _integer(value)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        example = default if default > 0 else low or 1000
        allowed = f"a whole number{_range(low, high)}"
        raise ArgumentError(f"{name} must be {allowed}, got {_shown(value)}; for example {name}={example}")
    return number


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else None


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return ""
    return f" from {low} to {high}" if high is not None else f", {low} or more"


def _budget(given: Mapping[str, Any]) -> int:
    """Zero and negative budgets mean none (B5)."""
    return max(0, _whole(given, "budget", 0, None))


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise ArgumentError(f"{name} must be true or false, got {_shown(value)}; for example {name}=true")


def _match(given: Mapping[str, Any]) -> Match:
    value = given.get("match")
    for allowed in get_args(Match):
        if value == allowed:
            return allowed  # type: ignore[no-any-return]  # get_args has no type for a Literal's members
    if value in (None, ""):
        return "body"
    raise ArgumentError(f"match must be body or catalog, got {_shown(value)}; for example match=body")
