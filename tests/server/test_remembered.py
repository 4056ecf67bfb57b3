"""Answers that are given again: only while they would be the same, and never to a reader of another scope."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from mark_server.arguments import Arguments, checked
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.remembered import Remembered
from mark_server.settings import Settings
from mark_store import Reader, Unavailable
from tests.server.listened import listened, text
from tests.server.test_drive import SlowStore, desk_before, world
from tests.store.tree import age, plant
from tests.waiting import until

FILES = {
    "/a.md": "# A\n\nkiwi and lime\n",
    "/b.md": "---\nrel-x: /deep/c.md\n---\n# B\n\nkiwi kiwi\n",
    "/deep/c.md": "# C\n\nnothing of the sort\n",
}
LOOKUP = checked("mark_lookup", {"query": "kiwi", "budget": 1500})
ALL = (
    LOOKUP,
    checked("mark_lookup", {"query": "kiwi"}),
    checked("mark_fetch", {"url": "/a.md"}),
    checked("mark_fetch", {"url": "/b.md/v1"}),
    checked("mark_list", {}),
    checked("mark_versions", {"url": "/a.md"}),
)


class Memory:
    """A memory, and how often it was of use."""

    def __init__(self) -> None:
        self.again = 0
        self.remembered = Remembered(self._count)

    def _count(self) -> None:
        self.again += 1

    async def ask(self, desk: Desk, arguments: Arguments = LOOKUP) -> str:
        return await call(desk, arguments, self.remembered)

    async def warm(self, desk: Desk, arguments: Arguments = LOOKUP) -> str:
        """Ask until the answer comes from memory."""
        before = self.again

        async def known() -> bool:
            await self.ask(desk, arguments)
            return self.again > before

        await until(known)
        return await self.ask(desk, arguments)


@pytest.fixture
async def fruit(tmp_path: Path) -> AsyncIterator[tuple[Path, Desk]]:
    """A small world that tests may change, and its desk."""
    root = tmp_path / "root"
    root.mkdir()
    plant(root, FILES)
    age(root)
    async with open_desk(Settings(store=str(root), data=tmp_path / "data")) as desk:
        assert await desk.ready(30)
        yield root, desk


@pytest.mark.proves("VA1", "HT17")
async def test_what_a_vanished_folder_still_tells_is_told_as_often_as_it_is_asked(
    fruit: tuple[Path, Desk],
) -> None:
    root, desk = fruit
    memory, kept = Memory(), checked("mark_fetch", {"url": "/b.md/v1"})
    await memory.warm(desk, LOOKUP)
    root.rename(root.with_name("away"))
    asked = [await memory.ask(desk, kept) for _ in range(4)]
    assert {answer.partition("\n")[0] for answer in asked} == {"status: ok"}
    assert len(set(asked)) == 1
    assert "kiwi kiwi" in asked[0]
    assert [(await memory.ask(desk)).partition("\n")[0] for _ in range(3)] == ["status: server-error"] * 3
    root.with_name("away").rename(root)
    assert "kiwi and lime" in await memory.ask(desk)


@pytest.mark.proves("HT17")
@pytest.mark.parametrize("arguments", ALL, ids=range(len(ALL)))
async def test_an_answer_that_is_given_again_is_the_same(
    fruit: tuple[Path, Desk], arguments: Arguments
) -> None:
    _, desk = fruit
    memory = Memory()
    assert await memory.warm(desk, arguments) == await call(desk, arguments)


@pytest.mark.proves("HT17")
@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("arguments", ALL, ids=range(len(ALL)))
async def test_a_changed_document_is_never_answered_from_memory(
    fruit: tuple[Path, Desk], arguments: Arguments, path: str
) -> None:
    root, desk = fruit
    memory = Memory()
    await memory.warm(desk, arguments)
    for word in ("lime", "pear", "plum"):
        plant(root, {path: f"# {word}\n\nkiwi {word}\n"})
        # Its own answer first: it may say no more than one that is made now would.
        answer = await memory.ask(desk, arguments)
        assert answer == await call(desk, arguments)
        if path in ("/a.md", "/b.md") and arguments is LOOKUP:
            assert word in answer
        await memory.warm(desk, arguments)


@pytest.mark.proves("HT17")
async def test_new_and_deleted_documents_are_seen_at_once(fruit: tuple[Path, Desk]) -> None:
    root, desk = fruit
    memory = Memory()
    assert "matches: 2\n" in await memory.warm(desk)
    plant(root, {"/deep/new.md": "# New\n\nkiwi\n"})
    assert "matches: 3\n" in await memory.ask(desk)
    (root / "a.md").unlink()
    assert "matches: 2\n" in await memory.ask(desk)


@pytest.mark.proves("HT17", "HT8")
async def test_readers_of_different_scopes_share_nothing(fruit: tuple[Path, Desk]) -> None:
    _, desk = fruit
    memory = Memory()
    narrow = replace(desk, reader=Reader(("/a.md",)))
    whole = await memory.warm(desk)
    assert "/b.md" in whole
    for _ in range(4):
        answer = await memory.ask(narrow)
        assert answer == await call(narrow, LOOKUP)
        assert "/b.md" not in answer
    assert await memory.ask(desk) == whole


@pytest.mark.proves("HT17")
async def test_what_comes_once_is_not_kept_and_memory_has_an_end(fruit: tuple[Path, Desk]) -> None:
    _, desk = fruit
    again: list[int] = []
    small = Remembered(lambda: again.append(1), most=1500)
    for number in range(40):
        arguments = checked("mark_lookup", {"query": f"kiwi {number}"})
        assert await call(desk, arguments, small) == await call(desk, arguments)
    assert again == []
    for _ in range(4):
        for number in range(20):
            await call(desk, checked("mark_lookup", {"query": f"kiwi {number}"}), small)
    assert again == []
    await call(desk, checked("mark_lookup", {"query": "kiwi 19"}), small)
    assert again == [1]


@pytest.mark.proves("HT17")
async def test_a_store_that_cannot_tell_is_always_asked() -> None:
    store = SlowStore({**world(1)}, released={"*"})
    memory = Memory()
    for _ in range(4):
        await memory.ask(desk_before(store))
    assert (len(store.started), memory.again) == (4, 0)


@pytest.mark.proves("HT17")
async def test_an_answer_with_a_failure_in_it_is_not_kept() -> None:
    class Vouching(SlowStore):
        async def standing(self, paths: object) -> int:
            del paths
            return 1

    documents = {**world(2), "/row1.md": Unavailable("the shelf", "it fell over")}
    store = Vouching(documents, released={"*"})
    memory = Memory()
    for _ in range(4):
        assert "server-error" in await memory.ask(desk_before(store), LOOKUP)
    assert memory.again == 0
    store.documents = world(2)
    for _ in range(4):
        await memory.ask(desk_before(store), LOOKUP)
    assert memory.again == 3


@pytest.mark.proves("HT17", "HT15")
async def test_answers_that_are_given_again_are_counted(fruit: tuple[Path, Desk]) -> None:
    _, desk = fruit
    async with listened(desk) as server, server.client() as client:

        async def counted() -> bool:
            answer = await server.call("mark_lookup", query="kiwi", budget=1500)
            assert text(answer) == await call(desk, LOOKUP)
            figures = (await client.get("/metrics")).text
            return "marklookup_answers_again_total 0.0" not in figures

        await until(counted)


@pytest.mark.proves("HT17")
async def test_what_others_declare_is_part_of_what_is_remembered(tmp_path: Path) -> None:
    plant(tmp_path / "docs", {"/plan.md": "# Quartz plan\n\nkiwi\n", "/other.md": "# Other\n\nlime\n"})
    ask = checked("mark_lookup", {"query": "what replaced the Quartz plan", "budget": 1500})
    settings = Settings(store=str(tmp_path / "docs"), data=tmp_path / "data", patience=60)
    async with open_desk(settings) as desk:
        memory = Memory()
        assert "other.md" not in await memory.warm(desk, ask)
        plant(tmp_path / "docs", {"/other.md": "---\nrel-replaces: /plan.md\n---\n# Other\n\nlime\n"})

        async def told() -> bool:
            return "/other.md" in await call(desk, ask)

        await until(told)
        assert await memory.ask(desk, ask) == await call(desk, ask)
