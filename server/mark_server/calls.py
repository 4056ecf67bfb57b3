"""Tool calls: a name and raw arguments in, one text out, the same for every surface.

Arguments are checked, the tool runs, and what the store refuses becomes an envelope. Only an argument error
leaves as an exception; how it is shown is the surface's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, assert_never

from mark_server.arguments import (
    ArgumentError,
    fetch_arguments,
    list_arguments,
    lookup_arguments,
    versions_arguments,
)
from mark_server.desk import Desk
from mark_server.fetch import fetch
from mark_server.listing import listing, versions
from mark_server.lookup import Answer, lookup
from mark_server.statuses import explain, failure
from mark_store import BadQuery, StoreError

ToolName = Literal["mark_lookup", "mark_fetch", "mark_list", "mark_versions"]


async def call(desk: Desk, tool: ToolName, given: Mapping[str, Any]) -> str:
    """Run one tool.

    Raises:
        ArgumentError: An argument is missing, out of range, or names no section; one line.
    """
    try:
        return await _run(desk, tool, given)
    except BadQuery as error:
        raise ArgumentError(explain(error)) from error
    except StoreError as error:
        return failure(error)


async def call_traced(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Run `mark_lookup` and keep the trace beside the text.

    Raises:
        ArgumentError: An argument is missing or out of range; one line.
        StoreError: The store cannot answer.
    """
    await desk.ready(desk.settings.patience)
    return await lookup(desk, lookup_arguments(given))


async def _run(desk: Desk, tool: ToolName, given: Mapping[str, Any]) -> str:
    await desk.ready(desk.settings.patience)
    match tool:
        case "mark_lookup":
            return (await lookup(desk, lookup_arguments(given))).text
        case "mark_fetch":
            return await fetch(desk, fetch_arguments(given))
        case "mark_list":
            return await listing(desk, list_arguments(given))
        case "mark_versions":
            return await versions(desk, versions_arguments(given))
        case _:
            assert_never(tool)
