"""Relations are found from either end as the documents declare them now, whatever was edited before."""

import re
import tempfile
import unicodedata
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import encode
from mark_store import Link, Reader, lineage
from tests.store.conftest import Opener
from tests.store.living import Living
from tests.store.tree import found_below, plant, remove

# A composed and a decomposed name, one that must be encoded, one that is another's start.
PATHS = ("/a.md", "/a.mdx", "/b/a.md", "/b/é c,#?.md", "/b/c/e\u0301.md", "/d%41.md", "/d/中.md")
PREDICATES = ("by", "depends-on")
READERS = (Reader(("/",)), Reader(("/b", "/a.md")), Reader(()))


def spelled(source: str, target: str, form: int) -> str:
    """A reference to a path, in one of the forms that a document may use."""
    printed = encode(target)
    match form:
        case 1:
            return "../" * (source.count("/") - 1) + "./" + printed[1:]
        case 2:
            return f"mark://Isle:6309{printed}"
        case 3:
            return "mark://" + encode(unicodedata.normalize("NFD", target))
        case 4:
            return "".join(f"%{byte:02x}" if byte != ord("/") else "/" for byte in target.encode())
    return printed


Reference = tuple[str, str, int, str]
REFERENCE = st.tuples(
    st.sampled_from(PREDICATES), st.sampled_from(PATHS), st.integers(0, 4), st.sampled_from(("", "top"))
)
State = tuple[bool, list[Reference]]
STATE = st.tuples(st.booleans(), st.lists(REFERENCE, max_size=4))
EDIT = st.tuples(st.sampled_from(PATHS), STATE | st.none() | st.sampled_from(PATHS))


def text_of(path: str, state: State) -> str:
    archived, references = state
    lines = ["archived: true"] if archived else []
    for predicate in PREDICATES:
        listed = [
            spelled(path, target, form) + (f"#{fragment}" if fragment else "")
            for said, target, form, fragment in references
            if said == predicate
        ]
        lines += [f"rel-{predicate}: {', '.join(listed)}"] if listed else []
    return "---\n" + "\n".join([*lines, f"title: at {path}"]) + "\n---\ntext\n"


def composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def expected(world: dict[str, State], reader: Reader) -> set[Link]:
    """Every link that there is, from what was written, by comparing everything with everything."""
    return {
        Link(source, predicate, composed(target), fragment)
        for source, (archived, references) in world.items()
        if not archived and reader.may_read(source)
        for predicate, target, _, fragment in references
        if composed(target) != composed(source) and reader.may_read(target)
    }


@pytest.fixture(scope="module")
def living() -> Iterator[Living]:
    with tempfile.TemporaryDirectory() as place, start_blocking_portal() as portal:
        root = Path(place) / "root"
        root.mkdir()
        living = Living(portal, root, Path(place) / "data", authorities=("ISLE",))
        yield living
        portal.call(living.store.aclose)


@pytest.mark.proves("RL1", "RL2", "RL3")
@given(edits=st.lists(EDIT, min_size=1, max_size=6))
def test_links_are_those_of_the_documents_as_they_are_now(
    living: Living, edits: list[tuple[str, State | str | None]]
) -> None:
    world: dict[str, State] = {}
    remove(*found_below(living.root, "*.md*"))
    for path, change in edits:
        edit(living.root, world, path, change)
        # An edit in place is seen by fetching what was edited, anything else by any answer.
        living.try_(partial(living.store.fetch, path), Exception)
        living.portal.call(living.store.lookup, "*")
    agree(living, world)


def edit(root: Path, world: dict[str, State], path: str, change: State | str | None) -> None:
    """Write, delete or move one document, in the folder and in what is expected of it."""
    match change:
        case None if path in world:
            (root / path[1:]).unlink()
            del world[path]
        case str(target) if path in world:
            # A moved file says the same, which means something else where it is now: only if it says nothing.
            world[path] = (world[path][0], [])
            plant(root, {path: text_of(path, world[path])})
            (root / target[1:]).parent.mkdir(parents=True, exist_ok=True)
            (root / path[1:]).replace(root / target[1:])
            world[target] = world.pop(path)
        case (archived, references):
            world[path] = (archived, references)
            plant(root, {path: text_of(path, world[path])})


def agree(living: Living, world: dict[str, State]) -> None:
    call, related = living.portal.call, living.store.related
    for reader in READERS:
        truth = expected(world, reader)
        for path, predicates in product(PATHS, ((), *((each,) for each in PREDICATES))):
            wanted = [link for link in truth if not predicates or link.predicate in predicates]
            out = call(partial(related, path, predicates, reader=reader))
            assert sorted(out, key=str) == sorted((link for link in wanted if link.source == path), key=str)
            back = call(partial(related, path, predicates, incoming=True, reader=reader))
            to = [link for link in wanted if link.target == composed(path)]
            assert list(back) == sorted(to, key=in_order)
            for other in (unicodedata.normalize("NFD", path), f"mark://isle{path}"):
                assert call(partial(related, other, predicates, incoming=True, reader=reader)) == back


def in_order(link: Link) -> tuple[str, str, str]:
    return link.predicate, link.source, link.fragment


@pytest.mark.anyio
@pytest.mark.proves("RL3")
async def test_links_move_with_a_folder_and_outlive_the_index(root: Path, data: Path, opened: Opener) -> None:
    plant(
        root, {"/x/a.md": "---\nrel-by: b.md\n---\n", "/x/b.md": "b\n", "/c.md": "---\nrel-by: x/b.md\n---\n"}
    )
    store = await opened()
    assert [link.source for link in await store.related("/x/b.md", incoming=True)] == ["/c.md", "/x/a.md"]
    (root / "x").rename(root / "y")
    await store.lookup("*")
    assert [link.source for link in await store.related("/x/b.md", incoming=True)] == ["/c.md"]
    assert [link.source for link in await store.related("/y/b.md", incoming=True)] == ["/y/a.md"]
    await store.aclose()
    remove(*found_below(data, "index*"))
    store = await opened()
    assert [link.source for link in await store.related("/y/b.md", incoming=True)] == ["/y/a.md"]


@pytest.mark.anyio
@pytest.mark.proves("RL3")
async def test_an_edit_in_place_of_a_document_that_is_told_is_seen_at_once(
    root: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "---\nrel-by: b.md\n---\n", "/b.md": "b\n"})
    store = await opened()
    assert [link.source for link in await store.related("/b.md", incoming=True)] == ["/a.md"]
    plant(root, {"/a.md": "---\nrel-by: c.md\n---\n"})
    assert await store.related("/b.md", incoming=True) == ()
    plant(root, {"/a.md": "---\nrel-by: d.md\n---\n"})
    assert [link.target for link in await store.related("/a.md")] == ["/d.md"]


@pytest.mark.anyio
@pytest.mark.proves("RL4")
async def test_a_lineage_ends_at_circles_branches_level_by_level_and_passes_no_hidden_document(
    root: Path, opened: Opener
) -> None:
    declared = {"a": "b", "b": "c, d", "c": "a, b#top, e", "d": "e, d", "e": "mark://far/x, gone, c"}
    plant(root, named(declared))
    store = await opened()

    def line(links: tuple[Link, ...]) -> list[str]:
        return [f"{link.source}>{link.target}" for link in links]

    whole = await lineage(store, "/a.md", "next")
    assert line(whole) == [
        "/a.md>/b.md",
        "/b.md>/c.md",
        "/b.md>/d.md",
        "/c.md>/e.md",
        "/e.md>mark://far/x.md",
        "/e.md>/gone.md",
    ]
    for limit in range(1, 7):
        assert await lineage(store, "/a.md", "next", limit=limit) == whole[:limit]
    back = await lineage(store, "/e.md", "next", incoming=True)
    assert line(back) == ["/c.md>/e.md", "/d.md>/e.md", "/b.md>/c.md", "/a.md>/b.md"]
    hidden = Reader(("/a.md", "/b.md", "/d.md", "/e.md"))
    assert line(await lineage(store, "/a.md", "next", reader=hidden)) == [
        "/a.md>/b.md",
        "/b.md>/d.md",
        "/d.md>/e.md",
        "/e.md>mark://far/x.md",
    ]


def named(declared: dict[str, str]) -> dict[str, str]:
    """Documents of one predicate, from names without their suffix."""
    return {
        f"/{name}.md": f"---\nrel-next: {re.sub('[a-z]+(?=$|[,#])', lambda m: m[0] + '.md', targets)}\n---\n"
        for name, targets in declared.items()
    }


@pytest.mark.anyio
@pytest.mark.proves("RL5")
async def test_what_declares_a_document_is_read_from_the_index_in_its_order(opened: Opener) -> None:
    store = await opened()
    with store._databases.session() as session:
        for condition in ("target='/a'", "target='/a' AND predicate='by'"):
            plan = session.index.execute(
                f"EXPLAIN QUERY PLAN SELECT path FROM relation WHERE {condition}"  # noqa: S608 - two texts above
                " ORDER BY predicate, path, fragment LIMIT 9"
            ).fetchall()
            assert [step[3].partition(" (")[0] for step in plan] == [
                "SEARCH relation USING PRIMARY KEY",
            ]
