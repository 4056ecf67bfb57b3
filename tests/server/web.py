"""A spawned HTTP server: a real process on a free port of loopback, and what it says on standard error."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio.to_thread

from tests.waiting import until


@dataclass(frozen=True, slots=True)
class Web:
    """A server that listens; `url` is where its protocol is."""

    process: subprocess.Popen[bytes]
    errors: Path
    url: str

    @property
    def root(self) -> str:
        """The server without the path of the protocol."""
        return self.url.removesuffix("/mcp")

    @property
    def port(self) -> int:
        """The port that it got."""
        return int(self.root.rpartition(":")[2])

    def said(self, event: str) -> list[dict[str, Any]]:
        """The lines of its log about an event."""
        return [line for line in lines(self.errors) if line["event"] == event]

    async def ended(self) -> int:
        """The exit code, once there is one."""
        return await anyio.to_thread.run_sync(self.process.wait, 20)


def lines(errors: Path) -> list[dict[str, Any]]:
    """The log as far as it is written; a line that is none fails."""
    return [
        json.loads(line)
        for line in errors.read_text(encoding="utf-8").splitlines(keepends=True)
        if line[-1:] == "\n"
    ]


@asynccontextmanager
async def web(folder: Path, data: Path, *options: str) -> AsyncIterator[Web]:
    """Serve a folder over HTTP as long as the block runs; options stand after the address."""
    command = [sys.executable, "-m", "mark_server", "serve", str(folder), "--http", "127.0.0.1:0", *options]
    with tempfile.TemporaryDirectory() as place:
        errors = Path(place) / "errors"
        process = _spawned(command, data, errors)
        try:
            (serving,) = await until(lambda: _serving(process, errors), 30)
            yield Web(process, errors, serving["url"])
        finally:
            process.send_signal(signal.SIGTERM)
            await anyio.to_thread.run_sync(process.wait, 30)


def _spawned(command: list[str], data: Path, errors: Path) -> subprocess.Popen[bytes]:
    with errors.open("wb") as written:
        return subprocess.Popen(command, stderr=written, env=environment(data))


def _serving(process: subprocess.Popen[bytes], errors: Path) -> list[dict[str, Any]]:
    assert process.poll() is None, errors.read_text(encoding="utf-8")
    return [line for line in lines(errors) if line["event"] == "serving"]


def environment(data: Path) -> dict[str, str]:
    """The environment of a process of ours, its index kept in `data`; inherited, or coverage is lost."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MARKLOOKUP_")}
    return {**kept, "MARKLOOKUP_DATA": str(data)}


def measured_by_nobody(data: Path) -> dict[str, str]:
    """The same without coverage, for a process that may write little: what coverage writes is more."""
    return {name: value for name, value in environment(data).items() if "COVERAGE" not in name}
