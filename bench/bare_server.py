"""The least server that the SDK can make: what any of them costs before it does something.

Run as `python -m bench.bare_server`; it imports what `marklookup serve` must import of the SDK, and no more.
"""

from __future__ import annotations

from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

TOOL = "echo"


async def list_tools(
    _context: ServerRequestContext[Any], _page: PaginatedRequestParams | None
) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name=TOOL, description="Say ok.", input_schema={"type": "object"})])


async def call_tool(_context: ServerRequestContext[Any], _call: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="ok")])


async def main() -> None:
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
