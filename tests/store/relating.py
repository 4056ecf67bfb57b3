"""What a store promises that can tell relations; one that cannot skips these cases and says so."""

from collections.abc import Awaitable, Callable

import pytest

from mark_store import BadQuery, Link, Reader, Relating, Store, lineage

STORAGE, API = "/billing/storage.md", "/billing/api.md"
PRIVATE, HANDBOOK, ODD = "/team/private.md", "/team/open/handbook.md", "/odd/a b#c%20?,d.md"
Case = Callable[[Relating], Awaitable[None]]


def case(promise: Case) -> Callable[[Store], Awaitable[None]]:
    """The promise, asked only of a store that makes it."""

    async def asked(store: Store) -> None:
        if not isinstance(store, Relating):
            pytest.skip("this store tells no relations")
        await promise(store)

    asked.__name__ = promise.__name__
    return asked


async def what_a_document_declares_is_told_predicates_sorted_references_in_order(store: Relating) -> None:
    assert await store.related(HANDBOOK) == (
        Link(HANDBOOK, "after", PRIVATE, ""),
        Link(HANDBOOK, "cites", "/zh/合約.md", ""),
        Link(HANDBOOK, "cites", ODD, ""),
        Link(HANDBOOK, "cites", STORAGE, ""),
        Link(HANDBOOK, "cites", "mark://isle/notes.md", ""),
    )
    assert await store.related(PRIVATE, ("cites", "cites")) == (
        Link(PRIVATE, "cites", STORAGE, "tape"),
        Link(PRIVATE, "cites", API, ""),
    )
    assert await store.related("/notes.md") == ()


async def what_declares_a_document_is_told_by_predicate_and_path(store: Relating) -> None:
    assert await store.related(STORAGE, incoming=True) == (
        Link(HANDBOOK, "cites", STORAGE, ""),
        Link(PRIVATE, "cites", STORAGE, "tape"),
        Link(API, "depends-on", STORAGE, ""),
    )
    assert sources(await store.related(ODD, incoming=True)) == [HANDBOOK]
    assert sources(await store.related("/zh/合約.md", incoming=True)) == [HANDBOOK]
    assert sources(await store.related("mark:///billing/storage.md", incoming=True)) == [
        HANDBOOK,
        PRIVATE,
        API,
    ]
    assert sources(await store.related("mark://ISLE:6309/notes.md", incoming=True)) == [HANDBOOK]
    assert await store.related("/notes.md", incoming=True) == ()


async def predicates_and_a_limit_confine_what_is_told(store: Relating) -> None:
    assert sources(await store.related(STORAGE, ("depends-on",), incoming=True)) == [API]
    both = await store.related(STORAGE, ("depends-on", "cites"), incoming=True)
    assert both == await store.related(STORAGE, incoming=True)
    for most in (1, 2, 3):
        assert await store.related(STORAGE, incoming=True, limit=most) == both[:most]
        assert await store.related(HANDBOOK, limit=most) == (await store.related(HANDBOOK))[:most]
    for predicate in ("", "cite", "CITES", "rel-cites", "a\0b", "\ud800", "' OR 1"):
        assert await store.related(STORAGE, (predicate,), incoming=True) == ()
        assert await store.related(HANDBOOK, (predicate,)) == ()
    for wrong in (0, -1):
        with pytest.raises(BadQuery):
            await store.related(STORAGE, limit=wrong)


async def what_is_archived_relates_to_nothing(store: Relating) -> None:
    assert await store.related("/billing/old.md") == ()
    assert "/billing/old.md" not in sources(await store.related(STORAGE, incoming=True))


async def a_reader_is_told_of_no_document_that_it_may_not_read(store: Relating) -> None:
    reader = Reader(("/team/open", "/billing/storage.md"))
    assert sources(await store.related(STORAGE, incoming=True, reader=reader)) == [HANDBOOK]
    assert [link.target for link in await store.related(HANDBOOK, reader=reader)] == [
        STORAGE,
        "mark://isle/notes.md",
    ]
    for hidden in (PRIVATE, API, ODD):
        for incoming in (True, False):
            assert await store.related(hidden, incoming=incoming, reader=reader) == ()
    assert await store.related(STORAGE, incoming=True, reader=Reader(())) == ()
    without = Reader(("/odd", "/team/private.md"))
    assert await lineage(store, ODD, "after", reader=without) == ()


async def what_is_not_there_has_no_relations(store: Relating) -> None:
    strange = (
        "/missing.md",
        "/",
        "",
        "/../x.md",
        "/.git/x.md",
        "/a\0b.md",
        "/\ud800.md",
        "mark://\0/",
        "a:b",
    )
    for path in (*strange, "mark://nowhere/a.md", "https://example.org/", "/" + "x" * 5000):
        for incoming in (True, False):
            assert await store.related(path, incoming=incoming) == ()


async def a_predicate_is_followed_to_its_end(store: Relating) -> None:
    line = (Link(ODD, "after", HANDBOOK, ""), Link(HANDBOOK, "after", PRIVATE, ""))
    assert await lineage(store, ODD, "after") == line
    assert await lineage(store, PRIVATE, "after", incoming=True) == line[::-1]
    assert await lineage(store, ODD, "after", limit=1) == line[:1]
    assert await lineage(store, "/missing.md", "after") == ()


def sources(links: tuple[Link, ...]) -> list[str]:
    """Where each link comes from."""
    return [link.source for link in links]


CASES = tuple(
    map(
        case,
        (
            what_a_document_declares_is_told_predicates_sorted_references_in_order,
            what_declares_a_document_is_told_by_predicate_and_path,
            predicates_and_a_limit_confine_what_is_told,
            what_is_archived_relates_to_nothing,
            a_reader_is_told_of_no_document_that_it_may_not_read,
            what_is_not_there_has_no_relations,
            a_predicate_is_followed_to_its_end,
        ),
    )
)
