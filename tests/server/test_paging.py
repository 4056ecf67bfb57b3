"""Paging through `mark_fetch`: following `next` gives the text byte for byte, each page within its budget."""

import re
from pathlib import Path

import pytest

from mark_outline import counter
from mark_server.arguments import FetchArguments
from mark_server.calls import call
from mark_server.desk import Desk
from tests.server.surfaces import Surface

_NEXT = re.compile(r"^next: start=(\d+)$", re.MULTILINE)


async def paged(surface: Surface, url: str, budget: int) -> str:
    """The text of a location, page by page."""
    count = counter("o200k_base").count
    start: int | None = 0
    text = ""
    while start is not None:
        page = await surface.text("mark_fetch", url=url, start=start, budget=budget)
        assert count(page) <= budget
        head, _, body = page.partition("\n\n")
        text += body
        following = _NEXT.search(head)
        assert following is None or int(following[1]) == len(text)
        start = int(following[1]) if following else None
    return text


@pytest.mark.proves("T8")
@pytest.mark.parametrize("budget", [40, 133, 1000])
@pytest.mark.parametrize(
    "url",
    [
        "/bands/pale-ferrymen.md",
        "/bands/meltemi-nine.md",
        "/bands/todaimori.md",
        "/bands/paper-river.md",
        "/bands/nahr-al-milh.md",
        "/genres/tidewave.md#-the-tide-pedal",
        "/albums/low-water.md",
        "/festivals/saltpan.md#stages",
    ],
)
async def test_pages_joined_are_the_text(music: Surface, url: str, budget: int) -> None:
    whole = await music.text("mark_fetch", url=url, force=True)
    assert await paged(music, url, budget) == whole.partition("\n\n")[2]


@pytest.mark.proves("T8")
async def test_a_large_file_of_one_line_is_paged(tmp_path: Path) -> None:
    from tests.server.surfaces import opened

    text = "the tide turns " * 20_000
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "line.md").write_text(text, encoding="utf-8")
    async with opened("memory", tmp_path / "world", tmp_path / "data") as surface:
        assert await paged(surface, "/line.md", 900) == text


@pytest.mark.proves("T8")
async def test_an_empty_text_keeps_the_budget_too(music_desk: Desk) -> None:
    from mark_server.checks import ArgumentError

    with pytest.raises(ArgumentError, match=r"^budget must leave room for text, got 1: "):
        await call(music_desk, FetchArguments("/notes/unwritten.md", budget=1))
