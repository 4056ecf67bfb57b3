"""A folder that vanishes under a spawned server: among several stores, and alone."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.server.surfaces import Surface
from tests.server.test_several_stores import serving
from tests.store.tree import plant
from tests.waiting import until

pytestmark = pytest.mark.anyio

GONE = "its folder is gone"
EMPTY = "its folder is empty and not the one that held its documents (not mounted?)"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with two folders to serve."""
    plant(tmp_path / "docs", {"/a.md": "# Kiwi plan\n\nThe kiwi plan.\n"})
    plant(tmp_path / "wiki", {"/b.md": "# Kiwi page\n\nAbout the kiwi.\n"})
    return tmp_path


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


async def found(surface: Surface, head: str, **arguments: object) -> str:
    """What a lookup finds once its head is as it should be."""

    async def asked() -> str:
        text = await surface.text("mark_lookup", query="kiwi", **arguments)
        return text if text.partition("\n\n")[0] == head else ""

    return await until(asked, 30)


@pytest.mark.proves("VA3", "SS3")
async def test_a_mounted_folder_that_vanishes_fails_and_comes_back(
    stack: AsyncExitStack, place: Path
) -> None:
    surface, _ = await serving(stack, place, "docs", "wiki")
    await found(surface, "status: ok\nmatches: 2")
    docs, away = place / "docs", place / "away"
    docs.rename(away)
    for reason in (GONE, EMPTY):
        # The very next lookup says it, with a budget and without.
        for budget in (0, 500):
            text = await surface.text("mark_lookup", query="kiwi", budget=budget)
            assert text.startswith(f"status: ok\nmatches: 1\nfailed: docs: {reason}\n\n")
            assert "mark://wiki/b.md" in text
            assert "mark://docs/" not in text
        for tool in ("mark_fetch", "mark_versions"):
            told = await surface.text(tool, url="mark://docs/a.md")
            assert told == f"status: server-error\n\ndocs: {reason}; try again\n"
        assert "The kiwi plan." in await surface.text("mark_fetch", url="mark://docs/a.md/v1")
        docs.mkdir(exist_ok=True)
    docs.rmdir()
    plant(away, {"/a.md": "# Kiwi plan\n\nAnother kiwi plan.\n"})
    away.rename(docs)
    assert "mark://docs/a.md" in await found(surface, "status: ok\nmatches: 2")
    assert "Another kiwi plan." in await surface.text("mark_fetch", url="mark://docs/a.md")
    history = await surface.text("mark_versions", url="mark://docs/a.md")
    assert "- [v2]" in history
    assert "- [v1]" in history
    assert "archived" not in history


@pytest.mark.proves("VA3")
async def test_a_folder_that_is_served_alone_says_the_same(stack: AsyncExitStack, place: Path) -> None:
    surface, _ = await serving(stack, place, "docs")
    await found(surface, "status: ok\nmatches: 1")
    # Asked for twice an answer is remembered; it must not outlive its folder.
    before = await found(surface, "status: ok\nmatches: 1")
    docs, away = place / "docs", place / "away"
    docs.rename(away)
    for tool, arguments in (
        ("mark_lookup", {"query": "kiwi"}),
        ("mark_lookup", {"query": "kiwi", "budget": 500}),
        ("mark_fetch", {"url": "/a.md"}),
        ("mark_list", {}),
    ):
        told = await surface.text(tool, **arguments)
        assert told == f"status: server-error\n\ndocs: {GONE}; try again\n"
    away.rename(docs)
    assert await found(surface, "status: ok\nmatches: 1") == before
