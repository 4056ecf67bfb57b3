"""Versions hold: numbers, bytes, moves, retention, and a chain by which the whole log can be checked."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mark_store import Archived, BadQuery, DataFolderUnusable, FolderStore, Moved, NotFound, Pruned
from mark_store.chain import START, Entry, link
from tests.store.conftest import Opener
from tests.store.tree import age, found_below, plant, remove

pytestmark = pytest.mark.anyio

TEXT = "# Kiwi\n\na fruit that is moved about\n"


def log_of(data: Path) -> Path:
    """The one version log below a folder."""
    (found,) = data.rglob("versions.db")
    return found


def change(data: Path, statement: str) -> None:
    """Change the log behind the store's back."""
    with closing(sqlite3.connect(log_of(data), isolation_level=None)) as log:
        log.execute(statement)


@pytest.mark.proves("SV1")
async def test_every_change_is_a_version_that_answers_with_its_anchors(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "# A\n\none\n"})
    store = await opened()
    for number in range(2, 6):
        plant(root, {"/a.md": f"# A\n\n## Part {number}\n\ntext {number}\n"})
        assert (await store.fetch("/a.md")).version == number
    for number in range(2, 6):
        document = await store.fetch("/a.md", number)
        assert document.outline is not None
        assert document.outline.anchors() == ("a", f"part-{number}")
    history = await store.versions("/a.md")
    assert [version.number for version in history.versions] == [5, 4, 3, 2, 1]
    assert not any(version.pruned for version in history.versions)


@pytest.mark.proves("SV1")
async def test_bytes_that_come_again_are_kept_once(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n", "/b.md": "two\n"})
    store = await opened()
    for text in ("two\n", "one\n", "two\n"):
        plant(root, {"/a.md": text})
        await store.fetch("/a.md")
    assert [(await store.fetch("/a.md", n)).body for n in (1, 2, 3, 4)] == [
        "one\n",
        "two\n",
        "one\n",
        "two\n",
    ]
    with closing(sqlite3.connect(log_of(data))) as log:
        assert log.execute("SELECT count(*) FROM content").fetchone() == (2,)


@pytest.mark.proves("SV2")
async def test_versions_that_were_let_go_say_so_and_their_numbers_are_not_used_again(
    root: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "text 1\n", "/b.md": "text 2\n"})
    store = await opened(keep=2)
    for number in range(2, 6):
        plant(root, {"/a.md": f"text {number}\n"})
        assert (await store.fetch("/a.md")).version == number
    for number in (1, 2, 3):
        with pytest.raises(Pruned) as caught:
            await store.fetch("/a.md", number)
        assert (caught.value.path, caught.value.version) == ("/a.md", number)
    assert [(await store.fetch("/a.md", number)).body for number in (4, 5)] == ["text 4\n", "text 5\n"]
    assert (await store.fetch("/b.md", 1)).body == "text 2\n", "the same bytes are another's only version"
    with pytest.raises(NotFound):
        await store.fetch("/a.md", 6)
    history = await store.versions("/a.md")
    assert [(v.number, v.pruned) for v in history.versions] == [
        (5, False),
        (4, False),
        (3, True),
        (2, True),
        (1, True),
    ]
    verification = await store.verify()
    assert (verification.versions, verification.pruned, verification.findings) == (6, 3, ())


@pytest.mark.proves("SV2")
async def test_a_smaller_retention_holds_from_the_next_start(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "text 1\n"})
    store = await opened()
    for number in range(2, 5):
        plant(root, {"/a.md": f"text {number}\n"})
        await store.fetch("/a.md")
    (root / "a.md").unlink()
    with pytest.raises(Archived):
        await store.fetch("/a.md")
    await store.aclose()
    again = await opened(keep=1)
    with pytest.raises(Pruned):
        await again.fetch("/a.md", 3)
    assert (await again.fetch("/a.md", 4)).body == "text 4\n"
    plant(root, {"/a.md": "text 3\n"})
    assert (await again.fetch("/a.md")).version == 5
    with pytest.raises(BadQuery):
        await FolderStore.open(root, keep=0)


@pytest.mark.proves("SV3")
async def test_a_rebuilt_index_knows_every_version(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    store = await opened()
    plant(root, {"/a.md": "two\n"})
    before = await store.versions("/a.md")
    await store.aclose()
    remove(*found_below(data, "index*.db*"))
    again = await opened()
    assert await again.versions("/a.md") == before
    assert (await again.fetch("/a.md", 1)).body == "one\n"


@pytest.mark.proves("SV4")
@pytest.mark.parametrize("running", [True, False])
async def test_a_renamed_file_is_linked_with_what_it_was(root: Path, opened: Opener, running: bool) -> None:
    plant(root, {"/old/a.md": "first\n", "/other.md": "other\n"})
    age(root)
    store = await opened()
    plant(root, {"/old/a.md": TEXT})
    await store.fetch("/old/a.md")
    if not running:
        await store.aclose()
    (root / "old").rename(root / "new")
    if not running:
        store = await opened()
    await store.lookup("fruit")
    assert (await store.versions("/new/a.md")).moved_from == Moved("/old/a.md", 2)
    old = await store.versions("/old/a.md")
    assert (old.archived, old.moved_to) == (True, Moved("/new/a.md", 1))
    other = await store.versions("/other.md")
    assert (other.moved_from, other.moved_to) == (None, None)


@pytest.mark.proves("SV4")
async def test_a_file_that_was_gone_for_a_moment_is_linked_too(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "first\n", "/same.md": TEXT, "/twin.md": TEXT})
    age(root)
    store = await opened()
    plant(root, {"/a.md": TEXT})
    await store.fetch("/a.md")
    remove(root / "a.md", root / "twin.md")
    await store.lookup("fruit")
    plant(root, {"/later/a.md": TEXT})
    await store.lookup("fruit")
    assert (await store.versions("/later/a.md")).moved_from == Moved("/a.md", 2)
    assert (await store.versions("/twin.md")).moved_to is None
    plant(root, {"/later/b.md": TEXT})
    await store.lookup("fruit")
    assert (await store.versions("/later/b.md")).moved_from == Moved("/twin.md", 1)


@pytest.mark.proves("SV4")
async def test_of_several_files_with_the_same_bytes_the_one_of_the_same_name_is_linked(
    root: Path, opened: Opener
) -> None:
    plant(root, {"/x/a.md": TEXT, "/x/b.md": TEXT, "/empty.md": ""})
    age(root)
    store = await opened()
    (root / "y").mkdir()
    for name in ("a.md", "b.md"):
        (root / "x" / name).rename(root / "y" / name)
    (root / "empty.md").rename(root / "blank.md")
    await store.lookup("fruit")
    for name in ("a.md", "b.md"):
        assert (await store.versions(f"/y/{name}")).moved_from == Moved(f"/x/{name}", 1)
    assert (await store.versions("/blank.md")).moved_from is None, "files without bytes say nothing"


@pytest.mark.proves("SV4")
async def test_a_file_that_comes_back_was_not_moved_and_a_copy_is_no_move(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": TEXT})
    age(root)
    store = await opened()
    plant(root, {"/copy.md": TEXT})
    await store.lookup("fruit")
    assert (await store.versions("/copy.md")).moved_from is None
    (root / "a.md").rename(root / "b.md")
    await store.lookup("fruit")
    (root / "b.md").rename(root / "a.md")
    await store.lookup("fruit")
    history = await store.versions("/a.md")
    assert (history.current, history.archived, history.moved_to) == (1, False, None)
    assert (await store.verify()).findings == ()


@pytest.mark.proves("SV5")
async def test_each_entry_covers_the_one_before(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n", "/b.md": "two\n"})
    store = await opened()
    plant(root, {"/a.md": "three\n"})
    await store.fetch("/a.md")
    (root / "b.md").unlink()
    await store.lookup("x")
    sound = await store.verify()
    assert (sound.documents, sound.versions, sound.pruned, sound.findings) == (2, 3, 0, ())
    assert len(sound.head) == 64
    first = Entry("version", "/a.md", 1, bytes(32), 4, 0)
    assert link(START, first) != link(link(START, first), first)
    await store.aclose()
    for statement, path, version, text in (
        ("UPDATE entry SET observed=observed+1 WHERE id=1", "/a.md", 1, "chain is broken"),
        ("UPDATE document SET path='/z.md' WHERE path='/a.md'", "/z.md", 2, "chain is broken"),
        ("UPDATE content SET packed=x'00' WHERE id=1", "/z.md", 1, "do not have the hash"),
        ("DELETE FROM content WHERE id=1", "/z.md", 1, "bytes are lost"),
        ("DELETE FROM entry WHERE kind='version' AND number=1 AND document=1", "/z.md", 2, "1 of 2 versions"),
    ):
        change(data, statement)
        again = await opened(wait=False)
        found = (await again.verify()).findings
        assert [f for f in found if (f.path, f.version) == (path, version) and text in f.text], statement
        await again.aclose()


OLD = """
CREATE TABLE document(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, nfc TEXT NOT NULL);
CREATE INDEX document_nfc ON document(nfc);
CREATE TABLE content(
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE TABLE version(
    document INTEGER NOT NULL, number INTEGER NOT NULL, content INTEGER NOT NULL, observed INTEGER NOT NULL,
    PRIMARY KEY(document, number)
) WITHOUT ROWID;
CREATE TABLE event(document INTEGER NOT NULL, observed INTEGER NOT NULL, kind TEXT NOT NULL);
"""


@pytest.mark.proves("SV6")
async def test_the_log_of_the_first_release_is_migrated(root: Path, data: Path, opened: Opener) -> None:
    import hashlib
    import zlib

    await (await opened()).aclose()
    place = log_of(data)
    remove(*found_below(data, "versions.db*"), *found_below(data, "index*.db*"))
    with closing(sqlite3.connect(place)) as log, log:
        log.executescript(OLD + "PRAGMA user_version=1;")
        log.executemany("INSERT INTO document VALUES(?,?,?)", [(1, "/a.md", "/a.md"), (2, "/b.md", "/b.md")])
        texts = [b"one\n", b"two\n", b"bee\n"]
        rows = [(n + 1, hashlib.sha256(t).digest(), len(t), zlib.compress(t)) for n, t in enumerate(texts)]
        log.executemany("INSERT INTO content VALUES(?,?,?,?)", rows)
        log.executemany("INSERT INTO version VALUES(?,?,?,?)", [(1, 1, 1, 10), (1, 2, 2, 30), (2, 1, 3, 20)])
        log.execute("INSERT INTO event VALUES(2, 40, 'archived')")
    plant(root, {"/a.md": "two\n"})
    store = await opened()
    assert [(await store.fetch("/a.md", number)).body for number in (1, 2)] == ["one\n", "two\n"]
    assert (await store.fetch("/a.md")).version == 2
    assert (await store.fetch("/b.md", 1)).body == "bee\n"
    with pytest.raises(Archived) as caught:
        await store.fetch("/b.md")
    assert caught.value.last == 1
    verification = await store.verify()
    assert (verification.versions, verification.findings) == (3, ())


@pytest.mark.proves("SV6")
async def test_a_log_of_a_newer_release_or_another_program_is_refused_and_left_alone(
    data: Path, opened: Opener
) -> None:
    await (await opened()).aclose()
    for statement, reason in (
        ("PRAGMA user_version=99", "newer release"),
        ("PRAGMA user_version=0", "another program"),
    ):
        change(data, statement)
        before = log_of(data).read_bytes()
        with pytest.raises(DataFolderUnusable) as caught:
            await opened()
        assert reason in caught.value.reason
        assert log_of(data).read_bytes() == before
        os.utime(log_of(data))
