"""The least HTTP server that the SDK can make: what any of them costs before it does something.

Run as `python -m bench.bare_http PORT`; without sessions and with JSON answers, as ours; one tool says ok.
"""

from __future__ import annotations

import sys

import uvicorn
from mcp.server.lowlevel import Server

from bench.bare_server import call_tool, list_tools


def main() -> None:
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False)


if __name__ == "__main__":
    main()
