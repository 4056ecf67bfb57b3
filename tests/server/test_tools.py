"""What a client is told before its first call, and what holds for every call: one text, the same on each surface."""

# ruff: noqa: E501 - whole results stand here as they are

import pytest
from inline_snapshot import snapshot
from mcp import MCPError

from mark_outline import counter
from mark_server.descriptions import INSTRUCTIONS
from tests.server.surfaces import Surface, only_text

MOST_TOOL_TOKENS = 1000
MOST_INSTRUCTION_TOKENS = 300


TOOLS = snapshot(
    [
        {
            "name": "mark_lookup",
            "description": "Search markdown. Without budget: a table of matching sections. With budget (tokens, whole result): a short table, the matching sections' text, one hop of rel-* relations of the best match, and what did not fit. detail: sections; excerpts (compact, has a budget of its own); full (documents). url: scope, a path or folder. filter: key=value,… (tag=, modified-after=, modified-before=, any front matter key). limit: rows, 1-1000. offset: first row. match: body (text) or catalog (title, tags). query * lists all.",
            "inputSchema": {
                "properties": {
                    "query": {"type": "string"},
                    "url": {"type": "string", "default": "/"},
                    "filter": {"type": "string", "default": ""},
                    "limit": {"type": "integer", "default": 10},
                    "offset": {"type": "integer", "default": 0},
                    "match": {"type": "string", "enum": ["body", "catalog"], "default": "body"},
                    "budget": {"type": "integer", "default": 0},
                    "detail": {
                        "type": "string",
                        "enum": ["sections", "excerpts", "full"],
                        "default": "sections",
                    },
                    "verbose": {"type": "boolean", "default": False},
                },
                "required": ["query"],
                "type": "object",
            },
            "annotations": {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        },
        {
            "name": "mark_fetch",
            "description": "Read a document, section (#anchor) or old version (/vN), by any location that a result printed. A large document comes as its outline unless force. budget (tokens) and start (characters) give one page; `next` in the result says where the following page starts.",
            "inputSchema": {
                "properties": {
                    "url": {"type": "string"},
                    "budget": {"type": "integer", "default": 0},
                    "start": {"type": "integer", "default": -1},
                    "force": {"type": "boolean", "default": False},
                    "verbose": {"type": "boolean", "default": False},
                },
                "required": ["url"],
                "type": "object",
            },
            "annotations": {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        },
        {
            "name": "mark_list",
            "description": "List a folder, one level. page_size: 1-1000; cursor: next-cursor of the page before.",
            "inputSchema": {
                "properties": {
                    "url": {"type": "string", "default": "/"},
                    "cursor": {"type": "string", "default": ""},
                    "page_size": {"type": "integer", "default": 100},
                },
                "type": "object",
            },
            "annotations": {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        },
        {
            "name": "mark_versions",
            "description": "List the versions of a document.",
            "inputSchema": {
                "properties": {"url": {"type": "string"}},
                "required": ["url"],
                "type": "object",
            },
            "annotations": {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        },
    ]
)


@pytest.mark.proves("T2")
async def test_the_list_of_tools_is_a_decision(music: Surface) -> None:
    listed = await music.client.list_tools()
    assert [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools] == TOOLS


@pytest.mark.proves("T2")
async def test_tools_and_instructions_are_cheap_to_carry(music: Surface) -> None:
    count = counter("o200k_base").count
    listed = await music.client.list_tools()
    assert count(listed.model_dump_json(by_alias=True, exclude_none=True)) <= MOST_TOOL_TOKENS
    assert count(INSTRUCTIONS) <= MOST_INSTRUCTION_TOKENS
    assert music.client.instructions in (INSTRUCTIONS, None)


@pytest.mark.proves("T2")
async def test_every_tool_is_marked_read_only(music: Surface) -> None:
    listed = await music.client.list_tools()
    hints = [tool.annotations for tool in listed.tools]
    assert all(hint and hint.read_only_hint and hint.idempotent_hint for hint in hints)
    assert not any(hint and (hint.destructive_hint or hint.open_world_hint) for hint in hints)


@pytest.mark.proves("T5")
async def test_an_unknown_tool_is_an_error_of_the_protocol(music: Surface) -> None:
    with pytest.raises(MCPError) as caught:
        await music.result("mark_write", url="/a.md")
    assert caught.value.error.code == -32602
    assert caught.value.error.message == snapshot(
        "unknown tool mark_write; the tools are mark_lookup, mark_fetch, mark_list, mark_versions"
    )


@pytest.mark.proves("T5")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mark_lookup", {"query": "salt"}),
        ("mark_fetch", {"url": "/notes/rumours.md"}),
        ("mark_list", {}),
        ("mark_versions", {"url": "/notes/rumours.md"}),
    ],
)
async def test_arguments_that_a_tool_does_not_know_are_ignored(
    music: Surface, tool: str, arguments: dict[str, object]
) -> None:
    plain = await music.text(tool, **arguments)
    assert await music.text(tool, **arguments, _client={"turn": 3}, depth="full", token=None) == plain


@pytest.mark.proves("T1")
async def test_a_result_is_one_text_that_ends_its_last_line(music: Surface) -> None:
    for result in (
        await music.result("mark_lookup", query="salt"),
        await music.result("mark_lookup", query="salt", budget=500),
        await music.result("mark_fetch", url="/nowhere.md"),
        await music.result("mark_fetch", url="/bands/pale-ferrymen.md"),
        await music.result("mark_list", url="/bands"),
        await music.result("mark_versions", url="/bands/pale-ferrymen.md"),
    ):
        assert only_text(result).endswith("\n")
        assert not only_text(result).endswith("\n\n\n")
