"""`standing`: two equal values vouch that no answer has changed, whatever happened in between."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mark_store import FolderStore, Standing
from tests.store.conftest import Opener
from tests.store.tree import age, plant
from tests.waiting import until

pytestmark = pytest.mark.anyio
FILES = {"/a.md": "# A\n\nkiwi\n", "/b.md": "# B\n\nkiwi\n", "/deep/c.md": "# C\n\nmango\n"}


async def settled(store: FolderStore, *paths: str) -> object:
    """A value that stays for a moment: what is still to be read after a start has been read."""

    async def twice() -> object:
        found = await store.standing(paths)
        return found if found == await store.standing(paths) else None

    return await until(twice, 30)


@pytest.mark.proves("ST31")
async def test_reading_changes_nothing(root: Path, opened: Opener) -> None:
    plant(root, FILES)
    age(root)
    store = await opened()
    assert isinstance(store, Standing)
    before = await settled(store, *FILES)
    await store.lookup("kiwi")
    await store.fetch("/a.md")
    await store.list("/")
    await store.versions("/b.md")
    assert await store.standing(tuple(FILES)) == await store.standing(()) == before


CHANGES: dict[str, Callable[[Path], object]] = {
    "an edit": lambda root: plant(root, {"/a.md": "# A\n\nlime\n"}),
    "an edit of the same size": lambda root: plant(root, {"/a.md": "# A\n\nlime\n"}),
    "a new file": lambda root: plant(root, {"/new.md": "kiwi\n"}),
    "a new file below": lambda root: plant(root, {"/deep/new.md": "kiwi\n"}),
    "a file that went": lambda root: (root / "b.md").unlink(),
    "a file that moved": lambda root: (root / "b.md").rename(root / "deep" / "b.md"),
    "a folder that went": lambda root: shutil.rmtree(root / "deep"),
    "metadata": lambda root: plant(root, {"/a.md": "---\narchived: true\n---\n# A\n\nkiwi\n"}),
}


@pytest.mark.proves("ST31")
@pytest.mark.parametrize("change", CHANGES)
async def test_every_change_of_the_folder_is_told_at_once(root: Path, opened: Opener, change: str) -> None:
    plant(root, FILES)
    age(root)
    store = await opened()
    before = await settled(store, "/a.md")
    CHANGES[change](root)
    assert await store.standing(("/a.md",)) != before
    assert await settled(store, "/a.md") != before


@pytest.mark.proves("ST31")
async def test_an_edit_of_a_document_that_no_answer_rested_on_is_told_when_it_is_seen(
    root: Path, opened: Opener
) -> None:
    plant(root, FILES)
    age(root)
    store = await opened()
    before = await settled(store, "/a.md")
    plant(root, {"/deep/c.md": "# C\n\nkiwi\n"})

    async def told() -> bool:
        return await store.standing(("/a.md",)) != before

    await until(told)


@pytest.mark.proves("ST31")
async def test_what_another_process_wrote_into_the_index_is_told(root: Path, opened: Opener) -> None:
    plant(root, FILES)
    age(root)
    store, other = await opened(), await opened()
    before = await settled(store)
    plant(root, {"/b.md": "# B\n\nlime\n"})
    assert (await other.fetch("/b.md")).version == 2
    assert await store.standing(()) != before


def drop_index(data: Path) -> None:
    """Take the index away from under the store."""
    (index,) = data.rglob("index-*.db")
    for side in ("", "-wal", "-shm"):
        Path(f"{index}{side}").unlink(missing_ok=True)


@pytest.mark.proves("ST31")
async def test_an_index_that_is_replaced_is_told(root: Path, data: Path, opened: Opener) -> None:
    plant(root, FILES)
    age(root)
    store = await opened()
    before = await settled(store)
    drop_index(data)
    assert await store.standing(()) != before
    assert await store.ready(30)
    assert await settled(store) != before
    assert (await store.lookup("kiwi")).total == 2


@pytest.mark.proves("ST31")
async def test_during_indexing_nothing_is_vouched_for(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": "kiwi\n" for number in range(200)})
    store = await opened(wait=False)
    told = [await store.standing(())]
    assert told == [None] or store.progress is None
    assert await store.ready(30)
    assert await settled(store) is not None


@pytest.mark.proves("ST31")
async def test_a_touched_file_is_looked_at_and_stands_again(root: Path, opened: Opener) -> None:
    plant(root, FILES)
    age(root)
    store = await opened()
    before = await settled(store, "/a.md")
    os.utime(root / "a.md")
    assert await store.standing(("/a.md",)) != before
    again = await settled(store, "/a.md")
    assert (await store.fetch("/a.md")).version == 1
    assert await store.standing(("/a.md",)) == again
