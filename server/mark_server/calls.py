"""Tool calls: a name and raw arguments in, one text out, the same for every surface.

Arguments are checked before anything is opened or waited for; what the store refuses becomes an envelope.
Only an argument error leaves as an exception; how it is shown is the surface's business.
"""

from __future__ import annotations

from typing import assert_never

from mark_outline import encode
from mark_server.arguments import (
    Arguments,
    FetchArguments,
    ListArguments,
    LookupArguments,
    VersionsArguments,
)
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.fetch import fetch
from mark_server.listing import listing, versions
from mark_server.lookup import Answer, lookup
from mark_server.remembered import Remembered
from mark_server.statuses import explain, failure
from mark_store import BadQuery, NotFound, StoreError


async def call(desk: Desk, arguments: Arguments, remembered: Remembered | None = None) -> str:
    """Run the tool that takes these arguments, or give an answer again that cannot have changed.

    Raises:
        ArgumentError: An argument names no section or is none that the store understands; one line.
    """
    try:
        if remembered and desk.progress() is None:
            return await remembered.answer(desk, arguments, lambda asked: _run(asked, arguments))
        await desk.ready(desk.settings.patience)
        return await _run(desk, arguments)
    except BadQuery as error:
        raise ArgumentError(explain(error)) from error
    except NotFound as error:
        return failure(error, desk.progress()) + await _hint(desk, arguments)
    except StoreError as error:
        return failure(error, desk.progress())


async def _hint(desk: Desk, arguments: Arguments) -> str:
    """Say so where a url that is fetched names a folder."""
    if not isinstance(arguments, FetchArguments):
        return ""
    try:
        _, page = await desk.read(
            arguments.url, lambda where: desk.store.list(where.path, "", 1, reader=desk.reader)
        )
    except StoreError:
        return ""
    return f"\n{encode(page.path)} is a folder; list it instead\n"


async def call_traced(desk: Desk, arguments: LookupArguments) -> Answer:
    """Run `mark_lookup` and keep the trace beside the text.

    Raises:
        StoreError: The store cannot answer, or does not understand the filter.
    """
    await desk.ready(desk.settings.patience)
    return await lookup(desk, arguments)


async def _run(desk: Desk, arguments: Arguments) -> str:
    match arguments:
        case LookupArguments():
            return (await lookup(desk, arguments)).text
        case FetchArguments():
            return await fetch(desk, arguments)
        case ListArguments():
            return await listing(desk, arguments)
        case VersionsArguments():
            return await versions(desk, arguments)
        case _:
            assert_never(arguments)
