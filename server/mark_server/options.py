"""The options that every command with a store takes, and their help.

Imports only click, so that `--help` stays quick; what they mean is `settings`' and `running`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]


# The last one stands first in the help.
_SETTINGS = (
    click.option(
        "--oversized",
        envvar="MARKLOOKUP_OVERSIZED",
        default="excerpt",
        show_default=True,
        type=click.Choice(["list", "excerpt"]),
        help="What becomes of a section that does not fit.",
    ),
    click.option(
        "--hop",
        envvar="MARKLOOKUP_HOP",
        default="early",
        show_default=True,
        type=click.Choice(["early", "last", "auto"]),
        help="When related documents print: after the strongest match, after all, as the question asks.",
    ),
    click.option(
        "--page",
        envvar="MARKLOOKUP_PAGE",
        default=1000,
        show_default=True,
        metavar="N",
        type=int,
        help="Tokens of a page, 300 to 3000.",
    ),
    click.option(
        "--limit-files",
        "most_files",
        type=click.IntRange(1),
        metavar="N",
        envvar="MARKLOOKUP_LIMIT_FILES",
        default=100_000,
        show_default=True,
        help="More markdown files than this are refused.",
    ),
    click.option(
        "--keep",
        type=click.IntRange(1),
        metavar="N",
        envvar="MARKLOOKUP_KEEP",
        help="Versions of each document whose text is kept; all when not given.",
    ),
    click.option(
        "--poll",
        type=click.FloatRange(0.01),
        metavar="SECONDS",
        envvar="MARKLOOKUP_POLL",
        help="Look at the whole folder so often, where the system tells of no changes (network mounts).",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out files like `drafts/**`; repeatable.",
    ),
    click.option(
        "--include", multiple=True, metavar="PATTERN", help="Read only files like `docs/**`; repeatable."
    ),
    click.option("--no-ignore", is_flag=True, help="Read what .gitignore files name, too."),
    click.option(
        "--data",
        envvar="MARKLOOKUP_DATA",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        show_envvar=True,
        help="Where indexes and versions are kept; never inside the folder that is read.",
    ),
    click.option(
        "--encoding",
        envvar="MARKLOOKUP_ENCODING",
        default="o200k_base",
        show_default=True,
        show_envvar=True,
        type=click.Choice(["o200k_base", "cl100k_base", "bytes"]),
        help="Unit of budgets.",
    ),
)


def settings_options(command: Command) -> Command:
    """Add the options that every command with a store takes."""
    for option in _SETTINGS:
        command = option(command)
    return command


def store_options(command: Command) -> Command:
    """Add `--store` and the options that go with it."""
    option = click.option(
        "--store",
        envvar="MARKLOOKUP_STORE",
        default=".",
        show_default="the working folder",
        show_envvar=True,
        metavar="FOLDER",
        help="Folder of markdown to read.",
    )
    return option(settings_options(command))
