"""A scripted chat endpoint on loopback: real sockets and real HTTP, answers as a test says."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketAttribute, SocketStream

Script = Callable[["Asked"], bytes | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its first line, its headers and what was sent."""

    line: str
    headers: dict[str, str]
    body: dict[str, object]

    @property
    def texts(self) -> list[dict[str, str]]:
        """The texts that the model is asked to rate."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        found = json.loads(messages[-1]["content"])["texts"]
        assert isinstance(found, list)
        return found


@dataclass(slots=True)
class Endpoint:
    """Where it listens, and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


def completion(content: object) -> bytes:
    """The answer of an endpoint whose model said `content`."""
    return answer(json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode())


def answer(body: bytes, status: str = "200 OK") -> bytes:
    """An HTTP response."""
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body


@asynccontextmanager
async def listening(script: Script) -> AsyncIterator[Endpoint]:
    """Listen on loopback; `script` gives the bytes of each response, None to say nothing."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    facts = listener.extra
    endpoint = Endpoint(f"http://127.0.0.1:{facts(SocketAttribute.local_port)}/v1")

    async def serve(stream: SocketStream) -> None:
        async with stream:
            asked = await _request(stream)
            endpoint.asked.append(asked)
            said = script(asked)
            if said is None:
                with anyio.move_on_after(30):
                    await _until_gone(stream)
            else:
                await stream.send(said)

    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield endpoint
        group.cancel_scope.cancel()


async def _request(stream: SocketStream) -> Asked:
    data = b""
    while b"\r\n\r\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in rest)}
    while len(body) < int(headers["content-length"]):
        body += await stream.receive()
    return Asked(line, headers, json.loads(body))


async def _until_gone(stream: SocketStream) -> None:
    try:
        while True:
            await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return
