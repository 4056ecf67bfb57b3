"""Settings by name for an evaluation: arguments of the lookup, and settings of the server.

`NAME=VALUE` pairs are checked before anything is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from mark_server.arguments import LookupArguments, lookup_arguments
from mark_server.checks import ArgumentError
from mark_server.settings import Settings

# What the evaluation itself decides, and where things are.
_KEPT = {"query", "budget", "offset", "store", "encoding", "data", "patience"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting to evaluate: the pairs as given, the lookup's arguments, the server's settings."""

    named: Mapping[str, str]
    arguments: Mapping[str, Any]
    settings: Settings


def choose(pairs: Sequence[str], settings: Settings) -> Choice:
    """Read pairs on top of `settings`.

    Raises:
        ArgumentError: A pair has no such name, or not such a value.
    """
    named = dict(_split(pair) for pair in pairs)
    arguments = arguments_of(named)
    chosen = {name: _read(name, value) for name, value in named.items() if name not in arguments}
    lookup_arguments({**arguments, "query": "any"})
    return Choice(named, arguments, replace(settings, **chosen))


def arguments_of(named: Mapping[str, str]) -> dict[str, str]:
    """Give those of the pairs that are arguments of a lookup."""
    return {name: value for name, value in named.items() if name in _arguments()}


def _split(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign or (name not in _arguments() and name not in _hints()):
        allowed = ", ".join([*_arguments(), *_hints()])
        raise ArgumentError(f"a setting must be NAME=VALUE, got {pair}; the names are {allowed}")
    return name, value


def _arguments() -> list[str]:
    return [one.name for one in fields(LookupArguments) if one.name not in _KEPT]


def _hints() -> dict[str, Any]:
    """Give the server's settings that are a word or a number."""
    hints = get_type_hints(Settings)
    return {
        one.name: hints[one.name]
        for one in fields(Settings)
        if one.name not in _KEPT
        and (hints[one.name] in (int, float) or get_origin(hints[one.name]) is Literal)
    }


def _read(name: str, value: str) -> Any:
    hint = _hints()[name]
    if words := get_args(hint):
        if value not in words:
            raise ArgumentError(f"{name} must be {' or '.join(words)}, got {value}")
        return value
    try:
        return hint(value)
    except ValueError as error:
        raise ArgumentError(f"{name} must be a number, got {value}") from error
