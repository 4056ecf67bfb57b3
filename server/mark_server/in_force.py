"""Settings as they are in force, each with its source, as a settings file and as JSON.

How they are found is `options`' and `configuration`'s; here they are only told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from click.core import ParameterSource

from mark_expand import one_line
from mark_server.configuration import Configuration
from mark_server.keys import KEYS, Key
from mark_server.mount import Mount

# A key of TOML that needs no quotes.
_BARE = re.compile("[A-Za-z0-9_-]+")
_Source = Callable[[str], ParameterSource | None]


@dataclass(frozen=True, slots=True)
class InForce:
    """One setting: its row, its value (None when not set), and in words where that comes from."""

    key: Key
    value: object
    source: str


def settings_in_force(given: Mapping[str, Any], source_of: _Source) -> list[InForce]:
    """Give every setting in the order of the table, from the parameters of a command."""
    configuration: Configuration = given["config"]
    return [
        InForce(key, _told(key, given[key.parameter]), _source(key, source_of(key.parameter), configuration))
        for key in KEYS
    ]


def as_text(found: list[InForce], configuration: Configuration) -> str:
    """Write settings as a file that has the same effect."""
    blocks = [f"# {_place(configuration)}" if configuration.file else "# no settings file"]
    for section in dict.fromkeys(one.key.section for one in found):
        heading = [f"[{section}]"] if section else []
        lines = [_line(one) for one in found if one.key.section == section]
        blocks.append("\n".join(heading + lines))
    if words := configuration.predicates.own:
        blocks.append("\n".join(["[predicates]", *(_words(*one, configuration) for one in words)]))
    blocks += [_mount(mount, configuration) for mount in _stores(found, configuration)]
    return "\n\n".join(blocks) + "\n"


def as_object(found: list[InForce], configuration: Configuration) -> str:
    """Write settings as one JSON object.

    `file`, `settings` by the name of their option, `predicates` and `stores` by name.
    """
    told = {
        "file": str(configuration.file) if configuration.file else None,
        "settings": {one.key.name: {"value": one.value, "source": one.source} for one in found},
        "predicates": {name: list(words) for name, words in configuration.predicates.own},
        "stores": {mount.name: _plain(mount) for mount in _stores(found, configuration)},
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _stores(found: list[InForce], configuration: Configuration) -> tuple[Mount, ...]:
    """The mounts, unless an option or variable names one store in their place."""
    named = any(one.key.name == "store" and one.value for one in found)
    return () if named else configuration.stores


def _source(key: Key, source: ParameterSource | None, configuration: Configuration) -> str:
    match source:
        case ParameterSource.COMMANDLINE:
            return f"--{key.name}"
        case ParameterSource.ENVIRONMENT:
            return key.variable
        case ParameterSource.DEFAULT_MAP:
            return _place(configuration, key.parameter)
        case _:
            return "default"


def _place(configuration: Configuration, name: str = "") -> str:
    """File and line on one line, whatever the file is called."""
    line = configuration.lines.get(name)
    return one_line(f"{configuration.file}{f':{line}' if line else ''}")


def _told(key: Key, value: Any) -> Any:
    """A value as TOML and JSON have it, places absolute."""
    if value is None or key.kind.several:
        return value if value is None else list(value)
    if key.kind.place and "://" not in str(value):
        return str(Path(value).absolute())
    return value


def _line(one: InForce) -> str:
    name = one.key.in_file[1]
    if one.value is None:
        return f"# {name} is not set" + (f": {one.key.shown}" if one.key.shown else "")
    return f"{name} = {_toml(one.value)}  # {one.source}"


def _words(name: str, words: tuple[str, ...], configuration: Configuration) -> str:
    key = name if _BARE.fullmatch(name) else _toml(name)
    return f"{key} = {_toml(words)}  # {_place(configuration, f'predicates.{name}')}"


def _mount(mount: Mount, configuration: Configuration) -> str:
    lines = [f"{name} = {_toml(value)}" for name, value in _plain(mount).items()]
    return "\n".join([f"[stores.{mount.name}]  # {_place(configuration, f'stores.{mount.name}')}", *lines])


def _plain(mount: Mount) -> dict[str, Any]:
    """What a mount says, without what it leaves out."""
    told: dict[str, Any] = {}
    for field in fields(mount):
        value = getattr(mount, field.name)
        if field.name == "name" or value is None or value == ():
            continue
        name = field.name.replace("_", "-")
        told[name] = str(value) if isinstance(value, (Path, Fraction)) else value
    return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}


def _toml(value: object) -> str:
    """A value in TOML, whose texts, numbers, truth values and lists are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
