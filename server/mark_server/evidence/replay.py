"""The same recorded calls through two builds, each a server of its own behind a real client over stdio.

Each build has an index of its own, made before the first call. What is compared is what a client gets: the
bytes, their tokens, and the evidence in them.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp_types import CONNECTION_CLOSED, TextContent

from mark_outline import Counter
from mark_server.evidence.errors import BadBuild
from mark_server.evidence.fingerprints import tools_digest
from mark_server.evidence.judging import Reading
from mark_server.evidence.recorded import Recorded
from mark_server.evidence.replayed import Build, Reply
from mark_store import DATA_VARIABLE

_ENDED = "its server ended before the last call, or fell silent"
_PATIENCE = 300  # seconds for one answer; far beyond what any should take


def command_of(build: str) -> list[str]:
    """Give the words of a build's command; a python executable alone runs the installed `mark_server`.

    >>> command_of("/opt/a/bin/python3"), command_of("/opt/a/bin/marklookup")
    (['/opt/a/bin/python3', '-m', 'mark_server'], ['/opt/a/bin/marklookup'])
    """
    words = shlex.split(build)
    alone = len(words) == 1 and Path(words[0]).name.startswith("python")
    return [*words, "-m", "mark_server"] if alone else words


async def replay(
    build: str,
    calls: Sequence[Recorded],
    folder: Path,
    data: Path,
    counter: Counter,
    tell: Callable[[], None],
) -> Build:
    """Index the folder with this build, then make every call in one session.

    Raises:
        BadBuild: It cannot be started, cannot index the folder, or ends before the last call.
    """
    program = command_of(build)
    if not program:
        raise BadBuild(build, "names no program")
    environment = {**os.environ, DATA_VARIABLE: str(data)}
    await _indexed(build, program, folder, environment)
    parameters = StdioServerParameters(
        command=program[0], args=[*program[1:], "serve", str(folder)], env=environment
    )
    try:
        async with Client(parameters, mode="legacy", read_timeout_seconds=_PATIENCE) as client:
            tools = tools_digest((await client.list_tools()).tools)
            replies = []
            for one in calls:
                replies.append(await _reply(client, one, counter))
                tell()
            return Build(build, await _version(program, environment), tools, tuple(replies))
    except OSError as error:
        raise BadBuild(build, error.strerror or "cannot be started") from error
    except MCPError as error:
        raise BadBuild(build, _ENDED) from error
    except BaseExceptionGroup as errors:
        if errors.subgroup(MCPError) is None:
            raise
        raise BadBuild(build, _ENDED) from errors


async def _reply(client: Client, call: Recorded, counter: Counter) -> Reply:
    try:
        result = await client.call_tool(call.tool, dict(call.arguments))
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise
        return Reply(str(error), is_error=True, tokens=0, met=0)
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    reading = Reading(_headed(call, text))
    met = sum(reading.holds(gold) for gold in call.gold)
    return Reply(text, result.is_error, counter.tokens(counter.count(text)), met)


def _headed(call: Recorded, text: str) -> str:
    """Put the header over a fetched text that it has by its call."""
    url = call.arguments.get("url")
    return f">>> {url}\n\n{text}" if call.tool == "mark_fetch" and isinstance(url, str) else text


async def _indexed(build: str, program: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    done = await _run(build, [*program, "index", str(folder)], environment)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise BadBuild(build, said[-1] if said else f"`index` ended with exit code {done.returncode}")


async def _version(program: Sequence[str], environment: dict[str, str]) -> str:
    done = await _run(program[0], [*program, "--version"], environment)
    return done.stdout.decode(errors="replace").strip()


async def _run(
    build: str, command: list[str], environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    try:
        return await anyio.run_process(command, env=environment, check=False)
    except OSError as error:
        raise BadBuild(build, error.strerror or "cannot be started") from error
