"""`python -m bench.peers`: other servers over the same markdown, in one run beside this one.

Each peer that is on the PATH (or named with --peer NAME=PROGRAM) is given the same tree and the same
questions through its own MCP tool; what is not installed is skipped and said. Times are of one machine in one
hour: good for comparing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from bench.figures import latency
from bench.questions import questions, survey
from bench.trees import REPO, make_trees

PATIENCE_SECONDS = 20.0
POLL_SECONDS = 0.02
EDIT = "# A new page\n\nThe word is zyxwvutkiwi, and it stands nowhere else.\n"
WORD = "zyxwvutkiwi"


@dataclass(frozen=True, slots=True)
class Peer:
    """How a server is fed, started and asked; `{root}` stands for the tree.

    `edited` is where a new file is written, from the tree and the peer's home.
    """

    name: str
    index: tuple[tuple[str, ...], ...]
    serve: tuple[str, ...]
    tool: str
    arguments: Callable[[str], dict[str, object]]
    environment: Mapping[str, str]
    edited: str = "{root}"


PEERS = (
    Peer(
        "marklookup",
        (("index", "{root}"),),
        ("serve", "{root}"),
        "mark_lookup",
        lambda query: {"query": query},
        {"MARKLOOKUP_DATA": "{home}/data"},
    ),
    Peer(
        "markdown-vault-mcp",
        (("index",),),
        ("serve",),
        "search",
        lambda query: {"query": query, "limit": 10, "mode": "keyword"},
        {"MARKDOWN_VAULT_MCP_SOURCE_DIR": "{root}", "MARKDOWN_VAULT_MCP_INDEX_PATH": "{home}/index.db"},
    ),
    Peer(
        "qmd",
        (("collection", "add", "{root}", "--name", "tree"),),
        ("mcp",),
        "query",
        lambda query: {"searches": [{"type": "lex", "query": query}], "limit": 10, "rerank": False},
        {},
    ),
    Peer(
        "agents-docs",
        (("ingest", "tree", "{root}"),),
        ("serve",),
        "search_docs",
        lambda query: {"query": query, "top_k": 10},
        {},
        "{home}/.agents/docs/tree",
    ),
    Peer(
        "mdsift",
        (),
        ("{root}",),
        "search",
        lambda query: {"query": query, "granularity": "section"},
        {},
    ),
)
# What a peer is called on the PATH, where that is not its name.
PROGRAMS = {"mdsift": "mdsift-server"}


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds to index, milliseconds of a lookup, seconds until an edit was found (None: not in time)."""

    index: float
    p50: float
    p95: float
    answered: int
    visible: float | None


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--trees", type=Path, default=REPO.parent / "shared" / "eval" / "trees")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--lookups", type=int, default=60)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PROGRAM")
    options = parser.parse_args()
    programs = dict(named.split("=", 1) for named in options.peer)
    with tempfile.TemporaryDirectory(prefix="marklookup-peers-") as place:
        tree = make_trees(options.trees, Path(place), options.files)[0].root
        asked = questions(survey(tree)[1], options.lookups)
        print("| server | index | lookup p50, p95 | answered | edit visible after |")
        print("|---|---|---|---|---|")
        for peer in PEERS:
            print(_line(peer, programs.get(peer.name), tree, Path(place) / peer.name, asked), flush=True)


def _line(peer: Peer, stated: str | None, tree: Path, place: Path, asked: Sequence[str]) -> str:
    program = found(peer, stated)
    if program is None:
        return f"| {peer.name} | not installed: skipped | | | |"
    root = place / "tree"
    shutil.copytree(tree, root)
    try:
        made = anyio.run(_measure, peer, program, root, asked)
    except (subprocess.CalledProcessError, MCPError, BaseExceptionGroup) as error:
        return f"| {peer.name} | failed: {str(error).splitlines()[0][:90]} | | | |"
    visible = f"{made.visible:.2f} s" if made.visible is not None else f"not within {PATIENCE_SECONDS:.0f} s"
    times = f"{made.p50:.1f}, {made.p95:.1f} ms"
    return f"| {peer.name} | {made.index:.1f} s | {times} | {made.answered} of {len(asked)} | {visible} |"


def found(peer: Peer, stated: str | None) -> list[str] | None:
    """Give the command of a peer, None when it is not installed."""
    if peer.name == "marklookup":
        return [sys.executable, "-m", "mark_server"]
    program = stated or shutil.which(PROGRAMS.get(peer.name, peer.name))
    return [program] if program else None


@asynccontextmanager
async def opened(
    peer: Peer, program: Sequence[str], root: Path, home: Path
) -> AsyncIterator[tuple[ClientSession, float]]:
    """Index a folder with a peer, then open a session with its server; gives the seconds of indexing, too."""
    await anyio.Path(home).mkdir(parents=True)
    places = {"{root}": str(root), "{home}": str(home)}
    own = {name: filled(value, places) for name, value in peer.environment.items()}
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **own}
    start = time.perf_counter()
    for command in peer.index:
        await anyio.run_process(
            [*program, *(filled(word, places) for word in command)],
            env=environment,
            cwd=str(REPO),
            stderr=None,
        )
    index = time.perf_counter() - start
    serve = [filled(word, places) for word in peer.serve]
    parameters = StdioServerParameters(
        command=program[0], args=[*program[1:], *serve], env=environment, cwd=str(REPO)
    )
    with tempfile.TemporaryFile("w+") as log:
        async with stdio_client(parameters, log) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session, index


async def _measure(peer: Peer, program: Sequence[str], root: Path, asked: Sequence[str]) -> Result:
    home = root.parent / "home"
    async with opened(peer, program, root, home) as (session, index):
        await _asked(session, peer, asked[0])
        times, answered = [], 0
        for question in asked:
            start = time.perf_counter()
            answered += bool((await _asked(session, peer, question)).strip())
            times.append(time.perf_counter() - start)
        places = {"{root}": str(root), "{home}": str(home)}
        visible = await _edit(session, peer, Path(filled(peer.edited, places)))
    spread = latency(times)
    return Result(index, spread.p50, spread.p95, answered, visible)


async def _edit(session: ClientSession, peer: Peer, folder: Path) -> float | None:
    await anyio.Path(folder / "a-new-page.md").write_text(EDIT, encoding="utf-8")
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < PATIENCE_SECONDS:
        if "a-new-page" in await _asked(session, peer, WORD):
            return time.perf_counter() - start
        await anyio.sleep(POLL_SECONDS + passed / 100)
    return None


async def _asked(session: ClientSession, peer: Peer, query: str) -> str:
    result = await session.call_tool(peer.tool, peer.arguments(query))
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    return "" if result.is_error else text


def filled(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(name, place)
    return word


if __name__ == "__main__":
    main()
