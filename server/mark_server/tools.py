"""The MCP server: four read-only tools, each answer one text.

With the HTTP surface the only place that knows MCP. The low-level server of the SDK is used because the
schemas, the error texts and the text-only results are ours to the letter (docs/decisions/0004).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from mark_server import __version__
from mark_server.arguments import ToolName, checked
from mark_server.calls import call
from mark_server.checks import ArgumentError, shown
from mark_server.descriptions import DESCRIPTIONS, INSTRUCTIONS
from mark_server.desk import Desk

_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
# The list changes with a release only; a client may keep it for an hour.
_LIST_HINT = CacheHint(ttl_ms=3_600_000, scope="public")


def tool_list() -> list[Tool]:
    """The answer to `tools/list`."""
    return [
        Tool(name=name, description=text, input_schema=schema, annotations=_READ_ONLY)
        for name, (text, schema) in DESCRIPTIONS.items()
    ]


def build_server(open_desk: Callable[[], Awaitable[Desk]]) -> Server[Any]:
    """Wire the tools to a desk that is opened by the first call that needs it."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tool_list())

    async def call_tool(_context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        if params.name not in DESCRIPTIONS:
            known = ", ".join(DESCRIPTIONS)
            raise MCPError(INVALID_PARAMS, f"unknown tool {shown(params.name)}; the tools are {known}")
        name: ToolName = params.name  # type: ignore[assignment]  # a key of DESCRIPTIONS, all of which are tool names
        try:
            arguments = checked(name, params.arguments or {})
            text, wrong = await call(await open_desk(), arguments), False
        except ArgumentError as error:
            text, wrong = str(error), True
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=wrong)

    return Server(
        "marklookup",
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": _LIST_HINT},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
