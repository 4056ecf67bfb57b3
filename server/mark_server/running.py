"""Runs one command: opens the store, makes the same call that a tool makes, and prints what it gives.

Options and help are `cli`'s, which imports this file only when a command runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio

from mark_expand import Trace, one_line
from mark_outline import UnknownEncoding, encode, front_matter, outline
from mark_server.addresses import CannotListen
from mark_server.arguments import LookupArguments, ToolName, checked, lookup_arguments
from mark_server.calls import call, call_traced
from mark_server.checks import ArgumentError
from mark_server.choosing import check_policy
from mark_server.envelope import Pair
from mark_server.keys import KEYS
from mark_server.naming import mounts_of, named
from mark_server.opening import at_desk, folders_of, open_folder
from mark_server.settings import Settings
from mark_server.statuses import explain
from mark_server.terminal import fail, put, warn
from mark_store import BadQuery, StoreError, Verification

_Given = dict[str, Any]
_Made = TypeVar("_Made")

WRONG_USAGE = 2
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Traced:
    """A lookup that spent a budget: what was asked, each decision, and what the envelope says."""

    asked: LookupArguments
    trace: Trace
    told: tuple[Pair, ...]


def print_result(tool: ToolName, given: _Given) -> None:
    """Print a tool's result; a status other than ok is exit code 1."""

    async def answer() -> str:
        settings, arguments = _settings(given), checked(tool, given)
        return await at_desk(settings, lambda desk: call(desk, arguments))

    text = run(answer)
    put(text)
    if not text.startswith("status: ok\n"):
        raise SystemExit(1)


def print_trace(given: _Given) -> None:
    """Print the decisions of a budgeted lookup as JSON."""
    put_json(traced(given, "--json").trace.as_dict())


def traced(given: _Given, asker: str) -> Traced:
    """Look up with a budget and keep what became of it; `asker` is what needs a budget."""

    async def look_up() -> Traced:
        settings, arguments = _settings(given), lookup_arguments(given)
        if arguments.is_budgeted:
            answer = await at_desk(settings, lambda desk: call_traced(desk, arguments))
            if answer.trace is not None:
                return Traced(arguments, answer.trace, answer.told)
        raise ArgumentError(f"{asker} needs a budget, whose spending it shows; for example --budget 1500")

    return run(look_up)


def put_json(value: object) -> None:
    """Print a value as JSON."""
    put(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_outline(file: Path) -> None:
    """Print the headings of a file."""
    try:
        text = file.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        fail(f"{file}: {error.strerror or error}; give a markdown file that can be read")
    put(outline(front_matter(text).body).render() or "(document has no headings)\n")


def run_server(given: _Given) -> None:
    """Serve as the options say: to one client over standard input and output, or over HTTP, or QUIC."""

    async def serve() -> None:
        # Each brings in what only it needs: the SDK takes half a second.
        settings = answering_settings(given["store"], given)
        if settings.mark is not None and settings.http is not None:
            raise ArgumentError("a server has one of --mark and --http; start one for each")
        if settings.mark is not None:
            from mark_server.known_callers import known_callers  # noqa: PLC0415 - only this server needs it
            from mark_server.mark_serving import publication_of, serve_mark  # noqa: PLC0415 - QUIC is heavy

            publication = publication_of(settings.mark, settings.cert, settings.key)
            await serve_mark(settings, publication, known_callers(settings, warn))
        elif settings.http is None:
            from mark_server.serving import serve_stdio  # noqa: PLC0415 - only this server needs it

            await serve_stdio(settings)
        else:
            from mark_server.listening import Web, serve_http  # noqa: PLC0415 - only this server needs it

            await serve_http(settings, Web.of(settings, settings.http))

    run(serve)


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
    except CannotListen as error:
        fail(str(error))


def print_verification(given: _Given) -> None:
    """Print what each version log holds and what is wrong with it; exit code 1 when anything is."""

    async def verify() -> list[Verification]:
        found = []
        for settings in folders_of(_settings(given)):
            async with open_folder(settings) as store:
                found.append(await store.verify())
        return found

    every = run(verify)
    for found in every:
        _print_verified(found)
    if any(found.findings for found in every):
        raise SystemExit(1)


def _print_verified(found: Verification) -> None:
    for finding in found.findings:
        where = f"{encode(finding.path)}/v{finding.version}" if finding.version else "the log"
        put(f"{where}: {one_line(finding.text)}\n")
    put(
        f"{found.documents} documents, {found.versions} versions ({found.pruned} pruned), "
        f"{len(found.findings)} findings, head {found.head}\n"
    )


def settings_of(store: str | tuple[str, ...] | None, given: _Given, patience: float = 1.0) -> Settings:
    """Make settings of the options of a command; stores that are named stand before those of the file."""
    values = {key.parameter: given[key.parameter] for key in KEYS if key.parameter in given}
    addresses = (store,) if isinstance(store, str) else store or ()
    one = addresses[0] if len(addresses) == 1 and not named(addresses[0])[0] else ""
    stores = () if one else mounts_of(addresses) or given["config"].stores
    values |= {"store": one or ".", "ignore": not values.pop("no_ignore"), "patience": patience}
    return Settings(**values, stores=stores, predicates=given["config"].predicates)


def answering_settings(store: str | None, given: _Given, patience: float = 1.0) -> Settings:
    """Make settings of the options of a command that answers lookups.

    Raises:
        ArgumentError: The policy cannot keep the limits of the stores.
    """
    settings = settings_of(store, given, patience)
    check_policy(settings)
    return settings


def _settings(given: _Given) -> Settings:
    # A person waits for a complete answer; a client of a server is told how far indexing is.
    return answering_settings(given["store"], given, patience=math.inf)
