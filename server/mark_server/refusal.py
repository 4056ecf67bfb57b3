"""What a request is told that never reaches the protocol: a status, and one line as a JSON-RPC error.

Who refuses, and when, is the business of the files that use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Reason = Literal["host", "origin", "method", "token", "scope", "rate", "head", "body", "slow", "busy", "time"]

_STATUS: dict[Reason, int] = {
    "host": 421,
    "origin": 403,
    "method": 405,
    "token": 401,
    "scope": 403,
    "rate": 429,
    "head": 431,
    "body": 413,
    "slow": 408,
    "busy": 503,
    "time": 503,
}
# Of the range that JSON-RPC leaves to servers.
_CODE = -32000


class Refusal(Response):
    """The answer to a request that is refused; `reason` is the word for logs and metrics."""

    media_type = "application/json"

    def __init__(self, reason: Reason, line: str, headers: Mapping[str, str] | None = None) -> None:
        self.reason = reason
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": _CODE, "message": line}}
        super().__init__(json.dumps(error, ensure_ascii=False), _STATUS[reason], headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and leave the reason where the log finds it."""
        scope["state"]["refused"] = self.reason
        await super().__call__(scope, receive, send)
