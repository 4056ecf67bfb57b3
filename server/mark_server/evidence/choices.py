"""Settings by name for an evaluation: arguments of the lookup, and settings of the server.

`NAME=VALUE` pairs are checked before anything is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from mark_server.arguments import LookupArguments, lookup_arguments
from mark_server.checks import ArgumentError, shown
from mark_server.keys import KEYS, Key
from mark_server.settings import Settings

# What the evaluation itself decides, and where things are.
_KEPT = {"query", "budget", "offset", "store", "encoding", "data", "no-ignore"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting to evaluate: the pairs as given, the lookup's arguments, the server's settings."""

    named: Mapping[str, str]
    arguments: Mapping[str, str]
    settings: Settings


def choose(pairs: Sequence[str], settings: Settings) -> Choice:
    """Read pairs on top of `settings`.

    Raises:
        ArgumentError: A pair has no such name, or not such a value.
    """
    named = dict(_split(pair) for pair in pairs)
    arguments = arguments_of(named)
    keys = _keys()
    chosen = {keys[name].parameter: _read(keys[name], named[name]) for name in named if name not in arguments}
    lookup_arguments({**arguments, "query": "any"})
    return Choice(named, arguments, replace(settings, **chosen))


def arguments_of(named: Mapping[str, str]) -> dict[str, str]:
    """Give those of the pairs that are arguments of a lookup."""
    return {name: value for name, value in named.items() if name in _arguments()}


def _split(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign or name not in {*_arguments(), *_keys()}:
        allowed = ", ".join([*_arguments(), *_keys()])
        raise ArgumentError(f"a setting must be NAME=VALUE, got {shown(pair)}; the names are {allowed}")
    return name, value


def _arguments() -> list[str]:
    return [one.name for one in fields(LookupArguments) if one.name not in _KEPT]


def _keys() -> dict[str, Key]:
    return {key.name: key for key in KEYS if not key.serving and key.name not in _KEPT}


def _read(key: Key, value: str) -> Any:
    try:
        return key.kind.accept(key.kind.parse(value))
    except ValueError:
        raise ArgumentError(key.kind.wrong(key.name, shown(value))) from None
