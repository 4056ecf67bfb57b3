"""The options that every command with a store takes, made from the table of settings (`keys`).

An option comes before its variable, that before the file, that before the default: click's own order, with
the file as its map of defaults. Imports only click, so that `--help` stays quick; what the options mean is
`settings`' and `running`'s.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mark_server.keys import KEYS, Key

if TYPE_CHECKING:
    from mark_server.configuration import Configuration

Command = Callable[..., Any]
_WRONG_USAGE = 2


class Refused(click.ClickException):
    """A value that is not allowed: one line and exit code 2, wherever the value came from."""

    exit_code = _WRONG_USAGE

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's own signature
        """Print the line."""
        from mark_server.terminal import warn  # noqa: PLC0415 - not needed for --help

        warn(f"marklookup: {self.message}")


class _Setting(click.ParamType[Any]):
    """Values of one row of the table; those of the file were read and checked with it."""

    envvar_list_splitter = ","

    def __init__(self, key: Key) -> None:
        self.name = key.name
        self._key = key

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value from the text of an option or variable."""
        name = param.name if param else None
        source = ctx.get_parameter_source(name) if ctx and name else None
        if source in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP) or not isinstance(value, str):
            return value
        kind = self._key.kind
        try:
            return kind.accept(kind.parse(value.strip() if kind.several else value))
        except ValueError:
            raise self._wrong(value, source) from None

    def _wrong(self, value: str, source: ParameterSource | None) -> Refused:
        from mark_server.checks import shown  # noqa: PLC0415 - not needed for --help

        place = f"{self._key.variable}: " if source is ParameterSource.ENVIRONMENT else ""
        return Refused(place + self._key.kind.wrong(self._key.name, shown(value)))


class _Flag(_Setting, click.types.BoolParamType):
    """A row that is true or false: click makes an option without a value of it."""


def _read_file(ctx: click.Context, _param: click.Parameter, named: Path | None) -> Configuration | None:
    """Read the settings file before any other option is looked at, and let it stand behind them."""
    if ctx.resilient_parsing:
        return None
    from mark_server.checks import ArgumentError  # noqa: PLC0415 - not needed for --help
    from mark_server.configuration import configured  # noqa: PLC0415 - not needed for --help

    try:
        configuration = configured(named)
    except ArgumentError as error:
        raise Refused(str(error)) from None
    # A parameter that is no setting may have the name of one.
    others = {each.name for each in ctx.command.params if not isinstance(each.type, _Setting)}
    ctx.default_map = {name: value for name, value in configuration.values.items() if name not in others}
    return configuration


_CONFIG = click.option(
    "--config",
    envvar="MARKLOOKUP_CONFIG",
    type=click.Path(path_type=Path),
    metavar="FILE",
    is_eager=True,
    callback=_read_file,
    help="Settings file; else the marklookup.toml in this folder or the nearest above it.",
)


def _option(key: Key) -> Callable[[Command], Command]:
    shown: bool | str = key.shown or key.default not in (None, False, ())
    if key.kind.flag:
        return click.option(
            f"--{key.name}",
            key.parameter,
            is_flag=True,
            envvar=key.variable,
            type=_Flag(key),
            help=key.help,
        )
    return click.option(
        f"--{key.name}",
        key.parameter,
        envvar=key.variable,
        multiple=key.kind.several,
        default=key.default,
        show_default=shown,
        type=_Setting(key),
        metavar=key.kind.metavar,
        help=key.help,
    )


def _with(command: Command, keys: list[Key]) -> Command:
    # The last one that is added stands first in the help.
    for key in reversed(keys):
        command = _option(key)(command)
    return command


def settings_options(command: Command) -> Command:
    """Add the options that every command with a store takes."""
    return _with(_CONFIG(command), [key for key in KEYS if not key.serving and key.name != "store"])


def store_option(command: Command) -> Command:
    """Add `--store` alone."""
    return _with(command, [key for key in KEYS if key.name == "store"])


def store_options(command: Command) -> Command:
    """Add `--store` and the options that go with it."""
    return store_option(settings_options(command))


def serving_options(command: Command) -> Command:
    """Add the options of a server and the options that go with them."""
    return _with(settings_options(command), [key for key in KEYS if key.serving])


def tokens_option(command: Command) -> Command:
    """Add `--file`, the token file, which a server is told with `--tokens`."""
    (key,) = [key for key in KEYS if key.name == "tokens"]
    option = click.option(
        "--file",
        key.parameter,
        envvar=key.variable,
        default=Path("tokens.toml"),
        show_default=True,
        type=_Setting(key),
        metavar=key.kind.metavar,
        help="The token file; `-` for the terminal, to add the entry by hand.",
    )
    return option(_CONFIG(command))


def folder_argument(command: Command) -> Command:
    """Add the store as an argument."""
    (key,) = [key for key in KEYS if key.name == "store"]
    return click.argument(
        "store", required=False, envvar=key.variable, type=_Setting(key), metavar="[FOLDER]"
    )(command)


def stores_argument(command: Command) -> Command:
    """Add one store or several as arguments, `store` then being a tuple of them."""
    (key,) = [key for key in KEYS if key.name == "store"]

    def read(ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> None:
        # A variable and the file's key name one: a path may hold any character that could part several.
        one = os.environ.get(key.variable) or (ctx.default_map or {}).get("store")
        ctx.params["store"] = given or ((str(one),) if one else None)

    return click.argument(
        "stores", nargs=-1, type=_Setting(key), metavar="[FOLDER|URL]...", expose_value=False, callback=read
    )(command)
