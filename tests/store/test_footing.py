"""Looks at what answers rest on: without a thread where they are quick, and never blind to a change."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from mark_store import FolderStore
from mark_store.databases import Databases
from mark_store.footing import Footing
from mark_store.near import is_near, is_near_by
from tests.store.tree import age, plant
from tests.waiting import until

TABLE = """\
1 0 8:1 / / rw,relatime - ext4 /dev/sda rw
2 1 0:5 / /proc rw - proc proc rw
3 1 0:9 / /srv rw shared:1 - nfs4 box:/x rw
4 1 0:9 / /mnt/two\\040words rw - fuse.sshfs box:/x rw
5 1 8:2 / /home rw - xfs /dev/sdb rw
6 5 0:9 / /home/ann/far rw - nfs box:/y rw
7 1 0:9 / /over rw - nfs box:/z rw
8 7 8:3 / /over rw - ext4 /dev/sdc rw
"""


@pytest.mark.proves("ST30")
@pytest.mark.parametrize(
    ("folder", "near"),
    [
        ("/docs", True),
        ("/", False),
        ("/srv", False),
        ("/srv/docs", False),
        ("/srvs", True),
        ("/mnt/two words/docs", False),
        ("/mnt/two", True),
        ("/home/ben", True),
        ("/home/ann", False),
        ("/home/ann/near", True),
        ("/home/ann/far/docs", False),
        ("/over/docs", True),
        ("/proc/self", False),
    ],
)
def test_only_what_lies_on_this_machine_is_near(folder: str, near: bool) -> None:
    assert is_near_by(TABLE, folder) is near


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FolderStore]:
    root = tmp_path / "root"
    root.mkdir()
    plant(root, {"/a.md": "# A\n", "/deep/b.md": "# B\n"})
    age(root)
    async with await FolderStore.open(root, tmp_path / "data") as store:
        assert await store.ready(30)
        yield store


@pytest.mark.proves("ST30")
async def test_a_look_sees_edits_new_and_missing_files_at_once(store: FolderStore) -> None:
    async def settled() -> object:
        return await store.standing(("/a.md", "/none.md"))

    changes: list[Callable[[], None]] = [
        lambda: plant(store.root, {"/a.md": "# A changed\n"}),
        lambda: plant(store.root, {"/deep/new.md": "# New\n"}),
        (store.root / "deep" / "new.md").unlink,
        lambda: plant(store.root, {"/other/c.md": "# C\n"}),
        (store.root / "a.md").unlink,
        lambda: plant(store.root, {"/none.md": "# None\n"}),
    ]
    for change in changes:
        before = await until(settled)
        assert await store.standing(("/a.md", "/none.md")) == before
        change()
        assert await store.standing(("/a.md", "/none.md")) != before


@pytest.mark.proves("ST30")
async def test_what_another_connection_writes_ends_what_was_known(store: FolderStore, tmp_path: Path) -> None:
    (folder,) = {file.parent for file in (tmp_path / "data").rglob("versions.db")}
    databases = Databases(folder, store.encoding)
    footing = Footing(store.root, databases)
    try:
        assert footing.state_at_once(("/a.md",)) is None
        assert footing.read(("/a.md",)) == []
        known = footing.state(("/a.md",))
        assert known is not None
        assert footing.state_at_once(("/a.md",)) == (known if is_near(store.root, folder) else None)
        assert footing.state(("/deep/b.md",)) is None
        plant(store.root, {"/deep/b.md": "# B changed\n"})
        await store.fetch("/deep/b.md")
        assert footing.state(("/a.md",)) is None
    finally:
        databases.close()
