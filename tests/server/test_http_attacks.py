"""Hostile and slow clients, too many of them, and an end in the middle: on real sockets of loopback."""

import json
import socket

import anyio
import anyio.abc
import pytest

from mark_server.bounds import Bounds
from mark_server.desk import Desk
from tests.server.listened import JSON, Listened, listened, message, refusal, request, text
from tests.server.surfaces import HANDSHAKE, STATELESS
from tests.server.test_drive import SlowStore, desk_before, world
from tests.waiting import until

BUDGETED = {"query": "quark", "budget": 4000}
MODERN = {"mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "mark_list"}


async def answered(stream: anyio.abc.ByteStream) -> bytes:
    """All that a server says until it closes the connection."""
    said = b""
    with anyio.fail_after(20):
        try:
            while True:
                said += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return said


async def works(server: Listened) -> None:
    """A call is answered as if nothing had been."""
    assert (await server.call("mark_versions", url="/nowhere.md")).status_code == 200


@pytest.mark.proves("HT9")
async def test_a_body_that_is_too_large_is_refused_before_it_is_read(music_desk: Desk) -> None:
    async with listened(music_desk, bounds=Bounds(body=4000)) as server:
        response = await server.call("mark_lookup", query="x" * 5000)
        assert (response.status_code, refusal(response)) == (413, "a request has at most 4000 bytes")
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\n")
            assert b"413" in (await answered(stream)).partition(b"\r\n")[0]
        async with await anyio.connect_tcp(*server.address) as stream:
            head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            await stream.send(head + b"1000\r\n" + b"x" * 4096 + b"\r\n")
            assert b"413" in (await answered(stream)).partition(b"\r\n")[0]
        await works(server)


@pytest.mark.proves("HT9")
async def test_a_head_that_is_too_large_is_refused_in_one_line(music_desk: Desk) -> None:
    async with listened(music_desk) as server, server.client() as client:
        response = await client.post("/mcp", content=b"{}", headers={"x-note": "n" * 20_000})
        assert (response.status_code, refusal(response)) == (
            431,
            "request line and headers have at most 16384 bytes",
        )
        await works(server)


@pytest.mark.proves("HT9")
async def test_bodies_are_bounded_together_too(music_desk: Desk) -> None:
    async with listened(music_desk, bounds=Bounds(bodies=3000)) as server:
        body = message("mark_lookup", query="x" * 2000)
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(request(body)[:-1])
            await until(lambda: len(server.listener.server_state.tasks) == 1)
            response = await server.call("mark_lookup", query="x" * 2000)
            assert (response.status_code, response.headers["retry-after"]) == (503, "1")
            await stream.send(request(body)[-1:])
            assert b" 200 " in await stream.receive()
        assert (await server.call("mark_lookup", query="x" * 2000)).status_code == 200


@pytest.mark.proves("HT9")
async def test_headers_that_are_too_large_are_refused(music_desk: Desk) -> None:
    async with listened(music_desk) as server:
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 70_000)
            assert (await answered(stream)).startswith(b"HTTP/1.1 400 ")
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(b"\x16\x03\x01\x02\x00\x01\x00 not HTTP at all\r\n\r\n")
            assert (await answered(stream)).startswith(b"HTTP/1.1 400 ")
        await works(server)


BIG = "9" * 5000
MALFORMED = [
    b"",
    b"nonsense",
    b'{"jsonrpc": "2.0", "id": 1',
    b"[]",
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    b"null",
    b"\xff\xfe\x00",
    b'{"jsonrpc": "2.0", "id": ' + BIG.encode() + b', "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mark_list", "arguments": "x"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mark_list", "arguments": [1]}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 5000 + b'"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + b"[" * 90_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
]


@pytest.mark.proves("HT9")
@pytest.mark.parametrize("headers", [{}, {"mcp-protocol-version": "2025-11-25"}, MODERN])
@pytest.mark.parametrize("body", MALFORMED, ids=range(len(MALFORMED)))
async def test_what_is_no_request_is_an_error_and_the_server_goes_on(
    music_desk: Desk, body: bytes, headers: dict[str, str]
) -> None:
    async with listened(music_desk) as server, server.client(**headers) as client:
        response = await client.post("/mcp", content=body)
        # Without an id that could be answered it is a notification, which is taken and dropped.
        assert response.status_code in (202, *range(400, 500)) or "error" in response.json()
        assert response.status_code < 500
        assert "Traceback" not in response.text
        await works(server)


@pytest.mark.proves("HT9")
@pytest.mark.parametrize("identity", ["x" * 100_000, 2**62, -1, "\u2028", ""])
async def test_any_id_comes_back(music_desk: Desk, identity: str | int) -> None:
    async with listened(music_desk) as server, server.client() as client:
        body = {"jsonrpc": "2.0", "id": identity, "method": "tools/list"}
        assert (await client.post("/mcp", content=json.dumps(body))).json()["id"] == identity


@pytest.mark.proves("HT9", "T4")
async def test_half_a_surrogate_pair_reads_as_it_does_over_standard_input(music_desk: Desk) -> None:
    async with listened(music_desk) as server, server.client() as client:
        body = message("mark_list", url="/notes?").replace(b"?", b"\\ud800")
        assert text(await client.post("/mcp", content=body)) == "status: not-found\n"


@pytest.mark.proves("HT9", "T4")
async def test_a_query_that_is_too_long_is_one_line(music_desk: Desk) -> None:
    async with listened(music_desk) as server:
        answer = await server.call("mark_lookup", query="x" * 20_001)
        assert text(answer).startswith("query must be at most 20000 characters, got 20001;")


@pytest.mark.proves("HT10")
async def test_one_call_too_many_is_told_to_come_again() -> None:
    store = SlowStore(world(1))
    async with listened(desk_before(store), bounds=Bounds(calls=2)) as server:
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(lambda: server.call("mark_lookup", **BUDGETED))
            await until(lambda: len(store.started) == 2)
            refused = await server.call("mark_list")
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            assert refusal(refused) == "2 calls are running; try again"
            async with server.client() as client:
                assert (await client.get("/healthz")).status_code == 200
            store.released.add("*")
        assert (await server.call("mark_lookup", **BUDGETED)).status_code == 200


@pytest.mark.proves("HT10", "HT6")
@pytest.mark.parametrize("era", [HANDSHAKE, STATELESS])
async def test_a_call_that_takes_too_long_is_ended(era: str) -> None:
    store = SlowStore(world(1))
    headers = {**MODERN, "mcp-name": "mark_lookup"} if era == STATELESS else {}
    async with listened(desk_before(store, 60), bounds=Bounds(call_seconds=0.3)) as server:
        async with server.client(**headers) as client:
            refused = await client.post("/mcp", content=modern(message("mark_lookup", **BUDGETED)))
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert refusal(refused) == "the call took longer than 0.3 s; try again"
        await until(lambda: store.cancelled == ["/row0.md"])


def modern(body: bytes) -> bytes:
    """The same call with what the stateless era puts into it; the other ignores that."""
    given = json.loads(body)
    given["params"]["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return json.dumps(given).encode()


@pytest.mark.proves("HT6")
@pytest.mark.parametrize("token", [None, 7])
@pytest.mark.parametrize("era", [HANDSHAKE, STATELESS])
async def test_a_client_that_goes_away_stops_its_fetches(era: str, token: int | None) -> None:
    store = SlowStore(world(8))
    body = modern(message("mark_lookup", **BUDGETED))
    if token is not None:  # asks for a stream
        body = body.replace(b'"_meta": {', b'"_meta": {"progressToken": 7, ')
    headers = {**MODERN, "mcp-name": "mark_lookup"} if era == STATELESS else {}
    async with listened(desk_before(store, 60)) as server:
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(request(body, *(f"{name}: {value}" for name, value in headers.items())))
            await until(lambda: store.in_flight == 4)
        await until(lambda: store.in_flight == 0)
        assert len(store.cancelled) == 4
        await until(lambda: len(server.requests()) == 1)
        store.released.add("*")
        await works(server)


@pytest.mark.proves("HT11")
async def test_headers_that_do_not_come_are_not_waited_for(music_desk: Desk) -> None:
    async with listened(music_desk, bounds=Bounds(header_seconds=0.2)) as server:
        for opening in (b"", b"POST /mcp HTTP/1.1\r\nHost: 127", request(message("mark_list"))):
            async with await anyio.connect_tcp(*server.address) as stream:
                await stream.send(opening)
                said = await answered_until_closed_while_dripping(stream)
                assert said.startswith(b"HTTP/1.1 200 ") == opening.startswith(
                    b"POST /mcp HTTP/1.1\r\nHost: 127."
                )
        await works(server)


async def answered_until_closed_while_dripping(stream: anyio.abc.ByteStream) -> bytes:
    """Send a byte of a header now and then, as long as the server listens; what it says."""
    said = b""
    async with anyio.create_task_group() as group:

        async def drip() -> None:
            async def one() -> bool:
                try:
                    await stream.send(b"x")
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return True
                return False

            await until(one, 20)

        group.start_soon(drip)
        said = await answered(stream)
        group.cancel_scope.cancel()
    return said


@pytest.mark.proves("HT11")
async def test_a_body_that_does_not_come_is_not_waited_for(music_desk: Desk) -> None:
    async with listened(music_desk, bounds=Bounds(body_seconds=0.2)) as server:
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(request(message("mark_list"))[:-5])
            said = await answered(stream)
        assert said.startswith(b"HTTP/1.1 408 ")
        assert b"the request did not come within 0.2 s" in said
        await works(server)


@pytest.mark.proves("HT11")
async def test_a_client_that_does_not_take_its_answer_is_let_go() -> None:
    large = "# Row\n\n" + "quark strange charm\n" * 400_000
    store = SlowStore({"/row1.md": large}, released={"*"})
    async with listened(desk_before(store), bounds=Bounds(write_seconds=0.3)) as server:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(server.address)
        with raw:
            raw.sendall(request(message("mark_fetch", url="/row1.md", force=True)))
            await until(lambda: len(server.listener.server_state.connections) == 1)
            await until(lambda: not server.listener.server_state.connections, 20)
        await works(server)


@pytest.mark.proves("HT11")
async def test_an_idle_connection_is_closed(music_desk: Desk) -> None:
    async with (
        listened(music_desk, bounds=Bounds(idle_seconds=1)) as server,
        await anyio.connect_tcp(*server.address) as stream,
    ):
        await stream.send(request(message("mark_list")))
        assert (await answered(stream)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.proves("HT10")
async def test_one_connection_too_many_is_told_to_come_again(music_desk: Desk) -> None:
    async with listened(music_desk, bounds=Bounds(connections=2)) as server:
        async with await anyio.connect_tcp(*server.address), await anyio.connect_tcp(*server.address):
            await until(lambda: len(server.listener.server_state.connections) == 2)
            async with await anyio.connect_tcp(*server.address) as third:
                said = await answered(third)
                assert said.startswith(b"HTTP/1.1 503 ")
                assert b"Retry-After: 1" in said
        await until(lambda: not server.listener.server_state.connections)
        await works(server)


@pytest.mark.proves("HT13")
async def test_leaving_lets_a_running_call_finish() -> None:
    store = SlowStore(world(1))
    answers = []
    async with listened(desk_before(store)) as server, anyio.create_task_group() as group:

        async def ask() -> None:
            answers.append(await server.call("mark_lookup", **BUDGETED))

        group.start_soon(ask)
        await until(lambda: store.in_flight == 1)
        server.listener.leave()
        await until(lambda: not server.listener.servers[0].is_serving())
        store.released.add("*")
    assert text(answers[0]).startswith("status: ok\n")


@pytest.mark.proves("HT13", "HT6")
async def test_leaving_does_not_wait_for_ever() -> None:
    store = SlowStore(world(1))
    async with listened(desk_before(store, 60), bounds=Bounds(leave_seconds=1)) as server:
        async with await anyio.connect_tcp(*server.address) as stream:
            await stream.send(
                request(message("mark_lookup", **BUDGETED), *(f"{k}: {v}" for k, v in JSON.items()))
            )
            await until(lambda: store.in_flight == 1)
            server.listener.leave()
            await answered(stream)
        await until(lambda: store.cancelled == ["/row0.md"])
