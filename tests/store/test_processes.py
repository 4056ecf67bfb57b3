"""Several processes on one folder: one indexes, the others follow, and any of them may be killed."""

import itertools
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from mark_store import FolderStore
from mark_store.data_folder import data_folder
from mark_store.lease import Lease
from tests.conftest import REPO
from tests.store.conftest import Opener
from tests.store.serving import WORDS
from tests.store.test_watching import comes_to_hold, held
from tests.store.tree import age, found_below, plant
from tests.waiting import until, until_sync

pytestmark = pytest.mark.anyio


NUMBERS = itertools.count()


class Served:
    """A process that serves a folder, with the lines that it has said."""

    def __init__(self, root: Path, data: Path) -> None:
        command = [sys.executable, "-m", "tests.store.serving", str(root), str(data)]
        self.process = subprocess.Popen(
            command,
            cwd=REPO,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += (line.strip() for line in iter(self.process.stdout.readline, ""))

    @property
    def leads(self) -> bool:
        return "leads" in self.lines

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.end()

    def end(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(20)
        self._reading.join(20)
        self.process.stdout.close()


@contextmanager
def serving(number: int, root: Path, data: Path) -> Iterator[list[Served]]:
    """So many processes, which may be killed and others put in their places; they end in good order."""
    served = [Served(root, data) for _ in range(number)]
    try:
        yield served
    finally:
        for each in served:
            each.end()


def leader(served: list[Served]) -> Served:
    """The one process that leads."""

    def leading() -> list[Served]:
        return [each for each in served if each.leads and each.process.poll() is None]

    (found,) = until_sync(leading, 30)
    return found


def wrong(served: list[Served]) -> list[str]:
    return [
        line for each in served for line in each.lines if line != "leads" and not line.startswith("asked ")
    ]


def text(path: str, word: str) -> str:
    return f"# {path.rpartition('/')[2]}\n\n{word} {next(NUMBERS)}\n"


@pytest.mark.proves("ST27")
async def test_one_process_leads_and_another_takes_over_when_it_is_killed(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {f"/{number}.md": text(f"/{number}.md", "kiwi") for number in range(100)})
    with serving(2, root, data) as served:
        first = leader(served)
        store = await opened()
        assert not store.leads
        first.kill()
        served.remove(first)
        await until(lambda: store.leads or served[0].leads)
        plant(root, {"/7.md": "# 7.md\n\nlime\n"})

        async def seen() -> bool:
            return (await held(store))["/7.md"] == 2

        await until(seen)
    assert wrong([first, *served]) == []


@pytest.mark.proves("ST27")
async def test_of_several_stores_one_indexes_and_the_others_tell_how_far_it_is(
    root: Path, opened: Opener
) -> None:
    plant(root, {f"/{number}.md": text(f"/{number}.md", "kiwi") for number in range(600)})
    stores = [await opened(wait=False) for _ in range(3)]
    pages = [await store.lookup("kiwi") for store in stores]
    assert all(page.indexing is not None or page.total == 600 for page in pages)
    for store in stores:
        assert await store.ready(60)
        assert (await store.lookup("kiwi")).total == 600
    assert sum(store.leads for store in stores) == 1
    (leading,) = [store for store in stores if store.leads]
    await leading.aclose()
    following = [store for store in stores if store is not leading]
    await until(lambda: sum(store.leads for store in following) == 1)
    plant(root, {"/new.md": "new\n"})
    for store in following:
        await until(lambda store=store: has(store, "/new.md"))  # type: ignore[misc] # a default is no parameter here


async def has(store: FolderStore, path: str) -> bool:
    return path in await held(store)


@pytest.mark.proves("ST27")
async def test_a_follower_does_what_a_leader_that_stands_still_does_not(
    root: Path, data: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_store.background._STANDSTILL_SECONDS", 0.1)
    plant(root, {f"/{number}.md": "kiwi\n" for number in range(50)})
    stuck = Lease(data_folder(root, data) / "index-bytes.lease")
    assert stuck.take()
    store = await opened()
    assert (await store.lookup("kiwi")).total == 50
    assert not store.leads
    stuck.release()
    await until(lambda: store.leads)


def test_a_lease_has_one_holder_and_goes_with_it(tmp_path: Path) -> None:
    first, second = Lease(tmp_path / "a.lease"), Lease(tmp_path / "a.lease")
    assert (first.take(), second.take(), first.take()) == (True, False, True)
    assert (first.held, second.held) == (True, False)
    second.release()
    assert not Lease(tmp_path / "a.lease").take(), "whoever does not have it cannot release it"
    first.release()
    assert second.take()
    second.release()
    assert not Lease(tmp_path / "missing" / "a.lease").take()
    (tmp_path / "foreign.lease").write_bytes(b"no database at all" * 100)
    assert not Lease(tmp_path / "foreign.lease").take()


@pytest.mark.proves("ST27")
async def test_encodings_on_one_folder_have_an_index_each_and_share_the_versions(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    age(root)
    one, other = await opened(encoding="bytes"), await opened(encoding="o200k_base")
    assert (one.leads, other.leads) == (True, True)
    plant(root, {"/a.md": "lime\n"})
    for store in (one, other):
        page = await store.lookup("lime")
        assert [(row.path, row.version) for row in page.rows] == [("/a.md", 2)] or page.total == 0
        await comes_to_hold(store, {"/a.md": 2})
        costs = (await store.lookup("lime")).rows[0].costs
        assert costs
        assert costs.encoding == store.encoding
        assert [version.number for version in (await store.versions("/a.md")).versions] == [2, 1]
    assert len(found_below(data, "versions.db")) == 1


@pytest.mark.deep
@pytest.mark.proves("ST27")
def test_mixed_edits_and_killed_leaders_give_no_error_and_no_wrong_row(root: Path, data: Path) -> None:
    chance = random.Random(20)  # noqa: S311 - which file is edited is no secret
    plant(root, {f"/{n % 10}/{n}.md": text(f"/{n}.md", chance.choice(WORDS)) for n in range(300)})
    everybody: list[Served] = []
    killed = 0
    with serving(4, root, data) as served:
        everybody += served
        ends = time.monotonic() + 20
        next_kill = time.monotonic() + 1
        while time.monotonic() < ends:
            edit(root, chance)
            if time.monotonic() > next_kill:
                victim = leader(served)
                victim.kill()
                killed += 1
                served.remove(victim)
                served.append(Served(root, data))
                everybody.append(served[-1])
                next_kill = time.monotonic() + 2
        settle(root, data)
    assert killed >= 5
    assert wrong(everybody) == []
    assert (
        sum(int(line.split()[1]) for each in served for line in each.lines if line.startswith("asked ")) > 100
    )
    assert all(file.stat().st_size < 32 << 20 for file in found_below(data, "*-wal"))


def edit(root: Path, chance: random.Random) -> None:
    """One thing that people and programs do to a folder."""
    files = sorted(root.rglob("*.md"))
    match chance.randrange(8):
        case 0:
            folder = root / str(chance.randrange(10))
            other = root / f"{chance.randrange(100)}x"
            if folder.is_dir() and not other.exists():
                folder.rename(other)
        case 1:
            chance.choice(files).unlink()
        case 2:
            for _ in range(60):
                write(root / str(chance.randrange(10)), chance)
        case 3:
            folders = [place for place in root.iterdir() if place.is_dir()]
            if len(folders) > 8:
                shutil.rmtree(chance.choice(folders))
        case _:
            for file in chance.sample(files, 3):
                file.write_text(text(f"/{file.name}", chance.choice(WORDS)))


def write(folder: Path, chance: random.Random) -> None:
    name = f"{chance.randrange(1000)}.md"
    plant(folder, {name: text(name, chance.choice(WORDS))})


def settle(root: Path, data: Path) -> None:
    """Wait until a reader of its own finds exactly what is in the folder, each document by its words."""

    async def compared() -> None:
        async with await FolderStore.open(root, data, "bytes") as store:
            await until(lambda: agrees(store, root), 30)

    anyio.run(compared)


def contents(root: Path) -> dict[str, str]:
    return {f"/{file.relative_to(root).as_posix()}": file.read_text() for file in root.rglob("*.md")}


async def agrees(store: FolderStore, root: Path) -> bool:
    there = contents(root)
    if set(await held(store)) != set(there):
        return False
    documents = [await store.fetch(path) for path in there]
    found = {word: {row.path for row in (await store.lookup(word, limit=2000)).rows} for word in WORDS}
    expected = {word: {path for path, body in there.items() if word in body} for word in WORDS}
    return found == expected and all(document.body == there[document.path] for document in documents)
