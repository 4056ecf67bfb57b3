"""Looks at what answers rest on: without a thread where they are quick, and never blind to a change."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mark_store import FolderStore
from mark_store.databases import Databases
from mark_store.footing import Footing
from mark_store.mounts import is_near
from tests.store.tree import age, plant

TABLE = """\
1 0 8:1 / / rw,relatime - ext4 /dev/sda rw
2 1 0:5 / /proc rw - proc proc rw
3 1 0:9 / /srv rw shared:1 - nfs4 box:/x rw
4 1 0:9 / /mnt/two\\040words rw - fuse.sshfs box:/x rw
5 1 8:2 / /disk rw - xfs /dev/sdb rw
6 5 0:9 / /disk/ann/far rw - nfs box:/y rw
7 1 0:9 / /over rw - nfs box:/z rw
8 7 8:3 / /over rw - ext4 /dev/sdc rw
"""


@pytest.mark.proves("ST32")
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
        ("/disk/ben", True),
        ("/disk/ann", False),
        ("/disk/ann/near", True),
        ("/disk/ann/far/docs", False),
        ("/over/docs", True),
        ("/proc/self", False),
    ],
)
def test_only_what_lies_on_this_machine_is_near(tmp_path: Path, folder: str, near: bool) -> None:
    table = tmp_path / "mountinfo"
    assert not is_near(Path(folder), table)
    table.write_text(TABLE, encoding="utf-8")
    assert is_near(Path(folder), table) is near


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FolderStore]:
    root = tmp_path / "root"
    root.mkdir()
    plant(root, {"/a.md": "# A\n", "/deep/b.md": "# B\n"})
    age(root)
    async with await FolderStore.open(root, tmp_path / "data") as store:
        assert await store.ready(30)
        yield store


@pytest.mark.proves("ST32")
async def test_what_another_connection_writes_ends_what_was_known(store: FolderStore, tmp_path: Path) -> None:
    (folder,) = {file.parent for file in (tmp_path / "data").rglob("versions.db")}
    databases = Databases(folder, store.encoding)
    footing = Footing(store.root, databases)
    try:
        assert footing.state_at_once(("/a.md",)) is None
        assert footing.read(("/a.md",)) == []
        known = footing.state(("/a.md",))
        assert known is not None
        near = is_near(store.root) and is_near(folder)
        assert footing.state_at_once(("/a.md",)) == (known if near else None)
        assert footing.state(("/deep/b.md",)) is None
        plant(store.root, {"/deep/b.md": "# B changed\n"})
        await store.fetch("/deep/b.md")
        assert footing.state(("/a.md",)) is None
    finally:
        databases.close()


@pytest.mark.proves("ST32")
async def test_at_once_nothing_is_opened(store: FolderStore, tmp_path: Path) -> None:
    (folder,) = {file.parent for file in (tmp_path / "data").rglob("versions.db")}
    databases = Databases(folder, store.encoding)
    try:
        assert databases.state_at_once() is None
        known = databases.state()
        assert databases.state_at_once() == known
        await store.aclose()
        for file in folder.glob("index-*.db*"):
            file.unlink()
        assert databases.state_at_once() is None
        assert not list(folder.glob("index-*.db"))
    finally:
        databases.close()
