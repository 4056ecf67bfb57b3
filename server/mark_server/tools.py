"""The MCP server: four read-only tools, documents as resources, reader policies as prompts.

With the HTTP surface the only place that knows MCP. The low-level server of the SDK is used because the
schemas, the error texts and the text-only results are ours to the letter (docs/decisions/0004).
"""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.server.caching import CacheHint
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
from mark_server.arguments import Arguments, ToolName, checked
from mark_server.calls import call
from mark_server.checks import ArgumentError, shown
from mark_server.descriptions import DESCRIPTIONS, INSTRUCTIONS
from mark_server.desk import Desk
from mark_server.offers import Offers
from mark_server.remembered import Remembered
from mark_server.reporting import reporting
from mark_server.served import Context, OpenDesk, desk_for

_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
# The lists change with a release only; a client may keep them for an hour.
_LIST_HINT = CacheHint(ttl_ms=3_600_000, scope="public")


def tool_list() -> list[Tool]:
    """The answer to `tools/list`."""
    return [
        Tool(name=name, description=text, input_schema=schema, annotations=_READ_ONLY)
        for name, (text, schema) in DESCRIPTIONS.items()
    ]


async def _told(desk: Desk, arguments: Arguments, remembered: Remembered | None) -> tuple[str, bool]:
    """Give the text of a result, and whether it is an error."""
    try:
        return await call(desk, arguments, remembered), False
    except ArgumentError as error:
        return str(error), True


def build_server(open_desk: OpenDesk, remembered: Remembered | None = None) -> Server[Any]:
    """Wire tools, resources and prompts to a desk that is opened by the first call that needs it."""

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tool_list())

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in DESCRIPTIONS:
            known = ", ".join(DESCRIPTIONS)
            raise MCPError(INVALID_PARAMS, f"unknown tool {shown(params.name)}; the tools are {known}")
        name: ToolName = params.name  # type: ignore[assignment]  # a key of DESCRIPTIONS, all of which are tool names
        try:
            arguments = checked(name, params.arguments or {})
            desk = await desk_for(context, open_desk)
        except ArgumentError as error:
            text, wrong = str(error), True
        else:
            async with reporting(context, desk):
                text, wrong = await _told(desk, arguments, remembered)
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=wrong)

    offers = Offers(open_desk)
    return Server(
        "marklookup",
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints=dict.fromkeys(
            ("tools/list", "prompts/list", "resources/list", "resources/templates/list"), _LIST_HINT
        ),
        # No argument of ours comes from a header; the SDK would else look through a schema at each call.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=offers.list_resources,
        on_list_resource_templates=offers.list_templates,
        on_read_resource=offers.read_resource,
        on_list_prompts=offers.list_prompts,
        on_get_prompt=offers.get_prompt,
        on_completion=offers.complete,
    )
