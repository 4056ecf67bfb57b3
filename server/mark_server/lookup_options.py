"""The arguments of `mark_lookup` as options, for each command that looks something up.

Imports only click, so that `--help` stays quick; values are checked by `arguments`, as those of a tool are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]

_OPTIONS = (
    click.argument("query"),
    click.option(
        "--url", default="/", show_default=True, help="Scope: a document, or everything under a folder."
    ),
    click.option("--filter", default="", help="key=value,… all of which must hold."),
    click.option("--limit", metavar="N", show_default="10", help="Rows, 1 to 1000."),
    click.option("--offset", metavar="N", default="0", show_default=True, help="First row, counted from 0."),
    click.option("--match", default="body", show_default=True, help="body (text) or catalog (title, tags)."),
    click.option(
        "--budget",
        metavar="N",
        default="0",
        show_default="table only",
        help="Tokens for the result: table and text.",
    ),
    click.option(
        "--detail",
        default="sections",
        show_default=True,
        help="sections, excerpts (compact) or full (documents).",
    ),
    click.option("--verbose", is_flag=True, help="Full table, and all keys above it."),
)


def lookup_options(command: Command) -> Command:
    """Add the query and the options that say how it is looked up."""
    # The last one that is added stands first in the help.
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
