"""Changes that nobody asks about are seen all the same: by events, or by looking where there are none."""

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from mark_store import Archived, BadQuery, FolderStore, NotFound
from mark_store.mounts import tells_of_changes
from mark_store.touched import EVERYWHERE, NOWHERE, Touched, touched
from mark_store.watching import Target, Watch
from tests.store.conftest import Opener
from tests.store.tree import age, plant
from tests.waiting import until

pytestmark = pytest.mark.anyio


async def held(store: FolderStore) -> dict[str, int]:
    """Path and version of what the index holds, without looking at any file."""
    return await store._work(
        lambda session: dict(session.index.execute("SELECT path, version FROM document"))
    )


async def comes_to_hold(store: FolderStore, expected: dict[str, int]) -> None:
    async def holds() -> bool:
        return await held(store) == expected

    await until(holds)


async def watches(store: FolderStore) -> FolderStore:
    """Wait until a store has events."""
    await until(lambda: store._live.has_events)
    return store


@pytest.mark.proves("ST25")
async def test_every_kind_of_change_is_seen_without_being_asked_about(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n", "/sub/b.md": "two\n", "/sub/deep/c.md": "three\n", "/d.md": "four\n"})
    age(root)
    store = await watches(await opened())
    plant(root, {"/a.md": "edited\n", "/sub/new/e.md": "new\n"})
    (root / "d.md").unlink()
    await comes_to_hold(store, {"/a.md": 2, "/sub/b.md": 1, "/sub/deep/c.md": 1, "/sub/new/e.md": 1})
    (root / "sub").rename(root / "other")
    await comes_to_hold(store, {"/a.md": 2, "/other/b.md": 1, "/other/deep/c.md": 1, "/other/new/e.md": 1})
    plant(root, {"/other/deep/c.md": "edited below a renamed folder\n"})
    await comes_to_hold(store, {"/a.md": 2, "/other/b.md": 1, "/other/deep/c.md": 2, "/other/new/e.md": 1})
    (root / "other" / "b.md").rename(root / "moved.md")
    shutil.rmtree(root / "other" / "new")
    plant(root, {"/d.md": "four\n"})
    await comes_to_hold(store, {"/a.md": 2, "/moved.md": 1, "/other/deep/c.md": 2, "/d.md": 1})


@pytest.mark.proves("ST25")
async def test_a_folder_that_another_one_replaces_is_read_anew(root: Path, opened: Opener) -> None:
    plant(
        root,
        {"/now/a.md": "one\n", "/now/in/b.md": "two\n", "/next/a.md": "three\n", "/next/in/c.md": "four\n"},
    )
    age(root)
    store = await watches(await opened())
    (root / "now").rename(root / "before")
    (root / "next").rename(root / "now")
    await comes_to_hold(store, {"/before/a.md": 1, "/before/in/b.md": 1, "/now/a.md": 2, "/now/in/c.md": 1})
    plant(root, {"/now/in/c.md": "five\n", "/before/in/b.md": "six\n"})
    await comes_to_hold(store, {"/before/a.md": 1, "/before/in/b.md": 2, "/now/a.md": 2, "/now/in/c.md": 2})


@pytest.mark.proves("ST25")
async def test_editors_that_save_by_renaming_make_one_version_each(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n", "/b.md": "one\n"})
    age(root)
    store = await watches(await opened())
    plant(root, {"/.a.md.tmp": "two\n"})
    (root / ".a.md.tmp").replace(root / "a.md")
    plant(root, {"/4913": ""})
    (root / "4913").unlink()
    (root / "b.md").rename(root / "b.md~")
    plant(root, {"/b.md": "two\n"})
    (root / "b.md~").unlink()
    await comes_to_hold(store, {"/a.md": 2, "/b.md": 2})


@pytest.mark.proves("ST25")
async def test_a_checkout_of_hundreds_of_files_is_seen(root: Path, opened: Opener) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(root), *identity, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    plant(root, {f"/{number % 20}/{number}.md": f"old {number}\n" for number in range(300)})
    git("init", "-q", "-b", "old")
    git("add", ".")
    git("commit", "-q", "-m", "old")
    git("checkout", "-q", "-b", "new")
    shutil.rmtree(root / "7")
    plant(
        root, {f"/{number % 20}/{number}.md": f"new {number}\n" for number in range(300) if number % 20 != 7}
    )
    git("add", ".")
    git("commit", "-q", "-m", "new")
    store = await watches(await opened())
    git("checkout", "-q", "old")
    await until(lambda: finds(store, "old", 300), 20)
    git("checkout", "-q", "new")
    await until(lambda: finds(store, "new", 285), 20)
    assert (await store.lookup("old")).total == 0
    with pytest.raises(Archived):
        await store.fetch("/7/7.md")


async def finds(store: FolderStore, word: str, number: int) -> bool:
    return (await store.lookup(word)).total == number


@pytest.mark.proves("ST25")
async def test_edits_behind_a_link_to_a_folder_are_seen_at_both_places(root: Path, opened: Opener) -> None:
    plant(root, {"/real/a.md": "one\n"})
    (root / "link").symlink_to("real")
    age(root)
    store = await watches(await opened())
    plant(root, {"/real/a.md": "two\n"})
    await comes_to_hold(store, {"/real/a.md": 2, "/link/a.md": 2})


@pytest.mark.proves("ST26")
async def test_without_events_the_folder_is_looked_at_in_its_interval(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    age(root)
    store = await opened(poll=0.05)
    plant(root, {"/a.md": "two\n"})
    await comes_to_hold(store, {"/a.md": 2})
    assert not store._live.has_events
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(BadQuery) as caught:
            await opened(poll=wrong)
        assert caught.value.argument == "poll"


@pytest.mark.proves("ST26")
async def test_events_that_cannot_be_had_are_one_notice_and_a_look_at_intervals(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_store.live.WITHOUT_EVENTS", 0.05)
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", Exhausted())
    plant(root, {"/a.md": "one\n"})
    age(root)
    store = await opened()
    await until(lambda: store._live.notice)
    plant(root, {"/a.md": "two\n", "/more/b.md": "new\n"})
    await comes_to_hold(store, {"/a.md": 2, "/more/b.md": 1})
    (notice,) = await store.notices()
    assert (
        notice.text
        == "changes are looked for every 0.05 s: the system tells of none (OS file watch limit reached)"
    )


class Exhausted:
    """Stands where the system's events are, on a system that has no watch left."""

    def RustNotify(self, *_arguments: object) -> None:  # noqa: N802 - the name that is asked for
        raise OSError("OS file watch limit reached")


async def test_where_one_watch_covers_the_whole_root_changes_are_seen_too(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_store.watching._EACH_FOLDER", False)
    plant(root, {"/a/b/c.md": "one\n"})
    age(root)
    store = await watches(await opened())
    plant(root, {"/a/b/c.md": "two\n"})
    await comes_to_hold(store, {"/a/b/c.md": 2})


class Breaking(nullcontext["Breaking"]):
    """Stands for the system's events, and breaks as soon as it is asked for one."""

    def watch(self, *_arguments: object) -> None:
        raise RuntimeError("the queue of events is gone")


async def test_a_watch_that_breaks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", lambda *_arguments: Breaking())
    woken: list[Touched] = []
    watch = Watch(Target(tmp_path, tmp_path / "data", frozenset({"/"})), woken.append)
    await until(lambda: woken)
    assert (watch.broken, woken) == (True, [EVERYWHERE])
    watch.close()


async def test_a_watch_that_breaks_is_made_again(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "one\n"})
    age(root)
    store = await watches(await opened())
    broken = store._live._watch
    assert broken
    broken.broken = True
    store._background.look_around()
    await store.rescan()
    await until(lambda: store._live._watch not in {broken, None})
    plant(root, {"/a.md": "two\n"})
    await comes_to_hold(store, {"/a.md": 2})


def test_a_folder_that_is_gone_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Watch(Target(tmp_path, tmp_path / "data", frozenset({"/gone/"})), lambda _where: None)


@pytest.mark.parametrize(
    ("kind", "path", "where"),
    [
        (2, "/a/b.md", Touched(frozenset({"/a/"}))),
        (1, "/a/b.md", Touched(frozenset({"/a/"}), frozenset({"/a/b.md/"}))),
        (3, "/folder", Touched(frozenset({"/"}), frozenset({"/folder/"}))),
        (2, "/a/b.txt", NOWHERE),
        (2, "/folder", NOWHERE),
        (1, "/.b.md.swp", NOWHERE),
        (2, "/.git/index", NOWHERE),
        (1, "/.git/x.md", NOWHERE),
        (2, "/a/.gitignore", EVERYWHERE),
        (2, "/.obsidian/.gitignore", NOWHERE),
        (3, "", EVERYWHERE),
        (2, "", NOWHERE),
        (1, "/own/index.md", NOWHERE),
    ],
)
def test_an_event_says_where_to_look(kind: int, path: str, where: Touched) -> None:
    found = touched(Path("/served"), Path("/served/own"), {(kind, f"/served{path}".replace("/", os.sep))})
    assert found == where
    assert bool(found) == (where is not NOWHERE)


def test_touching_very_many_folders_is_touching_everything() -> None:
    many = Touched(frozenset(f"/{number}/" for number in range(600)))
    assert (NOWHERE | many).everywhere


MOUNTS = """\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 0:3 / /srv/a\\040b rw shared:1 - nfs4 server:/x rw
24 22 0:4 / /srv/a\\040b/local rw - xfs /dev/sdb rw
25 22 0:5 / /mnt rw - fuse.sshfs host: rw
26 22 0:6 / /mnt rw - ext4 /dev/sdc rw
27 22 0:7 / /data rw - fuseblk /dev/sdd rw
broken
"""


@pytest.mark.proves("ST26")
@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("/srv/a b/docs", False),
        ("/srv/a b", False),
        ("/srv/a bc", True),
        ("/srv/a b/local/x", True),
        ("/mnt/x", True),
        ("/data", True),
        ("/", True),
    ],
)
def test_network_mounts_are_known_by_the_table_of_mounts(tmp_path: Path, place: str, told: bool) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert tells_of_changes(Path(place), tmp_path / "mounts") == told
    assert tells_of_changes(Path(place), tmp_path / "missing")


@pytest.mark.proves("ST25")
async def test_closing_ends_the_watching(opened: Opener) -> None:
    store = await watches(await opened())
    watch = store._live._watch
    assert watch
    await store.aclose()
    assert not watch._thread.is_alive()
    assert not store.leads
    with pytest.raises(NotFound):
        await store.fetch("/none.md")
