"""What a caller may not read is not there among several stores, nor over the Mark wire."""

import math
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mark_outline import encode
from mark_server.answering import answer_bytes
from mark_server.desk import Desk
from mark_server.mount import Mount
from mark_server.opening import open_desk
from mark_server.resources import complete_path
from mark_server.settings import Settings
from mark_store import Reader, Request, encode_request
from tests.server.scoped import FOLDERS, World, leaked, timeless
from tests.server.test_scopes import Call, answered, lived

_TAGS = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z?")


def requests(world: World) -> Iterator[Request]:
    """Every verb for everything that there is, was, or never was."""
    for path in [*world.paths(), *FOLDERS[1:], "/nowhere.md", "/nowhere"]:
        for each in dict.fromkeys((path, encode(path), f"{path}/v1", f"{path}/v2")):
            yield Request("FETCH", each, {})
        yield Request("LIST", path, {"page-size": "2"})
        yield Request("VERSIONS", path, {})
        for fields in ({"query": "*"}, {"query": "shared", "filter": "tag=shared"}):
            yield Request("LOOKUP", path, fields)
    for page in world.pages:
        for match in ("catalog", "body"):
            yield Request("LOOKUP", "/", {"query": min(page.words()), "match": match})


@pytest.mark.proves("RS1", "RS2")
@pytest.mark.parametrize("patterns", [("/open/**",), ("/*/open", "/ünï/**"), ("/**/n*2.md", "/secret"), ()])
async def test_over_mark_a_world_without_the_rest_is_the_same(
    tmp_path: Path, patterns: tuple[str, ...]
) -> None:
    world, reader = World.of(7), Reader(patterns)
    forbidden = world.forbidden(reader)
    async with lived(world, tmp_path, "whole") as whole, lived(world, tmp_path, "part", reader) as part:
        for request in requests(world):
            data = encode_request(request)
            told = [await answer_bytes(data, desk.within(reader)) for desk in (whole, part)]
            assert leaked(told[0].decode(), forbidden, [request.path, *request.fields.values()]) == set()
            assert _TAGS.sub(b"TIME", told[0]) == _TAGS.sub(b"TIME", told[1]), request


@asynccontextmanager
async def mounted(folders: dict[str, Path], data: Path) -> AsyncIterator[Desk]:
    stores = tuple(Mount(name, str(folder)) for name, folder in folders.items())
    async with open_desk(Settings(stores=stores, data=data, patience=math.inf)) as desk:
        assert await desk.ready(30)
        yield desk


def asked(world: World) -> Iterator[Call]:
    for store in ("a", "b", "c"):
        for path in [*world.paths(), *FOLDERS[1:], "/", "/nowhere.md"]:
            url = f"mark://{store}{path}"
            yield "mark_fetch", {"url": url}
            yield "mark_versions", {"url": url}
            yield "mark_list", {"url": url}
            yield "mark_lookup", {"query": "*", "url": url}
    for page in world.pages:
        yield "mark_lookup", {"query": min(page.words())}
    yield "mark_list", {}
    yield "mark_list", {"url": "mark:///"}
    yield "mark_fetch", {"url": "/open/n001.md"}
    yield "mark_lookup", {"query": "*", "url": "/open"}
    yield "mark_lookup", {"query": "*", "limit": 1000}


@pytest.mark.proves("RS1", "RS2")
@pytest.mark.parametrize("inner", ["/open/**", "/**/n*2.md"])
async def test_of_several_stores_only_what_the_patterns_name_is_there(tmp_path: Path, inner: str) -> None:
    world, alone = World.of(3), Reader((inner,))
    reader = Reader((f"mark://a{inner}", "/secret"))
    for name, only in (("whole", None), ("part", alone), ("other", None)):
        (tmp_path / name).mkdir()
        world.write(tmp_path / name, only)
    (tmp_path / "none").mkdir()
    forbidden = world.forbidden(alone, moved=False)
    async with (
        mounted({"a": tmp_path / "whole", "b": tmp_path / "other"}, tmp_path / "d1") as every,
        mounted({"a": tmp_path / "part", "b": tmp_path / "none"}, tmp_path / "d2") as few,
    ):
        whole, part = every.within(reader), few.within(reader)
        for tool, arguments in asked(world):
            text = await answered(whole, (tool, arguments))
            assert leaked(text, forbidden, arguments.values()) == set(), (arguments, text)
            assert timeless(text) == timeless(await answered(part, (tool, arguments))), (tool, arguments)
            if "mark://b" in str(arguments):
                unknown = {"url": str(arguments["url"]).replace("mark://b", "mark://zzz")}
                assert text == await answered(whole, (tool, {**arguments, **unknown}))
        assert "mark://b" not in await answered(whole, ("mark_list", {}))
        for typed in ("", "/", "mark://", "mark://a/", "mark://b/", "mark://b/open/n"):
            assert await complete_path(whole, typed) == await complete_path(part, typed)
