"""The options of `marklookup serve --http`, and what they become.

Imports only click at the top, so that `--help` stays quick; what they mean is `listening`'s and `bounds`'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mark_server.options import Command

if TYPE_CHECKING:
    from mark_server.listening import Web

# The last one stands first in the help.
_OPTIONS = (
    click.option(
        "--log-level",
        envvar="MARKLOOKUP_LOG_LEVEL",
        default="info",
        show_default=True,
        type=click.Choice(["debug", "info", "warning", "error"]),
        help="With --http: what is told on standard error.",
    ),
    click.option(
        "--limit-seconds",
        envvar="MARKLOOKUP_LIMIT_SECONDS",
        default=60.0,
        show_default=True,
        metavar="N",
        type=click.FloatRange(0.1),
        help="With --http: longest call; a longer one gets 503.",
    ),
    click.option(
        "--limit-body",
        envvar="MARKLOOKUP_LIMIT_BODY",
        default=1 << 20,
        show_default=True,
        metavar="BYTES",
        type=click.IntRange(1),
        help="With --http: largest request; a larger one gets 413.",
    ),
    click.option(
        "--limit-calls",
        envvar="MARKLOOKUP_LIMIT_CALLS",
        default=256,
        show_default=True,
        metavar="N",
        type=click.IntRange(1),
        help="With --http: calls at once; one more gets 503.",
    ),
    click.option(
        "--limit-rate",
        envvar="MARKLOOKUP_LIMIT_RATE",
        metavar="N",
        type=click.IntRange(1),
        help="With --http: calls a minute of one caller; one more gets 429. Any number when not given.",
    ),
    click.option(
        "--public-url",
        envvar="MARKLOOKUP_PUBLIC_URL",
        default="",
        metavar="URL",
        help="With --http: the root under which clients know this server, such as https://docs.example.",
    ),
    click.option(
        "--allow-origin",
        "origins",
        multiple=True,
        metavar="URL",
        help="With --http: let pages of this origin call; repeatable.",
    ),
    click.option(
        "--allow-host",
        "hosts",
        multiple=True,
        metavar="NAME",
        help="With --http: answer to this name, too (NAME or NAME:PORT); repeatable.",
    ),
    click.option(
        "--http",
        envvar="MARKLOOKUP_HTTP",
        metavar="HOST:PORT",
        help="Serve over HTTP at http://HOST:PORT/mcp instead of standard input and output.",
    ),
)

_NAMES = ("http", "hosts", "origins", "public_url", "log_level")
_LIMITS = ("limit_rate", "limit_calls", "limit_body", "limit_seconds")


def http_options(command: Command) -> Command:
    """Add the options of the HTTP surface."""
    for option in _OPTIONS:
        command = option(command)
    return command


def web_of(given: dict[str, Any]) -> Web | None:
    """Take the options of the HTTP surface out of `given`; None when it is not asked for.

    Raises:
        ArgumentError: The address is none.
    """
    named = {name: given.pop(name) for name in _NAMES}
    rate, calls, body, seconds = (given.pop(name) for name in _LIMITS)
    if named["http"] is None:
        return None
    from mark_server.addresses import address  # noqa: PLC0415 - not needed for --help
    from mark_server.bounds import Bounds  # noqa: PLC0415 - not needed for --help
    from mark_server.listening import Web  # noqa: PLC0415 - the SDK takes half a second

    bounds = Bounds(rate=rate, calls=calls, body=body, call_seconds=seconds)
    where = address(named["http"])
    return Web(where, named["hosts"], named["origins"], named["public_url"], bounds, named["log_level"])
