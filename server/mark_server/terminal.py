"""What the command line writes: results as UTF-8 whatever the terminal's encoding, errors on one line.

A result is the tool's, byte for byte, so it is never encoded anew. What is written is decided elsewhere.
"""

from __future__ import annotations

from typing import NoReturn

import click

from mark_expand import one_line


def put(text: str) -> None:
    """Write a result to standard output; a reader that has gone away ends the command quietly."""
    click.echo(text.encode("utf-8", errors="replace"), nl=False)


def warn(line: str) -> None:
    """Write one line to standard error."""
    click.echo(one_line(line).encode("utf-8", errors="replace"), err=True)


def fail(line: str, code: int = 1) -> NoReturn:
    """Say on one line what went wrong, and leave with this exit code."""
    warn(f"marklookup: {line}")
    raise SystemExit(code)
