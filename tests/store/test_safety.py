"""Damage, contention and refusal: nothing is lost, nothing wrong is answered, and what happened is said."""

import os
import shutil
import sqlite3
import sys
from pathlib import Path

import anyio
import pytest

from mark_outline import UnknownEncoding
from mark_store import BadRoot, DataFolderUnusable, FolderStore, Store, TooManyFiles, Unavailable
from tests.store.conftest import Opener
from tests.store.tree import age, found_below, overwrite, plant, remove
from tests.waiting import until

pytestmark = pytest.mark.anyio


def database(data: Path, name: str) -> Path:
    """The one database of this name below a folder."""
    (found,) = data.rglob(name)
    return found


def snapshot(root: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder of a tree with its size and time."""
    places = sorted([root, *root.rglob("*")])
    return {str(place): (place.lstat().st_size, place.lstat().st_mtime_ns) for place in places}


@pytest.mark.proves("ST19")
async def test_nothing_is_written_into_the_folder(root: Path, opened: Opener) -> None:
    plant(root, {"/a/b.md": "# B\n\nkiwi\n", "/c.md": "x\n"})
    before = snapshot(root)
    store = await opened()
    await store.lookup("kiwi")
    await store.fetch("/c.md")
    await store.aclose()
    assert snapshot(root) == before


@pytest.mark.proves("ST20")
@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_damaged_index_is_set_aside_and_made_again(
    root: Path, data: Path, opened: Opener, damage: bytes
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    store = await opened()
    plant(root, {"/a.md": "kiwi lime\n"})
    await store.fetch("/a.md")
    await store.aclose()
    for number in (1, 2):
        database(data, "index-bytes.db").write_bytes(damage)
        again = await opened()
        assert (await again.fetch("/a.md")).version == 2
        assert (await again.lookup("lime")).total == 1
        assert database(data, f"index-bytes.db.damaged-{number}").read_bytes() == damage
        assert [notice.text for notice in await again.notices()] == [
            f"the index was damaged: kept as index-bytes.db.damaged-{number}, a new one is made"
        ]
        await again.aclose()


@pytest.mark.proves("ST20")
async def test_damage_met_while_answering_is_mended(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi {number}\n" for number in range(300)})
    first = await opened()
    await first.aclose()
    overwrite(database(data, "index-bytes.db"), 8192, os.urandom(997))
    store = await opened(wait=False)
    await store.lookup("kiwi")
    assert await store.ready(30)
    assert (await store.lookup("kiwi")).total == 300
    assert any("damaged" in notice.text for notice in await store.notices())


@pytest.mark.proves("ST20")
async def test_an_index_that_contradicts_the_log_is_made_again(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    first = await opened()
    plant(root, {"/a.md": "lime\n"})
    await first.fetch("/a.md")
    await first.aclose()
    with sqlite3.connect(database(data, "versions.db")) as connection:
        connection.execute("DELETE FROM entry")
    connection.close()
    store = await opened()
    await until(lambda: says(store, "/a.md", "lime\n"))
    assert (await store.fetch("/a.md")).version == 1
    assert (await store.lookup("kiwi")).total == 0


async def says(store: Store, path: str, body: str) -> bool:
    return (await store.fetch(path)).body == body


@pytest.mark.proves("ST20")
async def test_an_index_of_other_settings_is_made_again(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "# A\n\nkiwi kiwi kiwi kiwi\n"})
    for encoding in ("bytes", "o200k_base", "bytes"):
        store = await opened(encoding=encoding)
        costs = (await store.lookup("kiwi")).rows[0].costs
        assert costs is not None
        assert costs.encoding == store.encoding == encoding
        await store.aclose()
    assert not found_below(data, "*damaged*")
    with sqlite3.connect(database(data, "index-bytes.db")) as connection:
        connection.execute("DROP TABLE meta")
    connection.close()
    assert (await (await opened()).lookup("kiwi")).total == 1


async def test_an_index_that_another_release_took_over_is_not_fought_for(
    root: Path, opened: Opener, data: Path
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    store = await opened()
    file = database(data, "index-bytes.db")
    remove(*found_below(data, "index-bytes.db*"))
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE meta(key TEXT, value TEXT)")
    connection.close()
    with pytest.raises(Unavailable) as caught:
        await store.lookup("kiwi")
    assert caught.value.place == str(file)


async def test_an_index_that_was_replaced_by_an_equal_one_is_gone_over_to(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    store = await opened()
    remove(*found_below(data, "index-*.db*"))
    other = await opened()
    assert (await other.lookup("kiwi")).total == 1
    assert (await store.lookup("kiwi")).total == 1


@pytest.mark.proves("ST21")
async def test_a_version_log_of_a_newer_release_is_refused(data: Path, opened: Opener) -> None:
    await (await opened()).aclose()
    with sqlite3.connect(database(data, "versions.db")) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(DataFolderUnusable) as caught:
        await opened()
    assert caught.value.folder in found_below(data, "*")
    assert "newer release" in caught.value.reason


@pytest.mark.proves("SF2")
async def test_damage_of_the_log_met_while_answering_is_mended(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {f"/{number}.md": os.urandom(600).hex() for number in range(100)})
    age(root)
    await (await opened()).aclose()
    overwrite(database(data, "versions.db"), 4096, b"\xff")
    store = await opened(wait=False)
    assert (await store.fetch("/1.md", 1)).body
    assert await store.ready(30)
    assert found_below(data, "versions.db.damaged-1")
    assert {(await store.fetch(f"/{number}.md")).version for number in range(100)} == {1}


@pytest.mark.proves("ST22")
async def test_a_place_that_cannot_hold_databases_is_one_error_with_its_path(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataFolderUnusable) as caught:
        await FolderStore.open(root, tmp_path / "file")
    assert caught.value.folder.parent == tmp_path / "file"
    assert caught.value.reason == "Not a directory"
    kept = await FolderStore.open(root, tmp_path / "kept", "bytes")
    await kept.aclose()
    (kept.data_folder / "versions.db").unlink()
    (kept.data_folder / "versions.db").mkdir()
    with pytest.raises(DataFolderUnusable):
        await FolderStore.open(root, tmp_path / "kept", "bytes")


@pytest.mark.proves("ST22")
async def test_the_place_of_databases_can_be_set_by_the_environment(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKLOOKUP_DATA", str(tmp_path / "chosen"))
    async with await FolderStore.open(root, encoding="bytes") as store:
        assert store.data_folder.parent == tmp_path / "chosen"
    monkeypatch.delenv("MARKLOOKUP_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    if sys.platform == "linux":
        async with await FolderStore.open(root, encoding="bytes") as store:
            assert store.data_folder.parent == tmp_path / "home" / "marklookup"


@pytest.mark.proves("ST22")
async def test_a_root_that_cannot_be_served_is_one_error_with_its_path(tmp_path: Path, data: Path) -> None:
    (tmp_path / "file.md").write_text("x")
    (tmp_path / "empty").mkdir()
    for root, reason in (
        (tmp_path / "missing", "No such file or directory"),
        (tmp_path / "file.md", "Not a directory"),
        (tmp_path / "a\0b", "is no path of this system"),
    ):
        with pytest.raises(BadRoot) as caught:
            await FolderStore.open(root, data)
        assert (caught.value.root, caught.value.reason) == (root, reason)
    with pytest.raises(UnknownEncoding):
        await FolderStore.open(tmp_path / "empty", data, "p50k")


@pytest.mark.proves("ST23")
async def test_a_folder_with_too_many_files_is_refused_with_the_limit(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": "x\n" for number in range(11)})
    store = await opened(limit=10, wait=False)
    with pytest.raises(TooManyFiles) as caught:
        await store.ready(30)
    assert (caught.value.root, caught.value.limit) == (store.root, 10)
    with pytest.raises(TooManyFiles):
        await store.lookup("x")
    (root / "0.md").unlink()
    await store.rescan()
    await until(lambda: store.progress is None)
    assert (await store.lookup("x")).total == 10


@pytest.mark.proves("ST23")
async def test_one_file_too_many_while_serving_is_told_too(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": "x\n" for number in range(10)})
    age(root)
    store = await opened(limit=10)
    plant(root, {"/11.md": "x\n"})
    with pytest.raises(TooManyFiles):
        await store.lookup("x")


@pytest.mark.proves("ST24")
async def test_two_stores_on_one_folder_log_each_change_once(root: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi\n" for number in range(300)})
    stores = [await opened(wait=False) for _ in range(3)]
    for store in stores:
        assert await store.ready(60)
    for round_ in range(2, 6):
        plant(root, {f"/{number}.md": f"# D{number}\n\nlime {round_}\n" for number in range(8)})

        async with anyio.create_task_group() as group:
            for store in stores:
                group.start_soon(until, lambda store=store, count=round_: shows(store, count))
    for store in stores:
        assert [version.number for version in (await store.versions("/3.md")).versions] == [5, 4, 3, 2, 1]
        assert (await store.lookup("kiwi")).total == 292


async def shows(store: FolderStore, version: int) -> bool:
    """Whether a store shows the edits of a round: eight files at this version, found by what they say now."""
    page = await store.lookup(f"lime {version}", limit=50)
    current = [(await store.fetch(f"/{number}.md")).version for number in range(8)]
    return page.total == 8 and current == [version] * 8


INDEXES = """
import sys, anyio
from pathlib import Path
from mark_store import FolderStore

async def main():
    async with await FolderStore.open(sys.argv[1], Path(sys.argv[2]), "bytes") as store:
        assert await store.ready(60)
        print((await store.lookup("kiwi")).total, await store.notices())

anyio.run(main)
"""


@pytest.mark.proves("ST24")
async def test_processes_that_start_at_one_instant_share_the_index(root: Path, data: Path) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi\n" for number in range(400)})
    command = [sys.executable, "-c", INDEXES, str(root), str(data)]
    answers = []

    async def run() -> None:
        answers.append((await anyio.run_process(command, stderr=None)).stdout)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(run)
    assert answers == [b"400 ()\n"] * 3
    with sqlite3.connect(database(data, "versions.db")) as connection:
        assert connection.execute("SELECT count(*), max(number) FROM entry").fetchone() == (400, 1)
    connection.close()


@pytest.mark.proves("ST24")
async def test_a_lock_held_by_somebody_else_only_delays_indexing(
    root: Path, data: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_store.connection.BUSY_SECONDS", 0.05)
    plant(root, {"/a.md": "kiwi\n", "/b.md": "kiwi\n"})
    age(root)
    store = await opened()
    holder = sqlite3.connect(database(data, "versions.db"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    plant(root, {"/a.md": "kiwi lime\n", "/c.md": "kiwi\n"})
    page = await store.lookup("kiwi")
    assert (page.total, page.indexing is not None) == (2, True)
    assert (await store.fetch("/a.md")).body == "kiwi\n"
    assert (await store.fetch("/a.md", 1)).body == "kiwi\n"
    await until(lambda: complains(store))
    holder.execute("ROLLBACK")
    holder.close()
    assert await store.ready(30)
    assert (await store.lookup("kiwi")).total == 3
    assert (await store.fetch("/a.md")).version == 2
    assert not await complains(store)


async def complains(store: FolderStore) -> bool:
    """Whether a store tells that it must try again."""
    return any("indexing is tried again" in notice.text for notice in await store.notices())


@pytest.mark.proves("ST20")
async def test_a_data_folder_that_is_deleted_while_it_serves_is_made_again(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "# A\n\ntide\n"})
    store = await opened()
    shutil.rmtree(data)
    await until(lambda: found(store, "tide"))
    assert (await store.fetch("/a.md")).version == 1
    assert "the folder of the index was gone: a new index is made" in [
        one.text for one in await store.notices()
    ]


@pytest.mark.proves("ST11", "ST20")
async def test_a_log_that_is_deleted_while_it_serves_is_begun_anew(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "# A\n\ntide\n"})
    store = await opened()
    remove_files(data, "versions.db*")
    await until(lambda: found(store, "tide"))
    assert (await store.fetch("/a.md", 1)).body == "# A\n\ntide\n"
    assert not (await store.verify()).findings


def remove_files(folder: Path, pattern: str) -> None:
    """Delete every file below a folder whose name fits."""
    for file in folder.rglob(pattern):
        file.unlink()


async def found(store: FolderStore, word: str) -> bool:
    """Whether one document is found by a word; an index that is just being replaced may not be ready."""
    try:
        return (await store.lookup(word)).total == 1
    except Unavailable:
        return False
