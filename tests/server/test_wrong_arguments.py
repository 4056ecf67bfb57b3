"""Wrong arguments: one line that says what was given, what is allowed and an example; never a stack trace."""

import json
from typing import Any

import pytest

from mark_server.arguments import FetchArguments, LookupArguments, checked
from mark_server.checks import ArgumentError, shown
from mark_server.desk import Desk
from tests.server.surfaces import STATELESS, Surface, in_memory
from tests.server.wrong_arguments import CASES, HUGE, QUERY


@pytest.mark.proves("T4", "B5")
@pytest.mark.parametrize(("tool", "arguments", "line"), CASES)
async def test_a_wrong_argument_is_one_line(
    music: Surface, tool: str, arguments: dict[str, Any], line: str
) -> None:
    assert await music.wrong(tool, **arguments) == line


@pytest.mark.proves("T4")
@pytest.mark.parametrize("value", [HUGE, -HUGE, [HUGE], float("nan"), float("inf"), object()], ids=range(6))
def test_a_value_that_cannot_be_shown_is_no_other_error(value: object) -> None:
    with pytest.raises(ArgumentError) as caught:
        checked("mark_lookup", {**QUERY, "limit": value})
    assert str(caught.value).startswith("limit must be a whole number from 1 to 1000, got ")
    assert len(str(caught.value)) < 200


@pytest.mark.proves("T4")
def test_what_is_given_is_shown_on_one_sound_line() -> None:
    text = shown("\ud800\x1b[31m a\r\n\u2028b" + "c" * 200)
    assert text == json.loads(json.dumps(text))
    assert text.encode().decode().isprintable()
    assert len(text) == 60


@pytest.mark.proves("T4")
async def test_half_a_surrogate_pair_never_leaves_the_server(music_desk: Desk) -> None:
    async with in_memory(music_desk, STATELESS) as surface:
        for tool, name in (("mark_lookup", "query"), ("mark_fetch", "url"), ("mark_list", "url")):
            text = await surface.text(tool, **{name: "/notes\ud800"})
            assert text.encode()
        assert "�" in await surface.text("mark_lookup", query="tide \udcff")
        assert (await surface.wrong("mark_list", cursor="\ud800")).encode()


async def test_a_pair_given_as_two_halves_is_one_character() -> None:
    given = checked("mark_lookup", {"query": "\ud83d\ude00"})
    assert isinstance(given, LookupArguments)
    assert given.query == "😀"


def test_what_clients_send_for_nothing_is_the_default() -> None:
    blank = {"url": "", "match": "", "filter": None, "limit": None, "verbose": None, "budget": None}
    assert checked("mark_lookup", {**QUERY, **blank}) == LookupArguments("tide")
    assert checked("mark_fetch", {"url": "/a.md", "start": -1, "force": "False"}) == FetchArguments("/a.md")
    assert checked("mark_fetch", {"url": "/a.md", "start": "0"}) == FetchArguments("/a.md", start=0)
    assert checked("mark_lookup", {**QUERY, "limit": 5.0}) == LookupArguments("tide", limit=5)
