"""What a caller may not read is not there: a whole world and one without it answer with the same bytes."""

import math
import random
import re
import shutil
import sqlite3
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import httpx2
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mark_outline import encode
from mark_server.arguments import ToolName, checked
from mark_server.calls import call
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.resources import complete_path
from mark_server.settings import Settings
from mark_server.token_entries import Entry, digest
from mark_server.token_making import add
from mark_store import FolderStore, Link, NotFound, Progress, Reader
from mark_store.listing import level
from mark_store.restriction import resolved
from tests.server.listened import JSON, message
from tests.server.scoped import FOLDERS, PATTERNS, World, leaked, timeless
from tests.server.web import web
from tests.waiting import until

Call = tuple[ToolName, dict[str, object]]


def spelled(path: str) -> list[str]:
    """The ways in which a caller may write a path, honest ones and others."""
    name = path.rpartition("/")[2]
    return [
        *(path, encode(path), f"mark://{encode(path)}", f"{path}/v1", f"{path}/v2", path.upper()),
        *(unicodedata.normalize("NFD", path), path[1:], path.replace("/", "//"), f"{path}/"),
        "".join(f"%{byte:02x}" for byte in path.encode()),
        path.replace("n", "\\n"),
        *(f"/open/..{path}", f"/open/%2e%2e{path}", f"/open/./..{path}", f"/open/{name}/../..{path}"),
    ]


def calls(world: World) -> Iterator[Call]:
    """Every tool in every form, for everything that there is, was, or never was."""
    for path in [*world.paths(), "/nowhere.md", "/secret/none.md"]:
        for url in spelled(path):
            yield "mark_fetch", {"url": url}
        yield "mark_fetch", {"url": path, "verbose": True}
        yield "mark_fetch", {"url": f"{path}#none"}
        yield "mark_fetch", {"url": path, "budget": 60, "start": 5}
        yield "mark_versions", {"url": path}
        yield "mark_lookup", {"query": "*", "url": path}
        yield "mark_lookup", {"query": "tide", "url": path, "budget": 400}
        yield "mark_list", {"url": path}
    for folder in [*FOLDERS, "/nowhere"]:
        yield "mark_fetch", {"url": folder or "/"}
        yield "mark_versions", {"url": folder or "/"}
        yield "mark_lookup", {"query": "*", "url": folder or "/", "limit": 1000}
        yield "mark_lookup", {"query": "tide", "url": folder or "/", "match": "catalog", "verbose": True}
        yield "mark_lookup", {"query": "*", "url": folder or "/", "filter": "tag=shared", "offset": 2}
    for page in world.pages:
        word = min(page.words())
        yield "mark_lookup", {"query": word}
        yield "mark_lookup", {"query": word, "budget": 500, "detail": "excerpts"}
        yield "mark_lookup", {"query": "*", "filter": f"tag=qtag{page.number:03d}"}
        yield "mark_lookup", {"query": "*", "filter": f"note=qnote{page.number:03d}"}


def ranked() -> Iterator[Call]:
    """Calls whose order of rows may hang on documents that may not be read."""
    for detail in ("sections", "excerpts", "full"):
        for query in ("tide", "harbour kelp", "what depends on tide", "what replaced harbour"):
            yield "mark_lookup", {"query": query, "budget": 900, "detail": detail, "verbose": True}
    yield "mark_lookup", {"query": "tide harbour", "limit": 1000}


async def answered(desk: Desk, asked: Call) -> str:
    try:
        return await call(desk, checked(*asked))
    except ArgumentError as error:
        return f"error: {error}"


async def listed(desk: Desk, folder: str) -> list[str]:
    """All pages of a folder, cursors included."""
    pages: list[str] = []
    cursor = ""
    while True:
        text = await answered(desk, ("mark_list", {"url": folder, "page_size": 2, "cursor": cursor}))
        pages.append(text)
        found = re.search(r"^next-cursor: (.+)$", text, re.MULTILINE)
        if not found:
            return pages
        cursor = found[1]


@asynccontextmanager
async def lived(world: World, place: Path, name: str, only: Reader | None = None) -> AsyncIterator[Desk]:
    """A store that saw the world begin and change; with a reader, only what that may read of it."""
    root = place / name
    root.mkdir()
    world.write(root, only)
    chosen = Settings(store=str(root), data=place / f"{name}-data", patience=math.inf)
    async with open_desk(chosen) as desk:
        assert await desk.ready(30)
        world.change(root, only)
        await call(desk, checked("mark_lookup", {"query": "*"}))
        assert await desk.ready(30)
        yield desk


async def linked(desk: Desk, path: str, *, incoming: bool) -> tuple[Link, ...]:
    """What the store's index of relations tells this reader."""
    assert isinstance(desk.store, FolderStore)
    return await desk.store.related(path, incoming=incoming, reader=desk.reader)


async def compare(seed: int, patterns: tuple[str, ...]) -> None:
    """Ask both worlds everything."""
    world, reader = World.of(seed), Reader(patterns)
    forbidden = world.forbidden(reader)
    place = Path(tempfile.mkdtemp())
    try:
        async with lived(world, place, "whole") as all_, lived(world, place, "part", reader) as some:
            whole, part = all_.within(reader), some.within(reader)
            for asked in calls(world):
                text = await answered(whole, asked)
                assert leaked(text, forbidden, asked[1].values()) == set(), (asked, text)
                assert timeless(text) == timeless(await answered(part, asked)), asked
            for asked in ranked():
                text = await answered(whole, asked)
                assert leaked(text, forbidden, asked[1].values()) == set(), (asked, text)
            table = await answered(whole, ("mark_lookup", {"query": "tide harbour", "limit": 1000}))
            same = await answered(part, ("mark_lookup", {"query": "tide harbour", "limit": 1000}))
            assert sorted(table.splitlines()) == sorted(same.splitlines())
            for folder in FOLDERS:
                assert await listed(whole, folder or "/") == await listed(part, folder or "/")
                for typed in (f"{folder}/", f"{folder}/n", f"{folder[:3]}"):
                    assert await complete_path(whole, typed) == await complete_path(part, typed)
            for path in world.paths():
                for incoming in (False, True):
                    links = [await linked(desk, path, incoming=incoming) for desk in (whole, part)]
                    assert links[0] == links[1]
            for page in world.pages:
                anchors = await complete_path(whole, f"{page.path}#q")
                assert anchors == await complete_path(part, f"{page.path}#q")
    finally:
        shutil.rmtree(place)


@pytest.mark.proves("RS2")
@pytest.mark.parametrize("path", ["/secret", "/secret/plan.md", "/secret/deep/er", "/opened", "/ope"])
def test_patterns_alone_decide_before_anything_is_looked_for(path: str) -> None:
    index = sqlite3.connect(":memory:")
    index.close()
    reader = Reader(("/open/**", "/teams/*/handbook.md"))
    assert not reader.may_enter(path)
    with pytest.raises(NotFound):
        level(index, path, "", 10, reader)
    with pytest.raises(NotFound):
        resolved(index, path, reader)


@pytest.mark.proves("RS2")
@given(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3), st.sampled_from(FOLDERS), st.booleans())
def test_what_may_be_read_lies_where_may_be_entered(patterns: list[str], folder: str, deep: bool) -> None:
    reader, path = Reader(tuple(patterns)), f"{folder}/{'deep/' if deep else ''}n012.md"
    above = [path[:at] or "/" for at, sign in enumerate(path) if sign == "/"]
    if reader.may_read(path):
        assert all(reader.may_enter(each) for each in [*above, path, unicodedata.normalize("NFD", path)])


@pytest.mark.proves("RS1")
async def test_who_may_not_read_everything_is_told_no_figures_of_the_store(tmp_path: Path) -> None:
    async with open_desk(Settings(store=str(tmp_path), data=tmp_path.parent / "data")) as opened:
        desk = replace(opened, progress=lambda: Progress(3, 7, "trouble in /secret/plan.md"))
        assert desk.within(Reader(("/",))).progress() == Progress(3, 7, "trouble in /secret/plan.md")
        some = desk.within(Reader(("/open/**",)))
        assert some.progress() == Progress(0, 0)
        text = await call(some, checked("mark_fetch", {"url": "/open/a.md"}))
        assert text == "status: not-found\nindexing: not complete; it may be among the others\n"
        assert replace(desk, progress=lambda: None).within(Reader(())).progress() is None


ANY_SCOPE = st.lists(st.sampled_from(PATTERNS), max_size=3, unique=True).map(tuple)
# What fails shows which word leaked to which call; a smaller world would show no more.
UNSHRUNK = [Phase.explicit, Phase.generate]


@pytest.mark.deep
@settings(max_examples=100, phases=UNSHRUNK)
@given(seed=st.integers(0, 10_000), patterns=ANY_SCOPE)
def test_many_scopes_and_worlds_without_the_rest_are_the_same(seed: int, patterns: tuple[str, ...]) -> None:
    anyio.run(compare, seed, patterns)


@pytest.mark.proves("RS1", "RS2")
@settings(max_examples=5, phases=UNSHRUNK)
@given(seed=st.integers(0, 10_000), patterns=ANY_SCOPE)
def test_a_scope_and_a_world_without_the_rest_are_the_same_to_a_caller(
    seed: int, patterns: tuple[str, ...]
) -> None:
    anyio.run(compare, seed, patterns)


@pytest.mark.proves("RS1", "RS3")
@pytest.mark.parametrize("seed", [1])
async def test_over_http_no_word_of_what_a_token_does_not_let_read_is_sent(tmp_path: Path, seed: int) -> None:
    world, chance = World.of(seed, 8), random.Random(seed)  # noqa: S311 - a test world is no secret
    scopes = {f"token-{number}": tuple(chance.sample(PATTERNS, number)) for number in range(1, 4)}
    world.write(tmp_path / "world")
    tokens = tmp_path / "tokens.toml"
    for name, paths in scopes.items():
        add(tokens, Entry(name, digest(name), paths))
    async with (
        web(tmp_path / "world", tmp_path / "data", "--tokens", str(tokens)) as server,
        httpx2.AsyncClient(base_url=server.root, headers=JSON, timeout=20) as client,
    ):
        await until(lambda: is_ready(client), 30)
        hidden = {token: world.forbidden(Reader(paths), moved=False) for token, paths in scopes.items()}
        shown = dict.fromkeys(scopes, 0)
        for tool, arguments in [*calls(world), *ranked()]:
            # Twice, since a server may remember an answer, and by turns, since it may confuse whose it was.
            for token in [*scopes, *scopes]:
                sent = {"authorization": f"Bearer {token}"}
                answer = await client.post("/mcp", content=message(tool, **arguments), headers=sent)
                assert answer.status_code == 200
                assert leaked(answer.text, hidden[token], arguments.values()) == set(), (arguments, token)
                shown[token] += "status: ok" in answer.text
        assert all(shown.values())


async def is_ready(client: httpx2.AsyncClient) -> bool:
    return (await client.get("/readyz")).status_code == 200
