"""Answers that are given again as the protocol put them: the same bytes, and only to the same request."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from mark_server.bounds import Bounded, Bounds
from mark_server.callers import Caller
from mark_server.desk import Desk
from mark_server.metrics import Metrics
from mark_server.opening import open_desk
from mark_server.remembered import Remembered
from mark_server.settings import Settings
from mark_server.tools import build_server
from mark_server.verbatim import Verbatim
from mark_store import EVERYTHING, Reader
from tests.server.listened import JSON, listened
from tests.store.tree import age, plant
from tests.waiting import until

MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
OLD: dict[str, Any] = {"name": "mark_lookup", "arguments": {"query": "kiwi", "budget": 1500}}
ERAS = {
    "2025-11-25": ({"mcp-protocol-version": "2025-11-25"}, OLD),
    "none": ({}, OLD),
    MODERN: (
        {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "mark_lookup"},
        {**OLD, "_meta": META},
    ),
}


@dataclass
class Front:
    """The protocol behind its memory, and how often it was asked itself."""

    desk: Desk
    most: int = 1 << 20
    asked: int = 0
    reader: Reader = EVERYTHING
    client: httpx2.AsyncClient = field(init=False)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Front"]:
        async def at_once() -> Desk:
            return self.desk

        remembered, metrics = Remembered(), Metrics(self.desk.counter.count)
        server = build_server(at_once, remembered)
        server.middleware.append(metrics)
        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

        async def protocol(scope: Scope, receive: Receive, send: Send) -> None:
            self.asked += 1
            await manager.handle_request(scope, receive, send)

        verbatim = Verbatim(protocol, remembered, metrics, self.most)
        bounded = Bounded(verbatim, Bounds(), verbatim.again)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = {"caller": Caller("ann", self.reader)}
            await bounded(scope, receive, send)

        transport = httpx2.ASGITransport(app=app)
        async with manager.run(), httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
            self.client = client
            yield self

    async def send(self, era: str, name: object = 1, /, **more: Any) -> httpx2.Response:
        headers, params = ERAS[era]
        message = {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {**params, **more}}
        return await self.client.post("/mcp", content=json.dumps(message), headers={**JSON, **headers})

    async def is_known(self, era: str, name: object = 1, /, **more: Any) -> bool:
        """Whether a request is answered without the protocol."""
        before = self.asked
        await self.send(era, name, **more)
        return self.asked == before

    async def warm(self, era: str, **more: Any) -> None:
        async def known() -> bool:
            return await self.is_known(era, **more)

        await until(known)


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    plant(folder, {"/a.md": "# A\n\nkiwi and lime \u00e9\n", "/b.md": "# B\n\nkiwi kiwi\n"})
    age(folder)
    return folder


@pytest.fixture
async def front(root: Path, tmp_path: Path) -> AsyncIterator[Front]:
    async with open_desk(Settings(store=str(root), data=tmp_path / "data")) as desk:
        assert await desk.ready(30)
        async with Front(desk).opened() as front:
            yield front


@pytest.mark.proves("HT18")
@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_without_the_protocol_is_byte_for_byte_that_of_the_protocol(
    front: Front, era: str
) -> None:
    for name in (7, "seven", 0, -3, 'a"\n'):
        fresh = await front.send(era, name, other=name)
        assert fresh.status_code == 200
        await front.warm(era)
        again = await front.send(era, name)
        assert (again.status_code, dict(again.headers)) == (200, dict(fresh.headers))
        assert again.content == fresh.content
        assert await front.is_known(era, name)


@pytest.mark.proves("HT18", "HT17")
@pytest.mark.parametrize("era", ERAS)
async def test_after_a_change_the_protocol_answers_anew(front: Front, root: Path, era: str) -> None:
    for word in ("pear", "plum", "fig"):
        await front.warm(era)
        plant(root, {"/a.md": f"# A\n\nkiwi {word}\n"})
        assert f"kiwi {word}" in (await front.send(era)).text
        plant(root, {f"/{word}.md": f"# {word}\n\nkiwi\n"})
        assert f"/{word}.md" in (await front.send(era)).text
    (root / "b.md").unlink()
    assert "/b.md" not in (await front.send(era)).text


@pytest.mark.proves("HT18", "HT8")
async def test_another_reader_gets_an_answer_of_its_own(front: Front) -> None:
    await front.warm("none")
    front.reader = Reader(("/a.md",))
    for _ in range(4):
        assert "/b.md" not in (await front.send("none")).text
    front.reader = EVERYTHING
    assert "/b.md" in (await front.send("none")).text


@pytest.mark.proves("HT18")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"accept": "text/plain"}, 406),
        ({"content-type": "text/plain"}, 400),
        ({"mcp-protocol-version": "1999-01-01"}, 400),
        ({"mcp-protocol-version": MODERN}, 400),
    ],
)
async def test_what_the_protocol_refuses_is_refused_after_its_like_was_answered(
    front: Front, headers: dict[str, str], status: int
) -> None:
    await front.warm("none")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": OLD}
    for _ in range(3):
        answer = await front.client.post("/mcp", content=json.dumps(message), headers={**JSON, **headers})
        assert answer.status_code == status


@pytest.mark.proves("HT18")
@pytest.mark.parametrize("name", [None, True, 1.5, [1], 1 << 60, "x" * 200, "\u00e9", "a\x7f"])
async def test_an_id_that_is_not_plain_is_for_the_protocol(front: Front, name: object) -> None:
    await front.warm("none")
    for _ in range(3):
        assert not await front.is_known("none", name)


@pytest.mark.proves("HT18")
@pytest.mark.parametrize(
    "more",
    [
        {"_meta": {"progressToken": 1}},
        {"arguments": {"query": "kiwi", "budget": "many"}},
        {"arguments": {"query": "", "budget": 1500}},
        {"arguments": {"query": "kiwi", "url": "/none.md"}},
        {"arguments": {"query": "kiwi " * 4000}},
        {"name": "mark_nothing"},
        {"arguments": None, "name": "mark_fetch"},
    ],
)
async def test_what_is_no_finished_answer_is_never_given_again(front: Front, more: dict[str, Any]) -> None:
    for _ in range(5):
        assert not await front.is_known("2025-11-25", **more)


@pytest.mark.proves("HT18")
@pytest.mark.parametrize("body", ["", "{", "[]", "1", "[" * 9000, '{"method": "tools/call", "id": 1}', "\0"])
async def test_what_is_no_call_is_for_the_protocol(front: Front, body: str) -> None:
    for _ in range(3):
        before = front.asked
        assert (await front.client.post("/mcp", content=body, headers=JSON)).status_code == 400
        assert front.asked == before + 1


@pytest.mark.proves("HT18")
async def test_what_comes_once_is_not_kept_and_the_memory_of_answers_has_an_end(
    root: Path, tmp_path: Path
) -> None:
    async with open_desk(Settings(store=str(root), data=tmp_path / "data")) as desk:
        assert await desk.ready(30)
        async with Front(desk, most=8_000).opened() as front:
            for _ in range(3):
                for number in range(30):
                    assert not await front.is_known("none", number=number)
            assert await front.is_known("none", number=29)


@pytest.mark.proves("HT18", "HT15", "HT16")
async def test_an_answer_without_the_protocol_is_logged_and_counted_as_any(front: Front) -> None:
    async with listened(front.desk) as server, server.client() as client:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": OLD}
        for _ in range(6):
            assert (await client.post("/mcp", json=message)).status_code == 200
        figures = (await client.get("/metrics")).text
        await until(lambda: len(server.requests()) == 7)
        *told, _ = [
            {key: line[key] for key in line if key not in ("ms", "request", "time")}
            for line in server.requests()
        ]
    assert told == [told[0]] * 6
    assert (told[0]["tool"], told[0]["outcome"], told[0]["caller"]) == ("mark_lookup", "ok", "anyone")
    counted = dict(line.rsplit(" ", 1) for line in figures.splitlines() if line[0] != "#")
    assert counted['marklookup_calls_total{status="ok",tool="mark_lookup"}'] == "6.0"
    assert counted['marklookup_call_seconds_count{tool="mark_lookup"}'] == "6.0"
    assert counted["marklookup_budget_tokens_total"] == "9000.0"
    assert float(counted["marklookup_budget_used_tokens_total"]) == 6 * told[0]["tokens"]
    assert counted["marklookup_answers_again_total"] == "4.0"
