"""Runs `marklookup explain`: looks up, makes the account, and prints or writes it.

Options and help are `command`'s; the lookup is the tool's own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mark_server import __version__
from mark_server.evidence.errors import BadFile, Taken
from mark_server.evidence.errors import explain as explain_file
from mark_server.evidence.files import claim, write_new, write_over
from mark_server.explanation.account import Account, account
from mark_server.explanation.wording import summary
from mark_server.running import put_json, traced
from mark_server.terminal import fail, put


def explain_lookup(given: dict[str, Any], html: Path | None, *, force: bool, as_json: bool) -> None:
    """Print where a budget went, or write a page that says so; exit code 1 when it cannot be written."""
    if html is not None and not force:
        _claim(html)
    found = traced(given, "explain")
    made = account(found.asked, found.trace, found.told)
    if html is not None:
        _write(html, made, force=force)
    if as_json:
        put_json(made.as_dict())
    elif html is not None:
        put(f"{html}: {summary(made)}\n")
    else:
        from mark_server.explanation.screen import screen  # noqa: PLC0415 - rich is for a terminal alone

        put(screen(made, colour=sys.stdout.isatty()))


def _claim(file: Path) -> None:
    try:
        claim([file])
    except (BadFile, Taken) as error:
        _refuse(error)


def _write(file: Path, made: Account, *, force: bool) -> None:
    from mark_server.explanation.page import page  # noqa: PLC0415 - not needed in a terminal

    data = page(made, __version__).encode()
    try:
        (write_over if force else write_new)(file, data)
    except (BadFile, Taken) as error:
        _refuse(error)


def _refuse(error: BadFile | Taken) -> None:
    if isinstance(error, Taken):
        fail(f"{error.file} exists; choose another name, or give --force")
    fail(explain_file(error))
