"""`marklookup serve` as a process: it answers at once, ends when asked, and writes protocol only."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from mcp import Client

from tests.server.conftest import untouched
from tests.server.surfaces import Surface, parameters
from tests.server.web import environment
from tests.waiting import until, until_sync

SECONDS_TO_END = 2.5  # 2 s are promised; the rest is the test machine's
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Served:
    """A spawned server, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin
        return self.process.stdin

    def send(self, message: bytes) -> None:
        self.stdin.write(message)
        self.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        answer = json.loads(self.process.stdout.readline())
        assert answer["jsonrpc"] == "2.0"
        return dict(answer)

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(request).encode() + b"\n")
        return self.receive()

    def call(self, tool: str, **arguments: object) -> str:
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        return str(answer["result"]["content"][0]["text"])

    def end(self) -> tuple[int, float, str]:
        """Exit code, seconds that it took, and what was said on standard error."""
        started = time.monotonic()
        code = self.process.wait(10)
        assert self.process.stderr
        return code, time.monotonic() - started, self.process.stderr.read().decode()


@contextmanager
def served(folder: Path, data: Path) -> Iterator[Served]:
    process = subprocess.Popen(
        [sys.executable, "-m", "mark_server", "serve", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(data),
    )
    with process:
        try:
            yield Served(process)
        finally:
            process.kill()


def filled(folder: Path, documents: int) -> Path:
    """A folder of so many documents of 40 sections each."""
    section = "\n".join(f"## Section {number}\n\nquark {number} " + "tide " * 40 for number in range(40))
    for number in range(documents):
        (folder / f"{number}.md").write_text(f"# Document {number}\n\n{section}\n", encoding="utf-8")
    return folder


@pytest.mark.proves("T12")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_though_the_client_stays(
    number: signal.Signals, music_folder: Path, tmp_path: Path
) -> None:
    with served(music_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        assert server.call("mark_lookup", query="tide", budget=400).startswith("status: ok")
        server.process.send_signal(number)
        code, seconds, said = server.end()
    assert (code, said) == (0, "")
    assert seconds < SECONDS_TO_END
    # The last connection to a database takes its write-ahead log with it: it was closed, not dropped.
    assert not list(tmp_path.rglob("*-wal"))


@pytest.mark.proves("T12")
def test_closing_standard_input_ends_it(music_folder: Path, tmp_path: Path) -> None:
    with served(music_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        server.stdin.close()
        code, seconds, said = server.end()
    assert (code, said) == (0, "")
    assert seconds < SECONDS_TO_END


@pytest.mark.proves("T12")
def test_a_client_that_closes_its_end_of_the_answers_ends_it_quietly(
    music_folder: Path, tmp_path: Path
) -> None:
    with served(music_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        assert server.process.stdout
        server.process.stdout.close()
        server.send(b'{"jsonrpc": "2.0", "id": 9, "method": "tools/list"}\n')
        code, _, said = server.end()
    assert (code, said) == (0, "")


@pytest.mark.proves("T12")
def test_a_signal_ends_it_though_nobody_reads_its_answers(music_folder: Path, tmp_path: Path) -> None:
    with served(music_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        request = {
            "jsonrpc": "2.0",
            "method": "tools/call",
            "params": {"name": "mark_lookup", "arguments": {"query": "*", "limit": 1000}},
        }
        for number in range(100, 200):
            server.send(json.dumps({**request, "id": number}).encode() + b"\n")
        until_sync(lambda: list(tmp_path.rglob("index-*.db")))
        server.process.send_signal(signal.SIGTERM)
        code, seconds, _ = server.end()
    assert code == 0
    assert seconds < SECONDS_TO_END


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the write lock of the one index in `data`, so that indexing can get no further."""
    (file,) = data.rglob("index-*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.proves("T11", "T14")
def test_initialize_is_answered_while_the_index_is_built(tmp_path: Path) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    world.mkdir()
    index = [sys.executable, "-m", "mark_server", "index", str(world)]
    subprocess.run(index, env=environment(data), check=True, stdout=subprocess.DEVNULL)
    filled(world, 3)
    with untouched(world), served(world, data) as server:
        with locked(data):
            assert "result" in server.ask("initialize", **INITIALIZE)
            indexing = "indexing: 0 of 3 files;"
            text = server.call("mark_lookup", query="quark", limit=1)
            assert text.startswith(f"status: ok\nmatches: 0\n{indexing} more may match\n\n")
            text = server.call("mark_fetch", url="/1.md")
            assert text == f"status: not-found\n{indexing} it may be among the others\n"
            assert server.call("mark_list") == f"status: ok\nentries: 0\n{indexing} more may be here\n"
        until_sync(
            lambda: server.call("mark_lookup", query="quark").startswith("status: ok\nmatches: 120\n\n")
        )


@pytest.mark.proves("T12")
def test_a_signal_ends_it_though_indexing_is_stuck(tmp_path: Path) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    world.mkdir()
    index = [sys.executable, "-m", "mark_server", "index", str(world)]
    subprocess.run(index, env=environment(data), check=True, stdout=subprocess.DEVNULL)
    filled(world, 3)
    with locked(data), served(world, data) as server:
        server.ask("initialize", **INITIALIZE)
        assert "\nindexing: " in server.call("mark_lookup", query="quark")
        server.process.send_signal(signal.SIGTERM)
        code, seconds, said = server.end()
    assert (code, said) == (0, "")
    assert seconds < SECONDS_TO_END


@pytest.mark.proves("T12")
def test_it_starts_again_after_having_been_killed(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    large_folder = filled(tmp_path_factory.mktemp("killed"), 300)
    with served(large_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        until_sync(lambda: list(tmp_path.rglob("index-*.db-wal")))
        server.process.kill()
        assert server.end()[0] == -signal.SIGKILL
    with served(large_folder, tmp_path) as server:
        server.ask("initialize", **INITIALIZE)
        text = ""

        def complete() -> bool:
            nonlocal text
            text = server.call("mark_lookup", query="quark", limit=1)
            return "\nindexing: " not in text

        until_sync(complete, 60)
        assert text.startswith("status: ok\nmatches: 12000\n")


@pytest.mark.proves("T12")
def test_standard_output_carries_protocol_only_whatever_comes_in(music_folder: Path, tmp_path: Path) -> None:
    with served(music_folder, tmp_path) as server:
        server.send(b"\n{}\nnonsense \xff\xfe\n[1, 2]\n")
        server.ask("initialize", **INITIALIZE)
        server.send(b"not json at all\n")
        # Half a surrogate pair, and a line that comes in two pieces.
        call = b'{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"mark_list",'
        server.send(call)
        server.send(b'"arguments":{"url":"/notes\\ud800"}}}\n')
        assert server.receive()["result"]["content"][0]["text"] == "status: not-found\n"
        server.send(b'{"jsonrpc":"2.0","id":71,"method":"ping"}')
        server.stdin.close()
        code, _, _ = server.end()
        assert server.process.stdout
        rest = server.process.stdout.read().splitlines()
    assert code == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest)


@pytest.mark.proves("T13")
def test_a_folder_that_cannot_be_served_is_one_line_though_the_client_waits(tmp_path: Path) -> None:
    with served(tmp_path / "nowhere", tmp_path / "data") as server:
        code, _, said = server.end()
    assert code == 1
    assert said == (
        f"marklookup: {tmp_path}/nowhere: No such file or directory; "
        "give a folder of markdown that can be read\n"
    )


@pytest.mark.proves("T14")
async def test_nothing_is_written_into_the_served_folder(music_folder: Path, tmp_path: Path) -> None:
    with untouched(music_folder):
        async with Client(parameters(music_folder, tmp_path), mode="legacy") as client:
            surface = Surface(client)

            async def complete() -> bool:
                return "indexing" not in await surface.text("mark_lookup", query="tide", budget=900)

            await until(complete)
            await surface.text("mark_fetch", url="/bands/red-buoy.md/v1")
            await surface.text("mark_list")
            await surface.text("mark_versions", url="/bands/red-buoy.md")


@pytest.mark.proves("T14")
def test_the_working_folder_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nquark\n", encoding="utf-8")
    command = [sys.executable, "-m", "mark_server", "lookup", "quark"]
    with untouched(folder):
        subprocess.run(
            command, cwd=folder, env=environment(tmp_path / "data"), check=True, stdout=subprocess.DEVNULL
        )
    assert [path.name for path in folder.iterdir()] == ["a.md"]
