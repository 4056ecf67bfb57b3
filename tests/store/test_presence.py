"""A folder that vanishes while it is served tells nothing of its documents, and works when it is back."""

import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mark_store import Archived, FolderStore, Unavailable
from mark_store.touched import EVERYWHERE
from tests.store.conftest import Opener
from tests.store.test_names import locked, unlocked
from tests.store.test_watching import comes_to_hold, watches
from tests.store.tree import age, plant
from tests.waiting import until

pytestmark = pytest.mark.anyio

DOCUMENTS = {"/a.md": "# A\n\nkiwi\n", "/deep/b.md": "---\nrel-by: ../a.md\n---\n# B\n\nkiwi\n"}
# What is asked about documents as they are now.
QUESTIONS: dict[str, Callable[[FolderStore], Awaitable[object]]] = {
    "lookup": lambda store: store.lookup("kiwi"),
    "fetch": lambda store: store.fetch("/a.md"),
    "an unknown version": lambda store: store.fetch("/a.md", 9),
    "list": lambda store: store.list("/"),
    "versions": lambda store: store.versions("/a.md"),
    "related": lambda store: store.related("/a.md", incoming=True),
    "standing": lambda store: store.standing(("/a.md",)),
}


async def refused(store: FolderStore) -> set[str]:
    """Why nothing is answered; all questions must be refused alike."""
    reasons = set()
    for question in QUESTIONS.values():
        with pytest.raises(Unavailable) as caught:
            await question(store)
        reasons.add(caught.value.reason)
    return reasons


async def tried_again(store: FolderStore) -> None:
    """Wait until indexing has met that the folder is not there."""
    store._background._wake(EVERYWHERE)
    await until(lambda: store._background.trouble)


async def intact(store: FolderStore) -> None:
    """Every document is there as it was, and the log has nothing but its first version."""
    assert (await store.lookup("kiwi")).total == 2
    for path in DOCUMENTS:
        history = await store.versions(path)
        assert (history.current, history.archived) == (1, False)
    logged = await store._work(
        lambda session: session.log_connection.execute("SELECT kind FROM entry").fetchall()
    )
    assert logged == [("version",), ("version",)]
    assert not (await store.verify()).findings


@contextmanager
def away(root: Path) -> Iterator[None]:
    """Rename a folder away, and back."""
    root.rename(root.with_name("away"))
    yield
    root.with_name("away").rename(root)


@contextmanager
def instead(root: Path, kind: str) -> Iterator[None]:
    """Put something else in the place of a folder that is away."""
    match kind:
        case "an empty folder":
            root.mkdir()
        case "a file":
            root.write_text("a file\n")
        case _:
            root.symlink_to("nowhere")
    yield
    root.rmdir() if root.is_dir() else root.unlink()


@pytest.mark.proves("VA1", "VA2")
async def test_a_folder_that_is_renamed_away_answers_nothing_and_loses_nothing(
    root: Path, opened: Opener
) -> None:
    plant(root, DOCUMENTS)
    store, other = await opened(), await opened()
    with away(root):
        assert await refused(store) == {"its folder is gone"}
        for each in (store, other):
            await tried_again(each)
            assert await refused(each) == {"its folder is gone"}
        assert (await store.fetch("/a.md", 1)).body == "# A\n\nkiwi\n"
        assert [notice.text for notice in await store.notices()] == [
            "indexing is tried again: its folder is gone"
        ]
    await intact(store)


@pytest.mark.proves("VA1", "VA2")
async def test_an_empty_folder_in_its_place_is_no_proof_that_all_was_deleted(
    root: Path, opened: Opener
) -> None:
    """What is left of a mount point, and what a container makes where a volume is missing."""
    plant(root, DOCUMENTS)
    store = await opened()
    with away(root), instead(root, "an empty folder"):
        empty = "its folder is empty and not the one that held its documents (not mounted?)"
        assert await refused(store) == {empty}
        await tried_again(store)
        await store.aclose()
        # Nor after a start over it.
        store = await opened(wait=False)
        await until(lambda: store._background.trouble)
        assert await refused(store) == {empty}
    await until(lambda: store.progress is None)
    await intact(store)


@pytest.mark.proves("VA1")
async def test_the_folder_itself_is_believed_when_it_is_emptied(root: Path, opened: Opener) -> None:
    plant(root, DOCUMENTS)
    store = await opened()
    (root / "a.md").unlink()
    shutil.rmtree(root / "deep")
    assert (await store.lookup("kiwi")).total == 0
    with pytest.raises(Archived):
        await store.fetch("/a.md")
    plant(root, DOCUMENTS)
    assert (await store.lookup("kiwi")).total == 2


@pytest.mark.proves("VA1")
async def test_something_else_in_the_place_of_a_folder_is_no_folder(root: Path, opened: Opener) -> None:
    plant(root, DOCUMENTS)
    store = await opened()
    with away(root):
        with instead(root, "a file"):
            assert await refused(store) == {"its folder cannot be read: Not a directory"}
        with instead(root, "a link to nothing"):
            assert await refused(store) == {"its folder is gone"}
    await intact(store)


@pytest.mark.proves("VA1", "VA2")
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
async def test_a_folder_that_is_closed_to_us_loses_nothing(mode: int) -> None:
    # pytest's own folders are closed to other users.
    with tempfile.TemporaryDirectory() as place:
        folder = unlocked(place)
        plant(folder, {f"/served{path}": text for path, text in DOCUMENTS.items()})
        root = folder / "served"
        with locked():
            async with await FolderStore.open(root, folder / "data", "bytes") as store:
                assert await store.ready(30)
                with closed(root, mode), pytest.raises(Unavailable) as caught:
                    await store.lookup("kiwi")
                assert caught.value.reason == "its folder cannot be read: Permission denied"
                with closed(root, mode):
                    await tried_again(store)
                await until(lambda: store._background.trouble is None)
                await intact(store)


@pytest.mark.proves("ST17")
async def test_names_without_what_they_are_of_are_not_taken_for_deleted() -> None:
    """A folder that may be listed and not entered tells the names of its documents and nothing else."""
    with tempfile.TemporaryDirectory() as place:
        folder = unlocked(place)
        plant(folder, {"/served/deep/er/c.md": "# C\n\nkiwi\n"})
        plant(folder, {f"/served{path}": text for path, text in DOCUMENTS.items()})
        with locked():
            async with await FolderStore.open(folder / "served", folder / "data", "bytes") as store:
                assert await store.ready(30)
                with closed(folder / "served" / "deep", 0o444):
                    await store.rescan()
                    assert await store.ready(30)
                    assert (await store.lookup("kiwi")).total == 3
                    assert (await store.versions("/deep/b.md")).archived is False
                    assert (await store.fetch("/deep/er/c.md")).version == 1


@contextmanager
def closed(place: Path, mode: int) -> Iterator[None]:
    """Have other permissions at a place for a while."""
    changed(place, mode)
    yield
    changed(place, 0o777)


def changed(place: Path, mode: int) -> None:
    """Change the permissions of a place of the user that we were at first."""
    was = os.geteuid()
    os.seteuid(os.getuid())
    place.chmod(mode)
    os.seteuid(was)


@pytest.mark.proves("VA2")
async def test_a_folder_that_comes_back_changed_is_read_anew(root: Path, opened: Opener) -> None:
    plant(root, DOCUMENTS)
    store = await watches(await opened())
    with away(root):
        await tried_again(store)
        plant(root.with_name("away"), {"/a.md": "# A\n\nlime\n", "/c.md": "# C\n\nkiwi\n"})
        (root.with_name("away") / "deep" / "b.md").unlink()
    assert [row.path for row in (await store.lookup("kiwi")).rows] == ["/c.md"]
    assert (await store.versions("/a.md")).current == 2
    with pytest.raises(Archived):
        await store.fetch("/deep/b.md")


@pytest.mark.proves("VA2", "ST25")
async def test_edits_are_seen_again_in_a_folder_that_was_made_anew(root: Path, opened: Opener) -> None:
    """Copied back it has the names that it had, and the watches of before are of folders that are no more."""
    plant(root, DOCUMENTS)
    age(root)
    store = await watches(await opened())
    await watched_anew(store, root)
    plant(root, {"/deep/b.md": "# B\n\nlime\n"})
    await comes_to_hold(store, {"/a.md": 1, "/deep/b.md": 2})


async def watched_anew(store: FolderStore, root: Path) -> None:
    before = store._live._watch
    shutil.copytree(root, root.with_name("copy"))
    shutil.rmtree(root)
    root.with_name("copy").rename(root)
    await until(lambda: store._live._watch not in {before, None})
    await until(lambda: store._live.has_events)
    await comes_to_hold(store, {"/a.md": 1, "/deep/b.md": 1})
