"""Answers as the protocol put them, given again to a request that differs from an earlier one in its id.

The SDK takes several times the processor that it takes to find out whether a remembered answer holds. So what
it made of one is kept, and `remembered` asks the store about it each time. Which requests are sound, and what
their answers look like, is the SDK's alone: whatever it has not answered before goes to it.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mark_server.arguments import ToolName, checked
from mark_server.metrics import Metrics, Seen
from mark_server.remembered import Kept, Met, Remembered
from mark_server.standard_input import sound_line
from mark_store import StoreError

_MOST_BYTES = 16 << 20
# Of one request; what is longer is rarely sent twice.
_LONGEST = 16 << 10
_LARGEST_ID = 1 << 53  # beyond it JSON readers differ
_LONGEST_ID = 100
_DELETE = "\x7f"  # written as it is by one, escaped by another
# What an entry takes beside its texts.
_OVERHEAD = 1 << 10
# With `mcp-…` all that the protocol reads of a request's headers.
_READ = (b"accept", b"content-type")

_Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call: what tells it from others, its id, and what it asks for."""

    key: Hashable
    id: int | str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer without its id, the remembered text that it shows, and how it was counted."""

    headers: _Headers
    tail: bytes
    kept: Kept
    seen: Seen
    size: int


class Verbatim:
    """The protocol as an ASGI application, and its answers of late, `most` bytes of them."""

    def __init__(
        self, protocol: ASGIApp, remembered: Remembered, metrics: Metrics, most: int = _MOST_BYTES
    ) -> None:
        self._protocol = protocol
        self._remembered = remembered
        self._metrics = metrics
        self._most = most
        self._said: OrderedDict[Hashable, _Said] = OrderedDict()
        self._met = Met()
        self._size = 0

    async def again(self, scope: Scope, body: bytes, send: Send) -> bool:
        """Answer a request that was read whole, where that needs no protocol; whether it did."""
        started = time.perf_counter()
        asked = _asked(scope, body)
        if asked is None or self._met.first(asked.key):
            return False
        said = self._said.get(asked.key)
        if said is None or not await self._stands(said):
            self._drop(asked.key)
            scope["state"]["asked"] = asked
            return False
        answer = _head(asked.id) + said.tail
        scope["state"]["seen"] = said.seen
        self._metrics.called(said.seen, time.perf_counter() - started, asked.params)
        length = (b"content-length", str(len(answer)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [*said.headers, length]})
        await send({"type": "http.response.body", "body": answer})
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the protocol answer, and keep what it says to a call that was met before."""
        asked: _Asked | None = scope["state"].get("asked")
        if asked is None:
            await self._protocol(scope, receive, send)
            return
        headers: _Headers = ()
        answer = bytearray()

        async def heard(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start":
                headers = tuple(each for each in message["headers"] if each[0] != b"content-length")
            answer.extend(message.get("body", b""))
            await send(message)

        await self._protocol(scope, receive, heard)
        self._learn(asked, scope, headers, bytes(answer))

    async def _stands(self, said: _Said) -> bool:
        try:
            return await self._remembered.stands(said.kept)
        except StoreError:
            return False  # the protocol's answer will say what is wrong

    def _learn(self, asked: _Asked, scope: Scope, headers: _Headers, answer: bytes) -> None:
        """Keep an answer whose text is one that is remembered, and nothing else."""
        seen: Seen | None = scope["state"].get("seen")
        head = _head(asked.id)
        if seen is None or seen["outcome"] != "ok" or not answer.startswith(head):
            return
        tool: ToolName = asked.params["name"]
        arguments = checked(tool, asked.params.get("arguments") or {})
        kept = self._remembered.kept(scope["state"]["caller"].reader, arguments)
        if kept is not None and _texts(answer) == [kept.text]:
            tail = answer[len(head) :]
            size = len(tail) + len(repr(asked.key)) + kept.size + _OVERHEAD
            self._drop(asked.key)
            self._said[asked.key] = _Said(headers, tail, kept, seen, size)
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._said)))

    def _drop(self, key: Hashable) -> None:
        said = self._said.pop(key, None)
        self._size -= said.size if said else 0


def _asked(scope: Scope, body: bytes) -> _Asked | None:
    """Read a call of a tool that wants no progress; None for all else."""
    if len(body) > _LONGEST or b"progressToken" in body:
        return None
    try:
        message = json.loads(sound_line(body))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    name, params = message.pop("id", None), message.get("params")
    if not _is_plain(name) or not isinstance(params, dict):
        return None
    read = tuple(each for each in scope["headers"] if each[0] in _READ or each[0].startswith(b"mcp-"))
    return _Asked((scope["state"]["caller"].reader, read, repr(message)), name, params)


def _is_plain(name: object) -> bool:
    """Whether an id has one form in JSON, however it is written."""
    if isinstance(name, str):
        return name.isascii() and _DELETE not in name and len(name) <= _LONGEST_ID
    return isinstance(name, int) and not isinstance(name, bool) and abs(name) <= _LARGEST_ID


def _head(name: int | str) -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"result":' % json.dumps(name).encode()


def _texts(answer: bytes) -> list[str]:
    content: Iterable[Mapping[str, str]] = json.loads(answer)["result"]["content"]
    return [part["text"] for part in content]
