"""What every store promises, as cases that take a store over `WORLD`; a new client passes them unchanged."""

import pytest

from mark_outline import counter, pieces
from mark_store import (
    Archived,
    BadFilter,
    BadQuery,
    LookupPage,
    NotFound,
    Reader,
    Row,
    Store,
)
from tests.store import relating
from tests.store.world import WORLD

LIVE = sorted(set(WORLD) - {"/billing/old.md"})


async def a_lookup_answers_with_the_section_that_holds_the_words(store: Store) -> None:
    row = (await store.lookup("where do cold invoices go")).rows[0]
    assert (row.path, row.anchor) == ("/billing/storage.md", "tape")
    assert row.title == "Billing Storage › Tape"
    assert row.snippet == "Cold invoices go to tape vaults."
    assert row.importance == 0.9
    assert row.tags == ("Storage", "deep dive")


async def text_before_the_first_heading_is_a_bare_row(store: Store) -> None:
    (row,) = (await store.lookup("quokkas")).rows
    assert (row.path, row.anchor, row.title) == ("/billing/storage.md", "", "Billing Storage")


async def text_under_the_h1_has_its_anchor(store: Store) -> None:
    assert places(await store.lookup("wombats")) == [("/plain.md", "")]
    assert places(await store.lookup("zanzibar")) == [("/odd/a b#c%20?,d.md", "odd")]


async def every_duplicate_heading_has_its_own_row(store: Store) -> None:
    found = places(await store.lookup("tape", scope="/notes.md"))
    assert sorted(found) == [("/notes.md", "notes"), ("/notes.md", "notes-1")]


async def a_row_costs_what_printing_it_costs(store: Store) -> None:
    for row in (await store.lookup("tape quokkas wombats", limit=50)).rows:
        document = await store.fetch(row.path)
        if row.costs and document.outline:
            assert (row.costs.whole, row.costs.own) == counted(
                row, document.body, document.outline.find(row.anchor)
            )


def counted(row: Row, body: str, index: int | None) -> tuple[int, int]:
    """Units of the section and of its own text, each trimmed and followed by a blank line, counted afresh."""
    from mark_outline import outline

    assert row.costs is not None
    found = outline(body)
    count = counter(row.costs.encoding).count
    whole = own = body
    if row.anchor:
        assert index is not None
        section = found.sections[index]
        whole = body[section.char_start : section.char_end]
        own = pieces(found, body)[index + 1]
    return count(whole.strip() + "\n\n"), count(own.strip() + "\n\n")


async def rows_tell_the_version_that_they_were_read_from(store: Store) -> None:
    for row in (await store.lookup("tape")).rows:
        assert row.version in {None, (await store.fetch(row.path)).version}


async def pages_neither_repeat_nor_skip_rows(store: Store) -> None:
    for match in ("body", "catalog"):
        whole = await store.lookup("tape storage billing", limit=100, match=match)
        assert whole.total == len(whole.rows) > 1
        paged: list[Row] = []
        while len(paged) < whole.total:
            page = await store.lookup("tape storage billing", limit=2, offset=len(paged), match=match)
            assert page.total == whole.total
            paged += page.rows
        assert tuple(paged) == whole.rows
        beyond = await store.lookup("tape storage billing", offset=whole.total, match=match)
        assert (beyond.rows, beyond.total) == ((), whole.total)


async def the_same_lookup_gives_the_same_rows(store: Store) -> None:
    assert await store.lookup("tape invoices disks") == await store.lookup("tape invoices disks")


async def a_query_without_terms_lists_every_document(store: Store) -> None:
    for query in ("*", "", "  ", "...", "()"):
        page = await store.lookup(query, limit=100)
        assert sorted(row.path for row in page.rows) == LIVE
        assert page.total == len(LIVE)
        assert page.rows[0].path == "/billing/storage.md", "the most important comes first"
        assert {row.anchor for row in page.rows} == {""}
    inside = await store.lookup("*", scope="/team", limit=100)
    assert [row.path for row in inside.rows] == ["/team/open/handbook.md", "/team/private.md"]


async def a_query_is_words_never_syntax(store: Store) -> None:
    for query in (
        '"',
        "(unclosed",
        "AND OR NOT",
        "title:tape",
        "tape*",
        "NEAR(a b)",
        "^tape",
        "-tape",
        "a\0b",
        "\ud800",
    ):
        await store.lookup(query)
    assert (await store.lookup("title:tape NOT")).match == "body"


async def identifiers_are_found_as_people_type_them(store: Store) -> None:
    for query in ("apply_secrets", '"apply_secrets"', "`apply_secrets`", "health.base", "don't", "guess?"):
        assert places(await store.lookup(query))[:1] == [("/billing/api.md", "billing-api")], query
    assert places(await store.lookup("C++")) == [("/billing/api.md", "errors")]


async def scripts_without_blanks_are_found_inside_longer_runs(store: Store) -> None:
    assert places(await store.lookup("轉換體驗"))[:1] == [("/zh/合約.md", "合約")]
    assert ("/zh/合約.md", "潮") in places(await store.lookup("潮"))


async def catalog_matches_tags_and_titles_only(store: Store) -> None:
    page = await store.lookup("STORAGE", match="catalog")
    assert page.match == "catalog"
    assert places(page) == [("/billing/storage.md", ""), ("/billing/api.md", "")]
    assert places(await store.lookup("Deep Dive", match="catalog")) == [("/billing/storage.md", "")]
    assert places(await store.lookup("quokkas", match="catalog")) == []


async def a_scope_is_a_document_or_everything_below_a_folder(store: Store) -> None:
    for scope in ("/team", "/team/", "team"):
        found = {row.path for row in (await store.lookup("tape", scope=scope)).rows}
        assert found == {"/team/private.md", "/team/open/handbook.md"}
    assert places(await store.lookup("*", scope="/team/private.md")) == [("/team/private.md", "")]
    page = await store.lookup("tape", scope="/team/private.md")
    assert (places(page), page.total) == ([("/team/private.md", "private")], 1)
    for scope in ("/tea", "/nowhere", "/team/private", "/../etc", "/billing/storage.md/x", "/.git"):
        with pytest.raises(NotFound):
            await store.lookup("tape", scope=scope)


async def filters_restrict_what_is_ranked_and_counted(store: Store) -> None:
    expected = {
        "tag=storage": {"/billing/storage.md", "/billing/api.md"},
        "tag=STORAGE, type=adr": {"/billing/storage.md"},
        'tag="deep dive"': {"/billing/storage.md"},
        'owner="smith, j"': {"/billing/storage.md"},
        "owner=J": {"/billing/storage.md"},
        "rel-depends-on=/billing/storage.md": {"/billing/api.md"},
        "modified-after=2024-05-15,modified-before=2024-06-01T10:00:01Z": {"/billing/api.md"},
        "modified-before=2024-05-01": set(),
        "tag=nothing": set(),
        " , ": set(LIVE),
    }
    for text, paths in expected.items():
        page = await store.lookup("*", filter=text, limit=100)
        assert {row.path for row in page.rows} == paths, text
        assert page.total == len(paths)
    assert {row.path for row in (await store.lookup("tape", filter="type=adr")).rows} == {
        "/billing/storage.md"
    }
    assert (await store.lookup("tape", filter="type=adr", limit=1)).total == 2


async def a_filter_that_cannot_be_read_is_refused_with_the_part_at_fault(store: Store) -> None:
    for text in ("tag", "=x", "tag=", 'tag="open', "modified-after=soon", 'a="b"c'):
        with pytest.raises(BadFilter) as caught:
            await store.lookup("tape", filter=text)
        assert caught.value.argument == "filter"
        assert caught.value.value in text.replace(" ", "") or caught.value.value in text
        assert caught.value.allowed


async def a_filter_of_very_many_pairs_is_refused_and_of_equal_ones_read(store: Store) -> None:
    assert (await store.lookup("tape", filter="type=adr," * 2000)).total == 2
    with pytest.raises(BadFilter):
        await store.lookup("tape", filter=",".join(f"tag=t{number}" for number in range(2000)))


async def a_page_that_cannot_be_is_refused(store: Store) -> None:
    with pytest.raises(BadQuery):
        await store.lookup("tape", limit=0)
    with pytest.raises(BadQuery):
        await store.lookup("tape", offset=-1)
    with pytest.raises(BadQuery):
        await store.lookup("tape", match="fuzzy")  # type: ignore[arg-type] # what a caller may send
    with pytest.raises(BadQuery):
        await store.list("/", page_size=0)
    for cursor in ("junk", "é", "MQ=="):
        with pytest.raises(BadQuery):
            await store.list("/", cursor)


async def what_a_reader_may_not_read_is_not_there(store: Store) -> None:
    reader = Reader(("/team/open/**", "/notes.md"))
    page = await store.lookup("tape", reader=reader, limit=1)
    assert page.total == 3
    found = await store.lookup("tape", reader=reader, limit=50)
    assert {row.path for row in found.rows} == {"/team/open/handbook.md", "/notes.md"}
    assert (await store.lookup("*", reader=reader)).total == 2
    assert (await store.lookup("notes", match="catalog", reader=reader)).total == 1
    assert [entry.path for entry in (await store.list("/", reader=reader)).entries] == ["/team/", "/notes.md"]
    for scope in ("/team/private.md", "/billing", "/zh"):
        with pytest.raises(NotFound):
            await store.lookup("tape", scope=scope, reader=reader)
    for path in ("/team/private.md", "/billing/old.md", "/missing.md"):
        with pytest.raises(NotFound):
            await store.fetch(path, reader=reader)
        with pytest.raises(NotFound):
            await store.fetch(path, 1, reader=reader)
        with pytest.raises(NotFound):
            await store.versions(path, reader=reader)
    with pytest.raises(NotFound):
        await store.list("/billing", reader=reader)
    assert (await store.lookup("tape", reader=Reader(()))).total == 0
    assert (await store.fetch("/notes.md", reader=reader)).body == WORLD["/notes.md"]


async def fetch_gives_body_metadata_and_outline_of_one_version(store: Store) -> None:
    document = await store.fetch("/billing/storage.md")
    text = WORLD["/billing/storage.md"]
    assert document.body == text[document.body_start :]
    assert document.body.startswith("Ledgers before")
    assert document.metadata["owner"] == "Smith, J"
    assert document.metadata["importance"] == "0.9"
    assert document.modified == "2024-05-01T00:00:00Z"
    assert document.kind == "text"
    if document.outline:
        assert document.outline.anchors() == ("billing-storage", "tape", "rotation", "disk")
        assert "".join(pieces(document.outline, document.body)) == document.body
    if document.version is not None:
        assert document.current == document.version
        assert await store.fetch("/billing/storage.md", document.version) == document


async def paths_that_name_no_document_are_not_found(store: Store) -> None:
    paths = (
        "/missing.md",
        "/",
        "",
        "/billing",
        "/../etc/passwd.md",
        "/billing/../notes.md",
        "/.hidden.md",
        "//notes.md",
    )
    for path in (*paths, "/notes.MD", "/notes.txt", "/a\0b.md", "/\ud800.md", "/" + "x" * 5000 + ".md"):
        with pytest.raises(NotFound):
            await store.fetch(path)
        with pytest.raises(NotFound):
            await store.versions(path)
    with pytest.raises(NotFound):
        await store.fetch("/notes.md", 99)


async def an_archived_document_is_told_with_its_last_version(store: Store) -> None:
    with pytest.raises(Archived) as caught:
        await store.fetch("/billing/old.md")
    assert caught.value.path == "/billing/old.md"
    if caught.value.last is not None:
        assert (await store.fetch("/billing/old.md", caught.value.last)).body.startswith("# Old tape plan")
    history = await store.versions("/billing/old.md")
    assert history.archived
    found = await store.lookup("old tape plan everything", limit=100)
    assert "/billing/old.md" not in {row.path for row in found.rows}


async def a_list_is_one_level_folders_first(store: Store) -> None:
    page = await store.list("/")
    assert [(entry.path, entry.kind, entry.count) for entry in page.entries] == [
        ("/billing/", "folder", 2),
        ("/odd/", "folder", 1),
        ("/team/", "folder", 2),
        ("/zh/", "folder", 1),
        ("/notes.md", "document", 1),
        ("/plain.md", "document", 1),
    ]
    assert (page.path, page.total, page.cursor) == ("/", 6, None)
    inside = await store.list("/billing/")
    assert [(entry.path, entry.title) for entry in inside.entries] == [
        ("/billing/api.md", "Billing API"),
        ("/billing/storage.md", "Billing Storage"),
    ]
    for path in ("/nowhere", "/notes.md", "/.."):
        with pytest.raises(NotFound):
            await store.list(path)


async def a_list_goes_on_where_its_cursor_says(store: Store) -> None:
    whole = (await store.list("/")).entries
    cursor, pages = "", []
    while True:
        page = await store.list("/", cursor, 4)
        pages.append(page.entries)
        if page.cursor is None:
            break
        cursor = page.cursor
    assert tuple(entry for page in pages for entry in page) == whole
    assert [len(page) for page in pages] == [4, 2]


async def versions_start_at_one(store: Store) -> None:
    history = await store.versions("/notes.md")
    assert history.path == "/notes.md"
    assert history.current == len(history.versions) == 1
    assert history.versions[0].size == len(WORLD["/notes.md"].encode())
    assert history.versions[0].content_hash == (await store.fetch("/notes.md")).content_hash
    assert not history.archived


async def closing_twice_is_safe(store: Store) -> None:
    await store.aclose()
    await store.aclose()


def places(page: LookupPage) -> list[tuple[str, str]]:
    """Path and anchor of each row."""
    return [(row.path, row.anchor) for row in page.rows]


CASES = (
    a_lookup_answers_with_the_section_that_holds_the_words,
    text_before_the_first_heading_is_a_bare_row,
    text_under_the_h1_has_its_anchor,
    every_duplicate_heading_has_its_own_row,
    a_row_costs_what_printing_it_costs,
    rows_tell_the_version_that_they_were_read_from,
    pages_neither_repeat_nor_skip_rows,
    the_same_lookup_gives_the_same_rows,
    a_query_without_terms_lists_every_document,
    a_query_is_words_never_syntax,
    identifiers_are_found_as_people_type_them,
    scripts_without_blanks_are_found_inside_longer_runs,
    catalog_matches_tags_and_titles_only,
    a_scope_is_a_document_or_everything_below_a_folder,
    filters_restrict_what_is_ranked_and_counted,
    a_filter_that_cannot_be_read_is_refused_with_the_part_at_fault,
    a_filter_of_very_many_pairs_is_refused_and_of_equal_ones_read,
    a_page_that_cannot_be_is_refused,
    what_a_reader_may_not_read_is_not_there,
    fetch_gives_body_metadata_and_outline_of_one_version,
    paths_that_name_no_document_are_not_found,
    an_archived_document_is_told_with_its_last_version,
    a_list_is_one_level_folders_first,
    a_list_goes_on_where_its_cursor_says,
    versions_start_at_one,
    closing_twice_is_safe,
    *relating.CASES,
)
