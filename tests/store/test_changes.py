"""What happens in the folder while a store is open, or between two runs, is seen before the next answer."""

import os
import shutil
from pathlib import Path

import pytest

from mark_store import Archived, Document, FolderStore, NotFound
from tests.store.conftest import Opener
from tests.store.tree import age, found_below, plant, remove, remove_unseen
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def paths(store: FolderStore, query: str, **options: str) -> list[str]:
    return [row.path for row in (await store.lookup(query, **options)).rows]  # type: ignore[arg-type] # as the tests say


@pytest.mark.proves("ST10")
async def test_an_edited_file_is_answered_as_it_is_now(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "# A\n\nold kiwi\n"})
    store = await opened()
    plant(root, {"/a.md": "# A\n\nnew mango\n\n## B\n\nmore mango\n"})
    document = await store.fetch("/a.md")
    assert (document.version, document.body) == (2, "# A\n\nnew mango\n\n## B\n\nmore mango\n")
    assert document.outline is not None
    assert document.outline.anchors() == ("a", "b")
    assert await paths(store, "kiwi") == []
    assert await paths(store, "mango") == ["/a.md", "/a.md"]


@pytest.mark.proves("ST10")
async def test_a_row_whose_file_changed_is_read_again_before_the_answer(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi one\n", "/b.md": "kiwi two\n"})
    age(root)
    store = await opened()
    plant(root, {"/a.md": "no fruit here at all\n"})
    assert await paths(store, "kiwi") == ["/b.md"]
    plant(root, {"/b.md": "kiwi three\n"})
    assert (await store.lookup("kiwi")).rows[0].version == 2


@pytest.mark.proves("ST10")
async def test_an_edit_within_one_tick_of_the_clock_is_seen(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    store = await opened()
    for word in ("lime", "pear", "plum", "date"):
        plant(root, {"/a.md": f"{word}\n"})
        assert (await store.fetch("/a.md")).body == f"{word}\n"
        assert await paths(store, word) == ["/a.md"]


@pytest.mark.proves("ST10")
async def test_new_moved_and_deleted_files_are_seen(root: Path, opened: Opener) -> None:
    plant(root, {"/old/a.md": "kiwi\n"})
    age(root)
    store = await opened()
    plant(root, {"/new/deep/b.md": "kiwi\n"})
    assert sorted(await paths(store, "kiwi")) == ["/new/deep/b.md", "/old/a.md"]
    (root / "old").rename(root / "renamed")
    assert sorted(await paths(store, "kiwi")) == ["/new/deep/b.md", "/renamed/a.md"]
    assert [entry.path for entry in (await store.list("/")).entries] == ["/new/", "/renamed/"]
    with pytest.raises(NotFound):
        await store.lookup("kiwi", scope="/old")
    shutil.rmtree(root / "new")
    assert await paths(store, "kiwi") == ["/renamed/a.md"]
    with pytest.raises(Archived):
        await store.fetch("/new/deep/b.md")
    plant(root, {"/renamed/c.md": "fetched before any lookup\n"})
    assert (await store.fetch("/renamed/c.md")).version == 1


@pytest.mark.proves("ST11")
async def test_a_deleted_file_is_archived_and_its_versions_still_answer(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    store = await opened()
    plant(root, {"/a.md": "two\n"})
    assert (await store.fetch("/a.md")).version == 2
    (root / "a.md").unlink()
    with pytest.raises(Archived) as caught:
        await store.fetch("/a.md")
    assert (caught.value.path, caught.value.last) == ("/a.md", 2)
    assert [(await store.fetch("/a.md", number)).body for number in (1, 2)] == ["one\n", "two\n"]
    history = await store.versions("/a.md")
    assert (history.archived, history.current) == (True, 2)


@pytest.mark.proves("ST11")
async def test_a_restored_file_goes_on_with_its_numbers(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    store = await opened()
    (root / "a.md").unlink()
    assert await paths(store, "one") == []
    plant(root, {"/a.md": "one\n"})
    assert (await store.fetch("/a.md")).version == 1, "the same bytes are the same version"
    plant(root, {"/a.md": "two\n"})
    assert (await store.fetch("/a.md")).version == 2
    plant(root, {"/a.md": "one\n"})
    assert (await store.fetch("/a.md")).version == 3, "a number is not used again, not even for old text"
    assert [version.number for version in (await store.versions("/a.md")).versions] == [3, 2, 1]


@pytest.mark.proves("ST11")
async def test_an_old_version_has_its_own_outline_metadata_and_costs(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "---\nstate: draft\n---\n# One\n\ntext\n"})
    store = await opened()
    first = await store.fetch("/a.md")
    plant(root, {"/a.md": "---\nstate: final\n---\n# Two\n\ntext\n"})
    assert (await store.fetch("/a.md")).version == 2
    old = await store.fetch("/a.md", 1)
    assert comparable(old) == comparable(first)
    assert (old.current, old.metadata["state"]) == (2, "draft")
    assert old.outline is not None
    assert old.outline.costs is not None
    assert [version.content_hash for version in (await store.versions("/a.md")).versions][
        1
    ] == old.content_hash


def comparable(document: Document) -> tuple[object, ...]:
    """What stays the same of a version when newer ones come."""
    return (document.body, document.metadata, document.outline, document.content_hash, document.body_start)


async def test_a_file_that_was_only_touched_is_no_new_version(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    age(root)
    store = await opened()
    before = await store.fetch("/a.md")
    moment = 1_700_000_000
    os.utime(root / "a.md", (moment, moment))
    after = await store.fetch("/a.md")
    assert (after.version, after.modified) == (1, "2023-11-14T22:13:20Z")
    assert before.modified != after.modified


@pytest.mark.proves("ST12")
async def test_a_second_run_reads_only_what_changed(root: Path, opened: Opener) -> None:
    plant(root, {f"/{name}.md": f"word{name}\n" for name in "abc"})
    age(root)
    first = await opened()
    await first.aclose()
    plant(root, {"/b.md": "changed\n", "/d.md": "added\n"})
    (root / "c.md").unlink()
    store = await opened()
    versions = {name: (await store.fetch(f"/{name}.md")).version for name in "abd"}
    assert versions == {"a": 1, "b": 2, "d": 1}
    with pytest.raises(Archived):
        await store.fetch("/c.md")
    assert await paths(store, "wordb wordc") == []
    assert (await store.holdings()).documents == 3


@pytest.mark.proves("ST12")
async def test_an_index_thrown_away_is_made_again_with_the_same_numbers(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "one\n"})
    store = await opened()
    plant(root, {"/a.md": "two\n"})
    await store.fetch("/a.md")
    await store.aclose()
    remove(*found_below(data, "index-*.db*"))
    again = await opened()
    assert (await again.fetch("/a.md")).version == 2
    assert (await again.fetch("/a.md", 1)).body == "one\n"


@pytest.mark.parametrize("year", [-100, 3, 150, 400, 9000])
async def test_files_of_any_time_are_documents(root: Path, opened: Opener, year: int) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    seconds = year * 31_556_952
    for place in (root / "a.md", root):
        os.utime(place, (seconds, seconds))
    store = await opened()
    assert (await store.lookup("kiwi")).total == 1
    document = await store.fetch("/a.md")
    assert document.modified.endswith("Z")
    plant(root, {"/a.md": "lime\n"})
    assert (await store.fetch("/a.md")).version == 2


async def test_a_large_change_is_left_to_the_background_and_told(root: Path, opened: Opener) -> None:
    store = await opened()
    plant(root, {f"/many/{number}.md": f"kiwi {number}\n" for number in range(100)})
    first = await store.lookup("kiwi")
    assert first.indexing is not None
    assert await store.ready(30)
    page = await store.lookup("kiwi")
    assert (page.total, page.indexing) == (100, None)


@pytest.mark.proves("ST10")
async def test_an_edit_that_no_folder_shows_is_found_after_an_answer(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi\n", "/b.md": "pear\n"})
    age(root)
    store = await opened()
    plant(root, {"/b.md": "kiwi and pear\n"})

    async def both() -> bool:
        return sorted(await paths(store, "kiwi")) == ["/a.md", "/b.md"]

    await until(both)


async def test_a_rescan_can_be_asked_for(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    age(root)
    store = await opened()
    plant(root, {"/a.md": "lime\n"})
    await store.rescan()
    await until(lambda: store.progress is None)
    assert await paths(store, "lime") == ["/a.md"]


@pytest.mark.proves("ST13")
async def test_lookups_answer_during_the_first_indexing(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi\n" for number in range(600)})
    store = await opened(wait=False)
    page = await store.lookup("kiwi")
    assert page.indexing is not None
    assert page.total <= 600
    assert await store.ready(30)
    assert (await store.lookup("kiwi")).total == 600


@pytest.mark.proves("ST13")
async def test_what_the_first_indexing_has_not_reached_is_not_denied(root: Path, opened: Opener) -> None:
    plant(root, {f"/z/{number}.md": f"# D{number}\n\nkiwi\n" for number in range(600)})
    store = await opened(wait=False)
    await store.lookup("kiwi", scope="/z")
    assert (await store.fetch("/z/599.md")).version == 1
    with pytest.raises(NotFound):
        await store.fetch("/z/600.md")
    with pytest.raises(NotFound):
        await store.lookup("kiwi", scope="/y")


@pytest.mark.proves("ST10")
async def test_a_file_that_goes_between_two_looks_is_gone(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi\n", "/b.md": "kiwi\n"})
    age(root)
    store = await opened()
    remove_unseen(root / "a.md")
    assert await paths(store, "kiwi") == ["/b.md"]


@pytest.mark.proves("ST13")
async def test_closing_in_the_middle_of_indexing_keeps_what_was_written(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi\n" for number in range(1000)})
    store = await opened(wait=False)
    await until(lambda: store.progress is not None and store.progress.done > 0)
    await store.aclose()
    again = await opened()
    assert (await again.lookup("kiwi")).total == 1000
