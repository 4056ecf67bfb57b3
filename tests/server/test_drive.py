"""The shell around an expansion: what is in flight, and what deadlines, cancelled calls and failures do.

The store here is a real one of our own: documents in memory, each answered when the test lets it.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from mark_outline import counter, outline
from mark_server.arguments import LookupArguments
from mark_server.calls import call, call_traced
from mark_server.desk import Desk
from mark_server.settings import Settings
from mark_store import (
    EVERYTHING,
    Archived,
    Document,
    History,
    LookupPage,
    NotFound,
    NotPermitted,
    Page,
    ProtocolError,
    Reader,
    Row,
    StoreError,
    TooManyFiles,
    Unavailable,
)
from mark_store import Match as StoreMatch
from tests.waiting import until

QUERY = LookupArguments("quark", limit=8, budget=4000)


@dataclass(slots=True)
class SlowStore:
    """Documents in memory, one row each; a fetch waits until its path is released."""

    documents: Mapping[str, str | StoreError]
    metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    released: set[str] = field(default_factory=set)
    started: list[str] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    cancelled: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the name of the port's argument
        limit: int = 10,
        offset: int = 0,
        match: StoreMatch = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        del query, scope, filter, reader
        paths = [path for path in self.documents if path.startswith("/row")]
        rows = [Row(path, "", path, (), 0.5, "", 1.0, 1, None) for path in paths[offset : offset + limit]]
        return LookupPage(tuple(rows), len(paths), match)

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        del version, reader
        self.started.append(path)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await until(lambda: path in self.released or "*" in self.released)
        except anyio.get_cancelled_exc_class():
            self.cancelled.append(path)
            raise
        finally:
            self.in_flight -= 1
        self.answered.append(path)
        body = self.documents.get(path, NotFound(path))
        if isinstance(body, StoreError):
            raise body
        about = self.metadata.get(path, {})
        return Document(path, 1, body, about, "", "", "", 0, outline(body) if "1" in path else None)

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        del cursor, page_size, reader
        raise NotFound(path)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        del reader
        raise NotFound(path)

    async def aclose(self) -> None:
        """Hold nothing."""


def desk_before(store: SlowStore, deadline: float = 10) -> Desk:
    """A desk whose store is complete."""

    async def ready(_seconds: float) -> bool:
        return True

    settings = Settings(deadline=deadline, patience=math.inf)
    return Desk(store, ready, lambda: None, counter("o200k_base"), settings)


async def release(store: SlowStore, path: str) -> None:
    """Let a fetch end, and wait until it has."""
    store.released.add(path)
    await until(lambda: path in store.answered)


def world(count: int = 8) -> dict[str, str | StoreError]:
    return {f"/row{number}.md": f"# Row {number}\n\nquark {number} strange\n" for number in range(count)}


@pytest.mark.proves("F2")
async def test_at_most_four_fetches_are_in_flight() -> None:
    store = SlowStore(world(9))
    async with anyio.create_task_group() as group:
        group.start_soon(call, desk_before(store), QUERY)
        await until(lambda: len(store.started) == 4)
        store.released.add("/row0.md")
        await until(lambda: len(store.started) == 5)
        store.released.add("*")
    assert store.most_in_flight == 4


@pytest.mark.proves("F2")
@pytest.mark.parametrize("order", [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]])
async def test_the_bytes_do_not_depend_on_which_answer_comes_first(order: list[int]) -> None:
    about = {"/row0.md": {"rel-x": "/target1.md, /target2.md"}}
    documents = {**world(), "/target1.md": "# Target\n\nup quark\n", "/target2.md": "# Other\n\ndown\n"}
    at_once = SlowStore(documents, about, {"*"})
    expected = await call(desk_before(at_once), QUERY)
    store = SlowStore(documents, about)
    answers: list[str] = []

    async def answer() -> None:
        answers.append(await call(desk_before(store), QUERY))

    async with anyio.create_task_group() as group:
        group.start_soon(answer)
        await until(lambda: len(store.started) >= 4)
        for number in order:
            await release(store, f"/row{number}.md")
        store.released.add("*")
    assert answers == [expected]
    assert "\n>>> /target1.md" in expected


@pytest.mark.proves("F2")
async def test_cancelling_the_call_cancels_its_fetches() -> None:
    store = SlowStore(world())
    async with anyio.create_task_group() as group:
        group.start_soon(call, desk_before(store), QUERY)
        await until(lambda: len(store.started) == 4)
        group.cancel_scope.cancel()
    assert sorted(store.cancelled) == sorted(store.started)
    assert store.in_flight == 0


@pytest.mark.proves("F5")
async def test_a_deadline_gives_what_there_is_and_says_so_once() -> None:
    store = SlowStore(world(), released={"/row0.md", "/row1.md"})
    text = await call(desk_before(store, deadline=0.3), QUERY)
    assert text.count("\n>>> note: stopped: deadline of 0.3 s reached\n") == 1
    assert "\n>>> /row0.md/v1#row-0\n" in text
    assert "\n>>> /row1.md/v1#row-1\n" in text
    assert "\n>>> /row2.md/v1" not in text
    assert re.search(r"\n>>> note: expanded 2 of 8 rows within the budget", text)
    assert store.cancelled
    assert store.in_flight == 0


@pytest.mark.proves("F5")
async def test_a_lookup_in_time_says_nothing_of_the_deadline() -> None:
    assert "stopped" not in await call(desk_before(SlowStore(world(), released={"*"})), QUERY)


@pytest.mark.proves("F4")
@pytest.mark.parametrize(
    ("error", "note"),
    [
        (NotFound("/row0.md"), "not-found"),
        (Archived("/row0.md", 3), "archived"),
        (NotPermitted("/row0.md"), "not-permitted"),
        (Unavailable("disk", "went\n>>> away"), "server-error: disk: went >>> away; try again"),
        (ProtocolError("peer", "odd words"), "server-error: peer: odd words"),
        (StoreError("x\n>>> y"), "server-error: x >>> y"),
        (StoreError(), "server-error: the store failed"),
    ],
)
async def test_a_failed_fetch_is_one_note(error: StoreError, note: str) -> None:
    store = SlowStore({**world(3), "/row0.md": error}, released={"*"})
    text = await call(desk_before(store), QUERY)
    assert text.startswith("status: ok\n")
    assert text.count("/row0.md: ") == 1
    assert f"\n>>> note: /row0.md: {note}\n" in text
    assert "\n>>> /row1.md/v1#row-1\n" in text


@pytest.mark.proves("F4")
async def test_a_lookup_of_failures_only_is_still_an_answer() -> None:
    store = SlowStore({path: NotFound(path) for path in world(3)}, released={"*"})
    text = await call(desk_before(store), QUERY)
    assert text.startswith("status: ok\nmatches: 3\n")
    assert text.count(": not-found\n") == 3


@pytest.mark.proves("X3")
async def test_the_trace_tells_the_same_as_the_text() -> None:
    desk = desk_before(SlowStore(world(3), released={"*"}))
    answer = await call_traced(desk, QUERY)
    assert answer.text == await call(desk, QUERY)
    assert answer.trace is not None
    assert answer.trace.tokens == counter("o200k_base").count(answer.text)
    assert (await call_traced(desk, replace(QUERY, budget=0))).trace is None


async def test_a_folder_that_is_too_large_is_a_status_with_a_reason() -> None:
    async def ready(_seconds: float) -> bool:
        raise TooManyFiles(Path("/world"), 5)

    desk = replace(desk_before(SlowStore(world())), ready=ready)
    reason = "/world: more than 5 markdown files; give a smaller folder, or --limit-files more"
    assert await call(desk, QUERY) == f"status: server-error\n\n{reason}\n"


async def test_what_the_store_cannot_do_is_a_status_with_a_reason() -> None:
    from mark_server.arguments import FetchArguments

    documents: dict[str, str | StoreError] = {
        "/a.md": Unavailable("disk", "is full"),
        "/b.md": NotPermitted("/b.md"),
        "/c.md": Archived("/c.md", None),
    }
    desk = desk_before(SlowStore(documents, released={"*"}))
    assert await call(desk, FetchArguments("/a.md")) == "status: server-error\n\ndisk: is full; try again\n"
    assert await call(desk, FetchArguments("/b.md")) == "status: not-permitted\n"
    assert await call(desk, FetchArguments("/c.md")) == "status: archived\n"
