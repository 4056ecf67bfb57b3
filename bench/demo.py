"""`make demo`: one budgeted lookup over the fixture world, and the fetch of what did not fit.

A real MCP client session talks to a spawned server, as an agent's host would.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
QUERY = "Which decision replaced holds as leases, and what did the shelf service lose with it?"
BUDGET = 600


async def call(session: ClientSession, tool: str, **arguments: object) -> str:
    """Call a tool and give the text that a model would read."""
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    print(f"\n--- {tool}({shown})\n")
    result = await session.call_tool(tool, arguments)
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    print(text, end="")
    return text


async def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mark_server", "serve", str(FIXTURES / "decisions")],
            env={**os.environ, "MARKLOOKUP_DATA": data},
        )
        async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
            await session.initialize()
            text = await call(session, "mark_lookup", query=QUERY, budget=BUDGET)
            omitted = re.search(r"^>>> note: did not fit: (\S+)", text, re.MULTILINE)
            if omitted is None:
                raise SystemExit("the demo expects a row that did not fit; lower BUDGET in bench/demo.py")
            await call(session, "mark_fetch", url=omitted[1])


if __name__ == "__main__":
    anyio.run(main)
