"""What is offered beside the tools: resources, completions, prompts, progress, and cancelled calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest
from inline_snapshot import snapshot
from mcp import Client, MCPError
from mcp_types import PromptReference, ResourceTemplateReference, TextContent, TextResourceContents

from mark_server.desk import Desk
from mark_store import Progress
from tests.server.listened import listened
from tests.server.surfaces import HANDSHAKE, STATELESS, Surface, in_memory
from tests.server.test_drive import SlowStore, desk_before, world
from tests.waiting import until

NO_SECTION = (
    "section #none not found in /notes/rumours.md; available anchors: none, the document has no headings"
)
CARRIERS = ("memory", "http")
ERAS = (HANDSHAKE, STATELESS)


async def read(surface: Surface, uri: str) -> str:
    (contents,) = (await surface.client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "text/markdown")
    return contents.text


async def completed(surface: Surface, typed: str, uri: str = "mark://{+path}") -> list[str]:
    result = await surface.client.complete(
        ResourceTemplateReference(type="ref/resource", uri=uri), {"name": "path", "value": typed}
    )
    assert result.completion.has_more is False
    assert result.completion.total == len(result.completion.values)
    return result.completion.values


@pytest.mark.proves("HT2")
async def test_there_is_one_template_and_no_list_of_documents(music: Surface) -> None:
    assert (await music.client.list_resources()).resources == []
    (template,) = (await music.client.list_resource_templates()).resource_templates
    assert (template.uri_template, template.mime_type) == ("mark://{+path}", "text/markdown")


@pytest.mark.proves("HT2")
@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("mark:///notes/rumours.md", "/notes/rumours.md"),
        ("mark://notes/rumours.md", "/notes/rumours.md"),
        ("/notes/rumours.md", "/notes/rumours.md"),
        ("mark:///labels/north%20star.md#tape-returns", "/labels/north star.md#tape-returns"),
        ("mark:///bands/pale-ferrymen.md/v1", "/bands/pale-ferrymen.md/v1"),
    ],
)
async def test_a_resource_is_the_text_of_a_document_a_section_or_a_version(
    music: Surface, uri: str, url: str
) -> None:
    fetched = await music.text("mark_fetch", url=url, force=True)
    assert await read(music, uri) == fetched.partition("\n\n")[2]


@pytest.mark.proves("HT2")
@pytest.mark.parametrize(
    ("uri", "line"),
    [
        ("mark:///nowhere.md", "mark:///nowhere.md: not-found"),
        ("mark:///../secret.md", "mark:///../secret.md: not-found"),
        ("test://x", "test://x: not-found"),
        ("mark:///notes/tape.md", "/notes/tape.md is not text"),
        (
            "mark:///notes/rumours.md#none",
            NO_SECTION,
        ),
    ],
)
async def test_a_resource_that_is_not_there_is_the_protocol_s_error(
    music: Surface, uri: str, line: str
) -> None:
    with pytest.raises(MCPError) as caught:
        await read(music, uri)
    assert (caught.value.error.code, caught.value.error.message) == (-32602, line)
    assert caught.value.error.data == {"uri": uri}


@pytest.mark.proves("HT3")
async def test_a_path_is_completed_one_level_at_a_time(music: Surface) -> None:
    assert await completed(music, "") == snapshot(
        ["/albums/", "/bands/", "/festivals/", "/genres/", "/labels/", "/notes/"]
    )
    assert await completed(music, "/ba") == await completed(music, "ba") == ["/bands/"]
    assert await completed(music, "/labels/nor") == ["/labels/north%20star.md"]
    assert await completed(music, "/labels/north%20s") == ["/labels/north%20star.md"]
    assert await completed(music, "/notes/ta") == []
    assert await completed(music, "/nowhere/x") == await completed(music, "/zz") == []


@pytest.mark.proves("HT3")
async def test_after_a_hash_anchors_are_completed(music: Surface) -> None:
    found = await completed(music, "/labels/north%20star.md#ta")
    assert found == ["/labels/north%20star.md#tape-returns"]
    assert await completed(music, "/nowhere.md#ta") == []


@pytest.mark.proves("HT3")
async def test_nothing_else_has_completions(music: Surface) -> None:
    assert await completed(music, "/ba", uri="other://{+path}") == []
    result = await music.client.complete(
        PromptReference(type="ref/prompt", name="mixed"), {"name": "question", "value": "w"}
    )
    assert result.completion.values == []


@pytest.mark.proves("HT4")
async def test_the_reader_policies_are_prompts(music: Surface) -> None:
    listed = (await music.client.list_prompts()).prompts
    assert [prompt.name for prompt in listed] == ["budget-first", "section-first", "mixed"]
    for prompt in listed:
        assert prompt.title
        assert prompt.description
        assert [(argument.name, argument.required) for argument in prompt.arguments or []] == [
            ("question", False)
        ]
        plain = await said(music, prompt.name)
        asked = await said(music, prompt.name, question="Who taught whom?")
        assert "mark_lookup" in plain
        assert asked == f"{plain}\nQuestion: Who taught whom?\n"
    with pytest.raises(MCPError) as caught:
        await said(music, "other")
    assert caught.value.error.message == (
        "unknown prompt other; the prompts are budget-first, section-first, mixed"
    )


async def said(surface: Surface, name: str, **arguments: str) -> str:
    (message,) = (await surface.client.get_prompt(name, arguments or None)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


@asynccontextmanager
async def carried(carrier: str, desk: Desk, era: str) -> AsyncIterator[Surface]:
    """A client of this very desk."""
    if carrier == "memory":
        async with in_memory(desk, era) as surface:
            yield surface
        return
    async with listened(desk) as server, Client(server.url, mode=era) as client:
        yield Surface(client)


@pytest.mark.proves("HT5")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("carrier", CARRIERS)
async def test_who_gave_a_token_is_told_how_far_indexing_is(carrier: str, era: str) -> None:
    done, complete = [3], anyio.Event()
    told: list[tuple[float, float | None, str | None]] = []

    async def ready(_seconds: float) -> bool:
        await complete.wait()
        return True

    def far() -> Progress | None:
        return None if complete.is_set() else Progress(done[0], 10)

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    store = SlowStore(world(1), released={"*"})
    desk = replace(desk_before(store), ready=ready, progress=far)
    async with carried(carrier, desk, era) as surface, anyio.create_task_group() as group:

        async def ask() -> None:
            result = await surface.client.call_tool("mark_lookup", {"query": "quark"}, progress_callback=hear)
            assert not result.is_error

        group.start_soon(ask)
        await until(lambda: len(told) == 1)
        done[0] = 7
        await until(lambda: len(told) == 2)
        complete.set()
    assert told == [(3, 10, "indexing: 3 of 10 files"), (7, 10, "indexing: 7 of 10 files")]


@pytest.mark.proves("HT5")
@pytest.mark.parametrize("era", ERAS)
async def test_a_wrong_argument_is_one_line_while_indexing_too(era: str) -> None:
    desk = replace(desk_before(SlowStore(world(1), released={"*"})), progress=lambda: Progress(3, 10))
    async with carried("memory", desk, era) as surface:
        for wrong in ({"url": "/row0.md#nope"}, {"url": "/row0.md", "start": 999_999}):
            result = await surface.client.call_tool("mark_fetch", wrong)
            assert result.is_error
            assert result.content[0].text.count("\n") == 0  # type: ignore[union-attr]  # ours are texts


# Over HTTP clients of the handshake post a notification and keep the connection; without sessions it is lost.
@pytest.mark.proves("HT6")
@pytest.mark.parametrize(
    ("carrier", "era"), [("memory", HANDSHAKE), ("memory", STATELESS), ("http", STATELESS)]
)
async def test_a_cancelled_call_stops_its_fetches(carrier: str, era: str) -> None:
    store = SlowStore(world(8))
    # No deadline of ours that could end them instead.
    async with carried(carrier, desk_before(store, 60), era) as surface:
        async with anyio.create_task_group() as group:
            call = {"query": "quark", "budget": 4000}
            group.start_soon(surface.client.call_tool, "mark_lookup", call)
            await until(lambda: store.in_flight == 4)
            group.cancel_scope.cancel()
        await until(lambda: store.in_flight == 0)
        assert len(store.cancelled) == 4
        assert store.answered == []
