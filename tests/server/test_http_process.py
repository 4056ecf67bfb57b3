"""`marklookup serve --http` as a process: where it listens, a thousand clients, and how it ends."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.server.listened import JSON, message, request, text
from tests.server.test_process import filled, locked
from tests.server.web import Web, environment, web
from tests.waiting import until

CONNECTIONS = 1000


def refused(*options: str, data: Path, folder: Path) -> tuple[int, str]:
    """The exit code and the words of a server that does not begin."""
    command = [sys.executable, "-m", "mark_server", "serve", str(folder), *options]
    done = subprocess.run(
        command, env=environment(data), capture_output=True, timeout=30, check=False, text=True
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.proves("HT14")
@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_without_known_callers_nobody_else_may_reach_it(
    music_folder: Path, tmp_path: Path, address: str
) -> None:
    code, said = refused("--http", address, data=tmp_path, folder=music_folder)
    assert code == 2
    assert said == (
        f"marklookup: {address} can be reached by others, and no callers are known; "
        "give --tokens FILE (docs/callers.md), or an address of this machine: --http 127.0.0.1:8080\n"
    )


@pytest.mark.proves("HT14")
def test_an_address_that_cannot_be_bound_is_one_line(music_folder: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, said = refused("--http", address, data=tmp_path, folder=music_folder)
    assert (code, said) == (
        1,
        f"marklookup: {address}: Address already in use; give another --http HOST:PORT\n",
    )
    code, said = refused("--http", "nobody.invalid:80", data=tmp_path, folder=music_folder)
    assert code == 1
    assert said.startswith("marklookup: nobody.invalid:80: ")


@pytest.mark.proves("HT14", "T13")
def test_a_folder_that_cannot_be_served_ends_it(tmp_path: Path) -> None:
    code, said = refused("--http", "127.0.0.1:0", data=tmp_path / "data", folder=tmp_path / "nowhere")
    assert code == 1
    assert said.splitlines()[-1] == (
        f"marklookup: {tmp_path}/nowhere: No such file or directory; "
        "give a folder of markdown that can be read"
    )


def found(data: Path, pattern: str) -> list[Path]:
    """Files of the index."""
    return list(data.rglob(pattern))


async def post(server: Web, tool: str, **arguments: object) -> httpx2.Response:
    async with httpx2.AsyncClient(headers=JSON, timeout=30) as client:
        return await client.post(server.url, content=message(tool, **arguments))


@pytest.mark.proves("HT13", "HT1", "T12")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_cleanly(music_folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    async with web(music_folder, tmp_path) as server:
        assert text(await post(server, "mark_lookup", query="tide", budget=400)).startswith("status: ok\n")
        server.process.send_signal(number)
        assert await server.ended() == 0
        assert len(server.said("leaving")) == 1
        assert server.said("fault") == []
    # The last connection to a database takes its write-ahead log with it: it was closed, not dropped.
    assert not found(tmp_path, "*-wal")


@pytest.mark.proves("HT13")
async def test_a_signal_while_calls_run_loses_none_of_them(music_folder: Path, tmp_path: Path) -> None:
    async with web(music_folder, tmp_path) as server:
        await post(server, "mark_lookup", query="tide", budget=400)
        async with (
            anyio.create_task_group() as group,
            await anyio.connect_tcp("127.0.0.1", server.port) as stream,
        ):
            body = message("mark_lookup", query="*", limit=1000, budget=100_000)
            await stream.send(request(body, host=f"127.0.0.1:{server.port}"))
            server.process.send_signal(signal.SIGTERM)
            said = b""
            with anyio.fail_after(20):
                async for part in stream:
                    said += part
            group.cancel_scope.cancel()
        assert await server.ended() == 0
        # Taken before the signal it is answered whole, otherwise the connection is closed without a word.
        assert not said or said.endswith(b"}")


@pytest.mark.proves("HT10")
async def test_a_thousand_connections_at_once_are_all_answered(music_folder: Path, tmp_path: Path) -> None:
    statuses: list[int] = []
    async with web(music_folder, tmp_path) as server:
        await post(server, "mark_lookup", query="tide", budget=400)
        before = resident(server)
        body = request(message("mark_lookup", query="tide", budget=400), host=f"127.0.0.1:{server.port}")

        async def ask() -> None:
            async with await anyio.connect_tcp("127.0.0.1", server.port) as stream:
                await everybody.wait()
                await stream.send(body)
                said = b""
                while b"\r\n\r\n" not in said:
                    said += await stream.receive()
                statuses.append(int(said.split(b" ", 2)[1]))
                assert said.startswith(b"HTTP/1.1 200") or b"retry-after: 1" in said.lower()

        everybody = anyio.Event()
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for _ in range(CONNECTIONS):
                    group.start_soon(ask)
                everybody.set()
        assert len(statuses) == CONNECTIONS
        assert set(statuses) <= {200, 503}
        assert statuses.count(200) >= 256
        assert (await post(server, "mark_lookup", query="tide", budget=400)).status_code == 200
        assert server.said("fault") == []
        grown = resident(server) - before
    assert grown < 120e6


def resident(server: Web) -> int:
    """Bytes of memory that the server holds; 0 where the system does not tell."""
    status = Path(f"/proc/{server.process.pid}/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


@pytest.mark.proves("HT1", "T1")
async def test_replicas_on_one_data_folder_give_the_same_bytes(music_folder: Path, tmp_path: Path) -> None:
    async with web(music_folder, tmp_path) as first, web(music_folder, tmp_path) as second:
        for tool, arguments in (
            ("mark_lookup", {"query": "tide", "budget": 900, "verbose": True}),
            ("mark_fetch", {"url": "/bands/pale-ferrymen.md", "verbose": True}),
            ("mark_versions", {"url": "/bands/pale-ferrymen.md"}),
        ):
            answers = [text(await post(server, tool, **arguments)) for server in (first, second)]
            assert answers[0] == answers[1]
            assert answers[0].startswith("status: ok\n")


@pytest.mark.proves("HT15", "T11")
async def test_it_listens_while_the_index_is_built_and_is_ready_after(tmp_path: Path) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    world.mkdir()
    index = [sys.executable, "-m", "mark_server", "index", str(world)]
    await anyio.to_thread.run_sync(
        lambda: subprocess.run(index, env=environment(data), check=True, stdout=subprocess.DEVNULL)
    )
    filled(world, 40)
    with locked(data):
        async with web(world, data) as server, httpx2.AsyncClient(timeout=30) as client:
            assert (await client.get(f"{server.root}/healthz")).status_code == 200
            assert (await client.get(f"{server.root}/readyz")).status_code == 503
            assert "\nindexing: " in text(await post(server, "mark_lookup", query="quark"))
            server.process.send_signal(signal.SIGTERM)
            # A store that is stuck is left as a crash would leave it.
            assert await server.ended() == 0


@pytest.mark.proves("HT15")
async def test_it_becomes_ready(music_folder: Path, tmp_path: Path) -> None:
    async with web(music_folder, tmp_path) as server, httpx2.AsyncClient(timeout=30) as client:

        async def ready() -> bool:
            return (await client.get(f"{server.root}/readyz")).status_code == 200

        await until(ready)
        with closing(sqlite3.connect(found(tmp_path, "index-*.db")[0])) as index:
            assert index.execute("SELECT count(*) FROM document").fetchone()[0] > 10
