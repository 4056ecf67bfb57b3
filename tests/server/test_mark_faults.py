"""What networks and servers do to a Mark client: whatever it is, it ends in time, and no row is wrong."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest

from mark_store import Document, MarkStore, ProtocolError, Request, StoreError, Unavailable
from mark_store.mark_address import Address
from mark_store.quic import QuicExchange, Trust
from tests.server.certificates import Authority, Pair
from tests.server.lossy import line_to
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import Published, publishing
from tests.server.rude import Manner, Rude, rude_server
from tests.server.web import environment
from tests.store.tree import plant
from tests.store.world import WORLD
from tests.waiting import until

LARGE = "# Large\n\n" + "".join(f"Line {number} of ten megabytes of tape.\n" for number in range(260_000))
LESS = LARGE[:3_000_000]
SECONDS = 20.0


@pytest.fixture
async def server(tmp_path: Path, trusted: Authority) -> AsyncIterator[Published]:
    """The world, published."""
    async with desk_over(tmp_path, WORLD) as desk, publishing(desk, trusted) as found:
        yield found


@pytest.fixture(scope="module")
async def large(tmp_path_factory: pytest.TempPathFactory, trusted: Authority) -> AsyncIterator[Published]:
    """A note, and a document of 10 MB, published."""
    documents = {"/large.md": LARGE, "/notes.md": WORLD["/notes.md"]}
    async with (
        desk_over(tmp_path_factory.mktemp("large"), documents) as desk,
        publishing(desk, trusted) as found,
    ):
        yield found


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Fail unless the block is done in time, whether it raises or not."""
    began = time.monotonic()
    try:
        yield
    finally:
        assert time.monotonic() - began < seconds


@pytest.mark.proves("QC8")
@pytest.mark.parametrize(
    ("loss", "delay", "seed"), [(0.1, 0.0, 1), (0.0, 0.05, 2), (0.2, 0.01, 3), (0.05, 0.1, 4)]
)
async def test_loss_and_delay_change_no_answer(
    server: Published, loss: float, delay: float, seed: int
) -> None:
    async with server.client() as direct, line_to(server.port, loss, delay, seed) as line:
        wanted = await direct.lookup("tape storage", limit=50)
        async with within(SECONDS + 5), server.client(port=line.port, seconds=SECONDS) as client:
            found = await client.lookup("tape storage", limit=50)
            assert found == wanted
            for path in {row.path for row in found.rows}:
                assert (await client.fetch(path)).body == (await direct.fetch(path)).body


@pytest.mark.proves("QC8")
async def test_ten_megabytes_come_whole(large: Published) -> None:
    async with within(SECONDS + 5), large.client(seconds=SECONDS) as client:
        assert (await client.fetch("/large.md")).body == LARGE


@pytest.mark.proves("QC8")
async def test_a_client_that_changes_its_address_goes_on(large: Published) -> None:
    async with line_to(large.port) as line, large.client(port=line.port, seconds=SECONDS) as client:
        for _ in range(3):
            assert (await client.fetch("/notes.md")).body == WORLD["/notes.md"]
            await line.rebind()
        bodies: list[str] = []
        async with within(SECONDS + 5), anyio.create_task_group() as group:
            group.start_soon(_fetch_into, client, "/large.md", bodies)
            await until(lambda: line.passed > 1_000_000)
            await line.rebind()
        assert bodies == [LARGE]


async def _fetch_into(client: MarkStore, path: str, bodies: list[str]) -> None:
    bodies.append((await client.fetch(path)).body)


@pytest.mark.proves("QC8")
@pytest.mark.parametrize("after", [1_000, 400_000])
async def test_a_line_that_is_cut_ends_in_time_and_is_told(large: Published, after: int) -> None:
    async with line_to(large.port) as line, large.client(port=line.port, seconds=4) as client:
        await client.fetch("/notes.md")
        base, told = line.passed, []

        async def fetch() -> None:
            try:
                await client.fetch("/large.md")
            except StoreError as error:
                told.append(error)

        async with within(10), anyio.create_task_group() as group:
            group.start_soon(fetch)
            await until(lambda: line.passed - base >= after)
            line.cut = True
        assert isinstance(told[0], Unavailable)
        line.cut = False
        async with within(12):
            assert (await client.fetch("/notes.md")).body == WORLD["/notes.md"]


@pytest.mark.proves("QC7")
async def test_a_connection_that_falls_silent_is_replaced_long_before_the_deadline(server: Published) -> None:
    async with line_to(server.port) as line, server.client(port=line.port, seconds=60) as client:
        await client.fetch("/notes.md")
        line.block()
        async with within(20):
            assert (await client.fetch("/notes.md")).body == WORLD["/notes.md"]


@pytest.mark.proves("QC8", "QC7")
async def test_a_killed_server_is_told_and_its_successor_found(tmp_path: Path, trusted: Authority) -> None:
    plant(tmp_path / "root", {"/large.md": LESS, "/notes.md": WORLD["/notes.md"]})
    pair = trusted.vouch("localhost")
    chance = random.Random(5)  # noqa: S311 - when it is killed is no secret
    process, port = await _spawned(tmp_path, pair, 0)
    exchange = QuicExchange(Address("localhost", port), Trust(trusted.ca), 10.0, 5.0)
    async with MarkStore(exchange) as client:
        for _ in range(2):
            assert (await client.fetch("/notes.md")).body == WORLD["/notes.md"]
            told: list[StoreError | Document] = []

            async def fetch(told: list[StoreError | Document] = told) -> None:
                try:
                    told.append(await client.fetch("/large.md"))
                except StoreError as error:
                    told.append(error)

            async with within(15), anyio.create_task_group() as group:
                group.start_soon(fetch)
                with anyio.move_on_after(chance.random()):
                    await anyio.sleep_forever()
                process.send_signal(signal.SIGKILL)
            process.wait()
            assert isinstance(told[0], Unavailable) or (
                isinstance(told[0], Document) and told[0].body == LESS
            )
            process, _ = await _spawned(tmp_path, pair, port)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


async def _spawned(folder: Path, pair: Pair, port: int) -> tuple[subprocess.Popen[bytes], int]:
    """A server process that serves already, and its port."""
    process = subprocess.Popen(  # noqa: ASYNC220 - it starts in a moment, and is waited for in a thread
        [
            *(sys.executable, "-m", "mark_server", "serve", str(folder / "root"), "--encoding", "bytes"),
            *("--mark", f"127.0.0.1:{port}", "--cert", str(pair.certificate), "--key", str(pair.key)),
        ],
        env=environment(folder / "data"),
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    line = await anyio.to_thread.run_sync(process.stderr.readline)
    process.stderr.close()
    assert line.startswith(b"serving mark://127.0.0.1:"), line
    return process, int(line.rpartition(b":")[2])


def half_a_block(rude: Rude, stream: int) -> None:
    rude.write(stream, b"---\nstatus: ok\n", end=True)


def half_a_body(rude: Rude, stream: int) -> None:
    rude.write(stream, b"---\nstatus: ok\nversion: 1\n---\nHalf of")
    rude.reset(stream)


def never_ending(rude: Rude, stream: int) -> None:
    rude.trickle(stream, b"x", 0.05)


def too_much(rude: Rude, stream: int) -> None:
    rude.write(stream, b"---\nstatus: ok\n---\n" + b"x" * 300_000)


def silent(rude: Rude, stream: int) -> None:
    """Say nothing."""


def leaves(rude: Rude, stream: int) -> None:  # noqa: ARG001 - a manner's signature
    rude.close()


def begins_by_itself(rude: Rude, stream: int) -> None:  # noqa: ARG001 - a manner's signature
    rude.write(1, b"x" * 1000)


@pytest.mark.proves("QC8", "QC7")
@pytest.mark.parametrize(
    ("manner", "fault"),
    [
        (half_a_block, ProtocolError),
        (half_a_body, ProtocolError),
        (never_ending, Unavailable),
        (silent, Unavailable),
        (leaves, Unavailable),
        (begins_by_itself, Unavailable),
    ],
)
async def test_an_answer_that_is_none_ends_in_time(
    trusted: Authority, manner: Manner, fault: type[StoreError]
) -> None:
    async with rude_server(trusted.vouch("localhost"), manner) as (port, made):
        exchange = QuicExchange(Address("localhost", port), Trust(trusted.ca), 2.0, 2.0)
        async with MarkStore(exchange) as client:
            for ask in (client.list("/"), client.fetch("/a.md", 1)):
                async with within(6):
                    with pytest.raises(fault) as caught:
                        await ask
                assert caught.value.place == f"mark://localhost:{port}"  # type: ignore[attr-defined]  # both have it
        assert len(made) <= 4, "a lost connection is replaced once for each request"


@pytest.mark.proves("QC7")
async def test_an_answer_beyond_its_limit_is_refused_before_its_end(trusted: Authority) -> None:
    async with rude_server(trusted.vouch("localhost"), too_much) as (port, _):
        exchange = QuicExchange(Address("localhost", port), Trust(trusted.ca), 10.0, 5.0)
        async with within(9):
            with pytest.raises(ProtocolError, match="more than 100000 bytes"):
                await exchange.send(Request("LIST", "/"), 100_000)
        await exchange.aclose()


@pytest.mark.proves("QC7")
async def test_requests_share_one_connection_ten_at_a_time(trusted: Authority) -> None:
    waiting: list[tuple[Rude, int]] = []

    def collect(rude: Rude, stream: int) -> None:
        waiting.append((rude, stream))

    async with rude_server(trusted.vouch("localhost"), collect) as (port, made):
        exchange = QuicExchange(Address("localhost", port), Trust(trusted.ca), 10.0, 2.0)
        done: list[int] = []
        async with MarkStore(exchange) as client, anyio.create_task_group() as group:

            async def ask(number: int) -> None:
                await client.list(f"/{number}")
                done.append(number)

            for number in range(25):
                group.start_soon(ask, number)
            await until(lambda: len(waiting) >= 10)
            for answered in range(1, 26):
                await until(lambda: bool(waiting))
                rude, stream = waiting.pop()
                rude.write(stream, b"---\nstatus: ok\n---\n", end=True)
                await until(partial(_has, done, answered))
        assert len(made) == 1
        assert made[0].most_open == 10


def _has(done: list[int], count: int) -> bool:
    return len(done) == count


@pytest.mark.proves("QC7")
async def test_a_connection_that_ended_while_idle_is_made_anew(trusted: Authority) -> None:
    def polite(rude: Rude, stream: int) -> None:
        rude.write(stream, b"---\nstatus: ok\n---\n", end=True)

    async with rude_server(trusted.vouch("localhost"), polite) as (port, made):
        async with MarkStore(
            QuicExchange(Address("localhost", port), Trust(trusted.ca), 10.0, 2.0)
        ) as client:
            await client.list("/")
            made[0].close()
            await client.list("/")
        assert len(made) == 2
