"""`marklookup token`: makes tokens for those who call over HTTP, tells of them, and takes them back.

Imports only click at the top; what runs is `token_keeping`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mark_server.options import tokens_option


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of those who may call over HTTP."""


@token.command()
@click.option("--name", required=True, help="Who calls, for logs.")
@click.option(
    "--paths",
    multiple=True,
    default=("/**",),
    show_default="everything",
    metavar="PATTERN",
    help="What the token lets read, like `/docs/**`; repeatable.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    help="2027-01-31, 2027-01-31T12:00:00Z, or 90d; never when not given.",
)
@tokens_option
def new(name: str, paths: tuple[str, ...], expires: str | None, tokens: Path, **_given: Any) -> None:
    """Make a token, print it this once, and add its entry to the file."""
    from mark_server.token_keeping import make  # noqa: PLC0415 - not needed for --help

    make(tokens, name, paths, expires)


@token.command(name="list")
@tokens_option
def list_(tokens: Path, **_given: Any) -> None:
    """List names, paths and expiry; never tokens or their hashes."""
    from mark_server.token_keeping import tell  # noqa: PLC0415 - not needed for --help

    tell(tokens)


@token.command()
@click.argument("name")
@tokens_option
def revoke(name: str, tokens: Path, **_given: Any) -> None:
    """Take the entry NAME out of the file; a server refuses its token at once."""
    from mark_server.token_keeping import revoke as taken_out  # noqa: PLC0415 - not needed for --help

    taken_out(tokens, name)
