"""Several stores as one: addresses, one order of rows, failures, deadlines, readers."""

import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import anyio
import pytest

from mark_outline import relations
from mark_store import (
    EVERYTHING,
    AllFailed,
    Archived,
    BadFilter,
    BadQuery,
    BadRoot,
    FolderStore,
    LateStore,
    Link,
    Mounted,
    NotFound,
    NotPermitted,
    Opened,
    Progress,
    ProtocolError,
    Pruned,
    Reader,
    Row,
    SeveralStores,
    Store,
    StoreError,
    TooManyFiles,
    Unauthorized,
    Unavailable,
    Untrusted,
    is_mount_name,
)
from tests.store.conftest import Opener
from tests.store.tree import plant
from tests.waiting import until

pytestmark = pytest.mark.anyio

Planter = Callable[..., Awaitable[FolderStore]]


@pytest.fixture
def planted(opened: Opener, tmp_path: Path) -> Planter:
    """Opens a folder store over documents that are given by name and text."""

    async def plant_and_open(folder: str, **documents: str) -> FolderStore:
        plant(tmp_path / folder, {f"/{name}.md": text for name, text in documents.items()})
        return await opened(tmp_path / folder)

    return plant_and_open


def numbered(count: int, word: str = "kiwi") -> dict[str, str]:
    """So many documents, each of one row, in the order of their importance."""
    return {f"n{n:02}": f"---\nimportance: {1 - n / 100}\n---\n{word}\n" for n in range(count)}


def failing(error: StoreError) -> Store:
    """A store whose every answer is this error."""
    return Asked(error)


class Asked:
    """A store that raises an error, or without one never answers; it counts its questions."""

    def __init__(self, error: StoreError | None = None) -> None:
        self.error = error
        self.questions = 0

    async def lookup(self, *_: Any, **__: Any) -> NoReturn:
        await self._refuse()

    async def fetch(self, *_: Any, **__: Any) -> NoReturn:
        await self._refuse()

    async def list(self, *_: Any, **__: Any) -> NoReturn:
        await self._refuse()

    async def versions(self, *_: Any, **__: Any) -> NoReturn:
        await self._refuse()

    async def aclose(self) -> None:
        self.error = Unavailable("asked", "closed")

    async def _refuse(self) -> NoReturn:
        self.questions += 1
        if self.error:
            raise self.error
        await anyio.sleep_forever()
        raise AssertionError


def several(*stores: tuple[str, Store], **options: Any) -> SeveralStores:
    return SeveralStores([Mounted(name, Opened(store), **options) for name, store in stores])


def paths(rows: tuple[Row, ...]) -> list[str]:
    return [row.path for row in rows]


@pytest.mark.proves("SS1")
async def test_an_address_goes_to_its_store_alone(planted: Planter) -> None:
    docs, silent = await planted("a", x="# X\n\nkiwi\n"), Asked()
    stores = several(("docs", docs), ("other", silent))
    page = await stores.lookup("kiwi", scope="mark://docs/")
    assert (paths(page.rows), page.total, page.failed) == (["mark://docs/x.md"], 1, ())
    document = await stores.fetch("mark://DOCS:6309/x.md")
    assert document.path == "mark://docs/x.md"
    assert (await stores.fetch("mark://docs/x.md", 1)).body == document.body
    assert (await stores.versions("mark://docs/x.md")).path == "mark://docs/x.md"
    listed = await stores.list("mark://docs/")
    assert [entry.path for entry in listed.entries] == ["mark://docs/x.md"]
    assert silent.questions == 0


@pytest.mark.proves("SS1")
async def test_a_store_is_found_by_the_host_of_its_address_after_every_name(planted: Planter) -> None:
    one, two = await planted("a", x="one\n"), await planted("b", x="two\n")
    stores = SeveralStores(
        [
            Mounted("docs", Opened(one), hosts=frozenset({"docs.example", "wiki"})),
            Mounted("wiki", Opened(two), hosts=frozenset({"docs.example"})),
        ]
    )
    assert (await stores.fetch("mark://docs.example/x.md")).path == "mark://docs/x.md"
    assert (await stores.fetch("mark://wiki/x.md")).body == "two\n"
    assert stores.names == {"docs.example": "docs", "wiki": "wiki", "docs": "docs"}
    for address in ("mark://docs.example:7000/x.md", "mark://elsewhere/x.md", "https://docs/x.md"):
        with pytest.raises(NotFound):
            await stores.fetch(address)


@pytest.mark.proves("SS1")
async def test_an_address_without_a_store_is_refused_with_the_stores_there_are(planted: Planter) -> None:
    stores = several(("docs", await planted("a", x="kiwi\n")), ("wiki", await planted("b", y="kiwi\n")))
    for action in (stores.fetch, stores.list, stores.versions):
        with pytest.raises(BadQuery) as caught:
            await action("/x.md")
        assert "docs, wiki" in caught.value.allowed
    with pytest.raises(BadQuery):
        await stores.lookup("kiwi", scope="/x.md")
    for root in ("/", "mark:///", "mark://"):
        with pytest.raises(NotFound):
            await stores.fetch(root)
        assert (await stores.lookup("kiwi", scope=root)).total == 2


@pytest.mark.proves("SS1")
async def test_the_top_lists_the_stores_in_pages(planted: Planter) -> None:
    docs = await planted("a", x="kiwi\n")
    stores = several(*((name, docs) for name in ("c", "a", "b")))
    page = await stores.list("/", page_size=2)
    assert [(entry.path, entry.kind) for entry in page.entries] == [
        ("mark://c/", "store"),
        ("mark://a/", "store"),
    ]
    assert (page.total, page.path) == (3, "mark:///")
    assert page.cursor is not None
    rest = await stores.list("mark:///", page.cursor, 2)
    assert ([entry.path for entry in rest.entries], rest.cursor) == (["mark://b/"], None)
    for wrong in ({"cursor": "d"}, {"page_size": 0}):
        with pytest.raises(BadQuery):
            await stores.list("/", **wrong)


@pytest.mark.proves("SS2")
async def test_rows_are_interleaved_by_rank_and_weight(planted: Planter) -> None:
    one, two = await planted("a", **numbered(4)), await planted("b", **numbered(9))
    stores = SeveralStores([Mounted("one", Opened(one)), Mounted("two", Opened(two), weight=2)])
    page = await stores.lookup("kiwi", limit=50)
    order = [
        "two 0",
        "one 0",
        "two 1",
        "two 2",
        "one 1",
        "two 3",
        "two 4",
        "one 2",
        "two 5",
        "two 6",
        "one 3",
    ]
    expected = [f"mark://{name}/n{int(n):02}.md" for name, n in (entry.split() for entry in order)]
    assert paths(page.rows) == [*expected, "mark://two/n07.md", "mark://two/n08.md"]
    assert page.total == 13
    equal = await several(("one", one), ("two", two)).lookup("kiwi", limit=4)
    assert paths(equal.rows) == [f"mark://{name}/n0{n}.md" for n in (0, 1) for name in ("one", "two")]


@pytest.mark.proves("SS2", "RK1")
@pytest.mark.parametrize("limit", [1, 2, 3, 50])
async def test_documents_that_the_query_names_come_before_all_other_rows(
    planted: Planter, limit: int
) -> None:
    named = {"charter": "# Kiwi Charter\n\nRules.\n", "treaty": "# Lime Treaty\n\nRules.\n"}
    one = await planted("a", **numbered(5))
    two = await planted("b", **numbered(5), charter=named["charter"])
    three = await planted("c", **numbered(5), **named)
    stores = several(("one", one), ("two", two), ("three", three))
    query = "kiwi of the Kiwi Charter and the Lime Treaty"
    whole = await stores.lookup(query, limit=50)
    assert [row.path for row in whole.rows if row.named] == paths(whole.rows)[:3]
    assert paths(whole.rows)[:4] == [
        *("mark://two/charter.md", "mark://three/charter.md", "mark://three/treaty.md"),
        "mark://one/n00.md",
    ]
    assert (whole.total, whole.named) == (len(whole.rows), 3)
    found: list[str] = []
    while page := paths((await stores.lookup(query, limit=limit, offset=len(found))).rows):
        found += page
    assert found == paths(whole.rows)


@pytest.mark.proves("SS2")
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
async def test_pages_neither_skip_nor_repeat_rows(planted: Planter, limit: int) -> None:
    counts = {"one": 2, "two": 11, "three": 0, "four": 5}
    mounts = [
        Mounted(name, Opened(await planted(name, none="lime\n", **numbered(count))), weight=weight)
        for (name, count), weight in zip(counts.items(), (1, 0.3, 2, 1), strict=True)
    ]
    stores = SeveralStores(mounts)
    for match in ("body", "catalog"):
        whole = await stores.lookup("kiwi" if match == "body" else "n0", limit=100, match=match)
        paged: list[Row] = []
        for offset in range(0, whole.total + limit, limit):
            page = await stores.lookup(
                "kiwi" if match == "body" else "n0", limit=limit, offset=offset, match=match
            )
            assert (page.total, page.match) == (whole.total, match)
            paged += page.rows
        assert tuple(paged) == whole.rows
        assert len(whole.rows) == whole.total > 10
    assert (await stores.lookup("kiwi", offset=10**9)).rows == ()


@pytest.mark.proves("SS2")
async def test_the_stores_are_asked_at_once() -> None:
    """Two stores that each wait for the other to be asked."""
    asked = [Asked(), Asked()]
    stores = several(("one", asked[0]), ("two", asked[1]))
    async with anyio.create_task_group() as group:
        group.start_soon(stores.lookup, "kiwi")
        await until(lambda: all(store.questions for store in asked))
        group.cancel_scope.cancel()


@pytest.mark.proves("SS3")
async def test_a_store_that_fails_is_told_and_the_rest_answers(planted: Planter) -> None:
    docs = await planted("a", **numbered(3))
    gone = failing(Unavailable("gone.example", "connection refused"))
    stores = several(("gone", gone), ("docs", docs))
    page = await stores.lookup("kiwi", limit=2, offset=1)
    assert (paths(page.rows), page.total) == (["mark://docs/n01.md", "mark://docs/n02.md"], 3)
    (failed,) = page.failed
    assert (failed.store, str(failed.error)) == ("gone", "('gone', 'connection refused')")
    with pytest.raises(Unavailable) as caught:
        await stores.fetch("mark://gone/a.md")
    assert caught.value.place == "gone"


@pytest.mark.proves("SS3")
async def test_a_store_that_does_not_answer_costs_its_deadline_and_no_more(planted: Planter) -> None:
    docs = await planted("a", **numbered(3))
    stores = SeveralStores(
        [Mounted("slow", Opened(Asked()), deadline=0.2), Mounted("docs", Opened(docs), deadline=60)]
    )
    started = time.monotonic()
    page = await stores.lookup("kiwi")
    assert (page.total, [failed.store for failed in page.failed]) == (3, ["slow"])
    for action in (stores.fetch, stores.list, stores.versions):
        with pytest.raises(Unavailable, match="deadline"):
            await action("mark://slow/a.md")
    with pytest.raises(Unavailable, match="deadline"):
        await stores.lookup("kiwi", scope="mark://slow/")
    assert 1.0 <= time.monotonic() - started < 30


@pytest.mark.proves("SS3")
async def test_only_when_no_store_answers_it_is_an_error(planted: Planter) -> None:
    docs = await planted("a", x="kiwi\n")
    gone, lost = failing(Unavailable("g", "refused")), failing(Unavailable("l", "lost"))
    with pytest.raises(AllFailed) as caught:
        await several(("gone", gone), ("lost", lost)).lookup("kiwi")
    assert [failed.store for failed in caught.value.failed] == ["gone", "lost"]
    with pytest.raises(BadFilter):  # an argument that no store understands
        await several(("docs", docs), ("gone", gone)).lookup("kiwi", filter="=")
    understanding = several(("old", failing(BadFilter("x", "nothing"))), ("docs", docs))
    assert (await understanding.lookup("kiwi")).total == 1


@pytest.mark.proves("SS1", "SS3")
@pytest.mark.parametrize(
    ("error", "placed"),
    [
        (NotPermitted("/a.md"), NotPermitted("mark://docs/a.md")),
        (Pruned("/a.md", 2), Pruned("mark://docs/a.md", 2)),
        (Archived("/a.md", 2), Archived("mark://docs/a.md", 2)),
        (Unauthorized("docs.example", "TOKEN"), Unauthorized("docs", "TOKEN")),
        (Untrusted("docs.example", "expired"), Untrusted("docs", "expired")),
        (ProtocolError("docs.example", "noise"), ProtocolError("docs", "noise")),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_names_the_store_and_the_address_in_it(error: StoreError, placed: StoreError) -> None:
    stores = several(("docs", failing(error)))
    for action in (stores.fetch, stores.list, stores.versions):
        with pytest.raises(type(placed)) as caught:
            await action("mark://docs/a.md")
        assert caught.value.args == placed.args


@pytest.mark.proves("SS3")
async def test_a_store_that_cannot_become_ready_is_not_waited_for(planted: Planter) -> None:
    async def ready(_seconds: float) -> bool:
        raise TooManyFiles(Path("/there"), 10)

    docs = await planted("a", x="kiwi\n")
    stores = SeveralStores([Mounted("many", Opened(docs, ready)), Mounted("docs", Opened(docs, docs.ready))])
    assert not await stores.ready(30)


@pytest.mark.proves("SS4")
async def test_a_store_that_cannot_be_opened_is_opened_again(planted: Planter, monkeypatch: Any) -> None:
    monkeypatch.setattr("mark_store.late.FIRST_PAUSE", 0.05)
    docs = await planted("a", x="kiwi\n")
    attempts: list[float] = []

    @asynccontextmanager
    async def opening() -> Any:
        attempts.append(anyio.current_time())
        if len(attempts) < 4:
            raise BadRoot(Path("/there"), "no such folder")
        yield Opened(docs, docs.ready, lambda: docs.progress)

    late = LateStore("late", opening)
    stores = SeveralStores(
        [Mounted("late", Opened(late, late.ready, lambda: late.progress)), Mounted("docs", Opened(docs))]
    )
    async with anyio.create_task_group() as group:
        group.start_soon(late.keep_open)
        assert isinstance(await late.tried(), BadRoot)
        assert not await stores.ready(30), "what cannot be opened is not waited for"
        page = await stores.lookup("kiwi")
        assert (page.total, str(page.failed[0].error)) == (1, "('late', 'no such folder')")
        await until(lambda: late.failure is None)
        assert await stores.ready(30)
        page = await stores.lookup("kiwi")
        assert (page.total, page.failed) == (2, ())
        for action in (stores.fetch, stores.versions):
            assert (await action("mark://late/x.md")).path == "mark://late/x.md"
        assert (await stores.list("mark://late/")).total == 1
        group.cancel_scope.cancel()
    pauses = [after - before for before, after in pairwise(attempts)]
    assert pauses == sorted(pauses), "each pause is longer than the one before"
    with pytest.raises(Unavailable, match="closed"):
        await stores.fetch("mark://late/x.md")


@pytest.mark.proves("SS4")
async def test_a_question_waits_for_a_store_that_is_being_opened(planted: Planter) -> None:
    docs, open_now = await planted("a", x="kiwi\n"), anyio.Event()

    @asynccontextmanager
    async def opening() -> Any:
        await open_now.wait()
        yield Opened(docs)

    late = LateStore("late", opening)
    found: list[int] = []

    async def ask() -> None:
        found.append((await late.lookup("kiwi")).total)

    async with anyio.create_task_group() as group:
        group.start_soon(late.keep_open)
        assert not await late.ready(0.05)
        async with anyio.create_task_group() as asking:
            asking.start_soon(ask)
            open_now.set()
        assert found == [1]
        assert await late.ready(30)
        group.cancel_scope.cancel()


@pytest.mark.proves("SS5")
async def test_references_of_a_document_stay_in_its_store(planted: Planter) -> None:
    docs = await planted("a", x="---\nrel-by: y.md, /z.md, mark://Wiki.Example/w.md\n---\n# X\n")
    document = await several(("docs", docs)).fetch("mark://docs/x.md")
    declared, _ = relations(document.path, document.metadata)
    assert [one.target for one in declared] == [
        "mark://docs/y.md",
        "mark://docs/z.md",
        "mark://wiki.example/w.md",
    ]


@pytest.mark.proves("SS6")
async def test_a_reader_sees_what_is_named_for_them(planted: Planter) -> None:
    documents = {"open": "kiwi\n", "closed": "kiwi\n"}
    docs, wiki, silent = await planted("a", **documents), await planted("b", **documents), Asked()
    stores = several(("docs", docs), ("wiki", wiki), ("hidden", silent))
    reader = Reader(("mark://docs/open.md", "mark://wiki", "/closed.md"))
    page = await stores.lookup("kiwi", reader=reader)
    assert sorted(paths(page.rows)) == ["mark://docs/open.md", "mark://wiki/closed.md", "mark://wiki/open.md"]
    assert (page.total, page.failed) == (3, ())
    assert [entry.path for entry in (await stores.list("/", reader=reader)).entries] == [
        "mark://docs/",
        "mark://wiki/",
    ]
    for address in ("mark://docs/closed.md", "mark://hidden/open.md", "mark://nowhere/open.md"):
        assert not reader.may_read(address)
        with pytest.raises(NotFound):
            await stores.fetch(address, reader=reader)
        with pytest.raises(NotFound):
            await stores.versions(address, reader=reader)
        with pytest.raises(NotFound):
            await stores.lookup("kiwi", scope=address, reader=reader)
    with pytest.raises(BadQuery) as caught:
        await stores.fetch("/open.md", reader=reader)
    assert "hidden" not in caught.value.allowed
    nobody = await stores.lookup("kiwi", reader=Reader(("/open.md",)))
    assert (nobody.total, nobody.failed) == (0, ())
    assert silent.questions == 0


@pytest.mark.proves("SS6")
def test_patterns_name_the_store_that_they_are_for() -> None:
    assert EVERYTHING.may_read("mark://docs/a.md")
    assert Reader(("/**",)).may_read("mark://docs/a.md")
    assert not Reader(("/a.md", "/*", "**/a.md")).may_read("mark://docs/a.md")
    assert Reader(("mark://*/a.md",)).may_read("mark://docs/a.md")
    assert Reader(("mark://team-*/x",)).may_read("mark://team-a/x/y.md")
    for pattern in ("mark://docs/a.md", "mark://doc", "mark://d?cs", "mark://[a-z]*", "mark://", "mark:///"):
        assert not Reader((pattern,)).may_read("mark://docs/b.md"), pattern
    assert not Reader(("mark://docs/a.md",)).may_read("/a.md")
    assert not Reader(()).may_read("mark://docs/a.md")


@pytest.mark.proves("SS7")
async def test_progress_names_the_stores_that_are_not_ready(planted: Planter) -> None:
    docs = await planted("a", x="kiwi\n")
    mounts = [
        Mounted("docs", Opened(docs)),
        Mounted("one", Opened(docs, progress=lambda: Progress(1, 10))),
        Mounted("two", Opened(docs, progress=lambda: Progress(2, 5, "disk full"))),
    ]
    assert SeveralStores(mounts).progress == Progress(3, 15, "two: disk full", "one, two")
    assert SeveralStores(mounts[:1]).progress is None


@pytest.mark.proves("SS8")
@pytest.mark.parametrize("name", ["", "Docs", "docs.example", "docs:1", "a/b", "-a", "döcs", "a\n", "a" * 64])
def test_a_name_that_could_be_a_host_or_a_path_is_none(name: str) -> None:
    assert not is_mount_name(name)
    with pytest.raises(BadQuery):
        several((name, Asked()))


@pytest.mark.proves("SS8")
@pytest.mark.parametrize(
    "options",
    [{"weight": 0}, {"weight": -1}, {"weight": float("nan")}, {"weight": float("inf")}, {"deadline": 0}],
)
def test_weights_and_deadlines_are_above_zero(options: dict[str, float]) -> None:
    assert is_mount_name("docs-2_b")
    with pytest.raises(BadQuery):
        several(("docs", Asked()), **options)
    with pytest.raises(BadQuery, match="docs"):
        several(("docs", Asked()), ("docs", Asked()))


@pytest.mark.proves("SS1")
async def test_relations_are_told_with_the_addresses_of_their_store(planted: Planter) -> None:
    docs = await planted("one", a="---\nrel-replaces: /b.md, mark://far.example/c.md\n---\n# A\n", b="# B\n")
    store = several(("docs", docs), ("bare", failing(Unavailable("bare", "closed"))))
    incoming = await store.related("mark://docs/b.md", incoming=True)
    assert incoming == (Link("mark://docs/a.md", "replaces", "mark://docs/b.md", ""),)
    declared = await store.related("mark://docs/a.md")
    assert [link.target for link in declared] == ["mark://docs/b.md", "mark://far.example/c.md"]
    assert await store.related("mark://docs/b.md", incoming=True, reader=Reader(("mark://docs/b.md",))) == ()
    assert await store.related("mark://bare/b.md", incoming=True) == ()
