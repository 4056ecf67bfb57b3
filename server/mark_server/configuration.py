"""The settings file: found, read and checked whole; a wrong line is an error before anything is opened.

Which keys there are is `keys`', `mount`'s and `predicate_words`'; that options and variables come before the
file is `options`'.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from mark_expand import PredicateWords
from mark_server.checks import ArgumentError, shown
from mark_server.keys import KEYS
from mark_server.kinds import Kind
from mark_server.lines import Lines
from mark_server.mount import MOUNT_KEYS, NAME, Mount
from mark_server.predicate_words import check_predicate, checked_words

FILE = "marklookup.toml"
_LARGEST = 1_000_000
_STORES = "stores"
_PREDICATES = "predicates"
_SECTIONS = {key.section for key in KEYS if key.section}
# Sections whose keys are names that a user gives.
_NAMED = {_STORES, _PREDICATES}
# What a person would call a secret; such a key is told apart from one that is merely misspelled.
_SECRETS = {"token", "secret", "password", "api-key", "api_key", "key", "bearer", "auth"}
# A file that was found, in a folder that somebody else may have written, may not name just any secret.
_OWN_VARIABLES = "MARKLOOKUP_"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a settings file says: values by the parameter of their key, mounts, and words for predicates.

    `lines` are by the parameter, by `stores.NAME` and by `predicates.NAME`.
    """

    file: Path | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    stores: tuple[Mount, ...] = ()
    predicates: PredicateWords = field(default_factory=PredicateWords)


def configured(named: Path | None) -> Configuration:
    """Read the file that was named, else the one found upwards from the working folder; empty without one.

    Raises:
        ArgumentError: The file cannot be read, or something in it is wrong.
    """
    path = named or _found()
    if path is None:
        return Configuration()
    return _Reading(path.absolute(), trusted=named is not None).read()


def _found() -> Path | None:
    try:
        here = Path.cwd()
    except OSError:  # the working folder is gone
        return None
    return next((at / FILE for at in (here, *here.parents) if (at / FILE).is_file()), None)


class _Reading:
    """One file while it is checked; what is wrong names the file and, where it is known, the line."""

    def __init__(self, path: Path, *, trusted: bool) -> None:
        self._path = path
        self._folder = path.parent
        self._trusted = trusted
        self._lines = Lines("")

    def read(self) -> Configuration:
        text = self._text()
        self._lines = Lines(text)
        tables = self._parsed(text)
        values = self._section("", self._top(tables))
        for section in sorted(_SECTIONS):
            values |= self._section(section, self._table(tables, section))
        stores = tuple(self._mounts(self._table(tables, _STORES)))
        if stores and "store" in values:
            raise self._wrong(
                ("store",), "store and [stores] exclude each other; give one folder, or several by name"
            )
        words = self._words(self._table(tables, _PREDICATES))
        lines = self._numbers(values, stores, words)
        return Configuration(self._path, values, lines, stores, PredicateWords(tuple(words.items())))

    def _text(self) -> str:
        try:
            if not self._trusted and not _ours(self._path):
                raise self._wrong((), "it belongs to another user; to use it, name it: --config FILE")
            with self._path.open("rb") as file:
                raw = file.read(_LARGEST + 1)
            if len(raw) > _LARGEST:
                raise self._wrong((), "it is over 1 MB; a settings file is smaller")
            return raw.decode("utf-8-sig")
        except OSError as error:
            raise self._wrong(
                (), f"{error.strerror or error}; give a settings file that can be read"
            ) from None
        except UnicodeDecodeError:
            raise self._wrong((), "it is not UTF-8; a settings file is TOML in UTF-8") from None

    def _parsed(self, text: str) -> dict[str, object]:
        try:
            return tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise self._wrong((), f"not TOML: {error}") from None
        except (RecursionError, ValueError):
            raise self._wrong((), "not TOML: nested too deep, or a number too long") from None

    def _top(self, tables: Mapping[str, object]) -> dict[str, object]:
        return {name: value for name, value in tables.items() if name not in _SECTIONS | _NAMED}

    def _table(
        self, tables: Mapping[str, object], section: str, above: tuple[str, ...] = ()
    ) -> dict[str, object]:
        value = tables.get(section, {})
        if not isinstance(value, dict):
            place = (*above, section)
            advice = f"write [{'.'.join(place)}] on a line of its own"
            raise self._wrong(place, f"{section} is a section; {advice}")
        return value

    def _section(self, section: str, table: Mapping[str, object]) -> dict[str, object]:
        known = {key.in_file[1]: key for key in KEYS if key.section == section}
        values: dict[str, object] = {}
        for name, value in table.items():
            place = (section, name) if section else (name,)
            if name not in known:
                raise self._unknown(place, known)
            values[known[name].parameter] = self._value(place, known[name].kind, value)
        return values

    def _mounts(self, table: Mapping[str, object]) -> Iterator[Mount]:
        shares = Fraction(0)
        for name in table:
            mount = self._mount(name, self._table(table, name, (_STORES,)))
            shares += mount.share or 0
            if shares > 1:
                raise self._wrong(
                    (_STORES, name, "share"), "the shares of all stores are more than 1 together"
                )
            yield mount

    def _mount(self, name: str, table: Mapping[str, object]) -> Mount:
        if not NAME.fullmatch(name):
            allowed = "a name of lower-case letters, digits, - and _, without dot or port"
            raise self._wrong((_STORES, name), f"a store's name must be {allowed}, got {shown(name)}")
        values: dict[str, object] = {}
        for key, value in table.items():
            place = (_STORES, name, key)
            if key not in MOUNT_KEYS:
                raise self._unknown(place, MOUNT_KEYS)
            values[key.replace("-", "_")] = self._value(place, MOUNT_KEYS[key], value)
        if "address" not in values:
            raise self._wrong(
                (_STORES, name), f"[stores.{name}] needs an address: {MOUNT_KEYS['address'].allowed}"
            )
        mount = Mount(name, **values)  # type: ignore[arg-type]  # each value was checked by the kind of its key
        self._check_secrets(mount)
        return mount

    def _words(self, table: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
        """The words that ask for each predicate; those that are built in stay beside them."""
        words: dict[str, tuple[str, ...]] = {}
        for name, value in table.items():
            try:
                check_predicate(name, words)
                words[name] = checked_words(name, value)
            except ArgumentError as error:
                raise self._wrong((_PREDICATES, name), str(error)) from None
        return words

    def _check_secrets(self, mount: Mount) -> None:
        if mount.token_env and mount.token_file:
            raise self._wrong((_STORES, mount.name, "token-env"), "give either token-env or token-file")
        if self._trusted:
            return
        place = f"to read it all the same, name this file: --config {self._path}"
        if mount.token_env and not mount.token_env.startswith(_OWN_VARIABLES):
            allowed = f"a file that was only found may name variables that begin with {_OWN_VARIABLES}"
            raise self._wrong((_STORES, mount.name, "token-env"), f"{allowed}; {place}")
        if mount.token_file and not mount.token_file.resolve().is_relative_to(self._folder.resolve()):
            allowed = "a file that was only found may name token files of its own folder"
            raise self._wrong((_STORES, mount.name, "token-file"), f"{allowed}; {place}")

    def _value(self, place: tuple[str, ...], kind: Kind, value: object) -> object:
        try:
            if not kind.several:
                return self._placed(kind, kind.accept(value))
            if not isinstance(value, list):
                raise ValueError
            return tuple(kind.accept(one) for one in value)
        except ValueError:
            raise self._wrong(place, _not_allowed(place[-1], kind, value)) from None

    def _placed(self, kind: Kind, value: object) -> object:
        """A path or folder from this file, made absolute."""
        if not kind.place or "://" in str(value):
            return value
        path = Path(str(value))
        try:
            path = path.expanduser()
        except RuntimeError:
            path = Path(str(value))  # no such user: a folder that is really called so
        path = self._folder / path
        return path if isinstance(value, Path) else str(path)

    def _unknown(self, place: tuple[str, ...], known: Mapping[str, object]) -> ArgumentError:
        name = place[-1]
        if name in _SECRETS:
            where = "token-env" if place[0] == _STORES else "tokens"
            advice = f"use {where}, which names where it is kept"
            return self._wrong(place, f"{shown(name)}: no secret may stand in this file; {advice}")
        elsewhere = [key for key in KEYS if name in (key.name, key.in_file[1]) and key.section != place[0]]
        if elsewhere and place[0] != _STORES:
            section, key = elsewhere[0].in_file
            there = f"below [{section}], as {key}" if section else "at the top of the file"
            return self._wrong(place, f"unknown key {shown(name)} here; it stands {there}")
        everything = [*known, *(_SECTIONS | _NAMED if len(place) == 1 else ())]
        near = difflib.get_close_matches(name, everything, 1, 0.5)
        advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(everything))}"
        return self._wrong(place, f"unknown key {shown(name)}; {advice}")

    def _wrong(self, place: tuple[str, ...], text: str) -> ArgumentError:
        line = self._lines.of(place)
        return ArgumentError(f"{self._path}{f':{line}' if line else ''}: {text}")

    def _numbers(
        self, values: Mapping[str, object], stores: tuple[Mount, ...], words: Mapping[str, object]
    ) -> dict[str, int]:
        places = {key.parameter: tuple(filter(None, key.in_file)) for key in KEYS if key.parameter in values}
        places |= {f"stores.{mount.name}": (_STORES, mount.name) for mount in stores}
        places |= {f"{_PREDICATES}.{name}": (_PREDICATES, name) for name in words}
        found = {name: self._lines.of(place) for name, place in places.items()}
        return {name: line for name, line in found.items() if line}


def _not_allowed(name: str, kind: Kind, value: object) -> str:
    got = shown(value)
    if not kind.several:
        return kind.wrong(name, got)
    return (
        f"{name} must be a list of {kind.allowed}, got {got}; for example {name}={json.dumps([kind.example])}"
    )


def _ours(path: Path) -> bool:
    """Whether a file belongs to this user or the system; a stranger's could name secrets of this one's."""
    return not hasattr(os, "getuid") or path.stat().st_uid in (os.getuid(), 0)
