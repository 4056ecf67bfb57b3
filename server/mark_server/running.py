"""Runs one command: opens the store, makes the same call that a tool makes, and prints what it gives.

Options and help are `cli`'s, which imports this file only when a command runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio

from mark_expand import one_line
from mark_outline import UnknownEncoding, encode, front_matter, outline
from mark_server.arguments import ToolName, checked, lookup_arguments
from mark_server.calls import call, call_traced
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.opening import open_desk, open_folder
from mark_server.settings import Settings
from mark_server.statuses import explain
from mark_server.terminal import fail, put
from mark_store import BadQuery, StoreError, Verification

_Given = dict[str, Any]
_Made = TypeVar("_Made")

WRONG_USAGE = 2
INTERRUPTED = 130


def print_result(tool: ToolName, given: _Given) -> None:
    """Print a tool's result; a status other than ok is exit code 1."""

    async def answer() -> str:
        settings, arguments = _settings(given), checked(tool, given)
        return await _at_desk(settings, lambda desk: call(desk, arguments))

    text = run(answer)
    put(text)
    if not text.startswith("status: ok\n"):
        raise SystemExit(1)


def print_trace(given: _Given) -> None:
    """Print the decisions of a budgeted lookup as JSON."""

    async def trace() -> object:
        settings, arguments = _settings(given), lookup_arguments(given)
        answer = await _at_desk(settings, lambda desk: call_traced(desk, arguments))
        if answer.trace is None:
            raise ArgumentError("--json needs a budget, whose spending it shows; for example --budget 1500")
        return answer.trace.as_dict()

    put(json.dumps(run(trace), ensure_ascii=False, indent=2) + "\n")


def print_outline(file: Path) -> None:
    """Print the headings of a file."""
    try:
        text = file.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        fail(f"{file}: {error.strerror or error}; give a markdown file that can be read")
    put(outline(front_matter(text).body).render() or "(document has no headings)\n")


def run(task: Callable[[], Awaitable[_Made]]) -> _Made:
    """Run one command; what it may raise by design becomes one line and exit code 1 (2: wrong argument)."""
    try:
        return anyio.run(task)
    except (ArgumentError, UnknownEncoding) as error:
        fail(str(error), WRONG_USAGE)
    except BadQuery as error:
        fail(explain(error), WRONG_USAGE)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except StoreError as error:
        fail(explain(error))


def print_verification(given: _Given) -> None:
    """Print what the version log holds and what is wrong with it; exit code 1 when anything is."""

    async def verify() -> Verification:
        async with open_folder(_settings(given)) as store:
            return await store.verify()

    found = run(verify)
    for finding in found.findings:
        where = f"{encode(finding.path)}/v{finding.version}" if finding.version else "the log"
        put(f"{where}: {one_line(finding.text)}\n")
    put(
        f"{found.documents} documents, {found.versions} versions ({found.pruned} pruned), "
        f"{len(found.findings)} findings, head {found.head}\n"
    )
    if found.findings:
        raise SystemExit(1)


def settings_of(store: str, given: _Given, patience: float = 1.0) -> Settings:
    """Read the options that every command with a store takes."""
    return Settings(
        store=store,
        encoding=given["encoding"],
        patience=patience,
        data=given["data"],
        ignore=not given["no_ignore"],
        include=given["include"],
        exclude=given["exclude"],
        poll=given["poll"],
        keep=given["keep"],
        most_files=given["most_files"],
        page=given["page"],
        oversized=given["oversized"],
        hop=given["hop"],
    )


def _settings(given: _Given) -> Settings:
    # A person waits for a complete answer; a client of a server is told how far indexing is.
    return settings_of(given["store"], given, patience=math.inf)


async def _at_desk(settings: Settings, action: Callable[[Desk], Awaitable[_Made]]) -> _Made:
    async with open_desk(settings) as desk:
        return await action(desk)
