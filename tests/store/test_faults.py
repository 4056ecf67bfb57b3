"""Damage, full disks, clocks that jump, processes killed at any moment: nothing is lost, and it is said."""

import contextlib
import functools
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from mark_store import DataFolderUnusable, FolderStore, Pruned
from mark_store.pages import rows
from tests.store.conftest import Opener
from tests.store.tree import age, found_below, overwrite, plant, remove
from tests.waiting import until

pytestmark = pytest.mark.anyio


def log_of(data: Path) -> Path:
    (found,) = data.rglob("versions.db")
    return found


def index_of(data: Path) -> Path:
    (found,) = data.rglob("index*.db")
    return found


async def told(store: FolderStore) -> str:
    return "\n".join(notice.text for notice in await store.notices())


# --- damaged and foreign files


@pytest.mark.proves("SF1")
async def test_an_index_of_another_program_and_a_folder_in_its_place_are_set_aside_whole(
    root: Path, data: Path, opened: Opener
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    await (await opened()).aclose()
    place = index_of(data)
    remove(*found_below(data, "index*.db*"))
    with closing(sqlite3.connect(place)) as other, other:
        other.execute("CREATE TABLE precious(x)")
        other.execute("INSERT INTO precious VALUES(42)")
    store = await opened()
    assert (await store.lookup("kiwi")).total == 1
    assert "was a database of another program: kept as" in await told(store)
    await store.aclose()
    with closing(sqlite3.connect(f"{place}.damaged-1")) as other:
        assert other.execute("SELECT x FROM precious").fetchone() == (42,)
    remove(*found_below(data, f"{place.name}"))
    plant(place, {"/inside.txt": "kept"})
    store = await opened()
    assert (await store.lookup("kiwi")).total == 1
    assert "was a folder: kept as" in await told(store)
    assert (Path(f"{place}.damaged-2") / "inside.txt").read_text() == "kept"


@pytest.mark.proves("SF1")
async def test_a_truncated_index_is_made_again(root: Path, data: Path, opened: Opener) -> None:
    plant(root, {f"/{number}.md": f"# D{number}\n\nkiwi {number}\n" for number in range(100)})
    await (await opened()).aclose()
    for share in (0.9, 0.5, 0.01, 0):
        place = index_of(data)
        os.truncate(place, int(place.stat().st_size * share))
        store = await opened(wait=False)
        assert await store.ready(30)
        await until(functools.partial(finds, store, "kiwi", 100))
        assert (await store.verify()).findings == ()
        await store.aclose()


async def finds(store: FolderStore, query: str, total: int) -> bool:
    return (await store.lookup(query)).total == total


async def versioned(root: Path, opened: Opener, files: int = 60, rounds: int = 4) -> dict[str, list[str]]:
    """A store with a history, closed again; the text of every version of each document."""
    texts: dict[str, list[str]] = {f"/{number}.md": [] for number in range(files)}
    chance = random.Random(7)  # noqa: S311 - the same bytes in every run
    store = None
    for turn in range(rounds):
        for path, known in texts.items():
            known.append(f"# {path} {turn}\n\nkiwi {chance.randbytes(200 + 40 * turn).hex()}\n")
        plant(root, {path: known[-1] for path, known in texts.items()})
        age(root, 100 - turn)
        store = store or await opened()
        await store.rescan()
        assert await store.ready(30)
    assert store is not None
    await store.aclose()
    return texts


@pytest.mark.proves("SF2")
@pytest.mark.parametrize("damage", ["header", "middle", "tail", "random pages"])
async def test_what_can_be_read_of_a_damaged_log_goes_on_in_a_new_one(
    root: Path, data: Path, opened: Opener, damage: str
) -> None:
    texts = await versioned(root, opened)
    place = log_of(data)
    size = place.stat().st_size
    noise = random.Random(3)  # noqa: S311 - the same damage in every run
    if damage == "tail":
        os.truncate(place, size * 2 // 3)
    spoiled = {"header": [0], "middle": [size // 2], "tail": []}.get(
        damage, [noise.randrange(size // 4096) * 4096 for _ in range(9)]
    )
    spoil(place, [(start, noise.randbytes(4096)) for start in spoiled])
    before = place.read_bytes()
    store = await opened(wait=False)
    await until(lambda: current(store, texts), 30)
    read = [await answers(store, path, known) for path, known in texts.items()]
    if kept := found_below(data, "versions.db.damaged-1"):
        assert kept[0].read_bytes() == before
        assert "versions.db was damaged: kept as versions.db.damaged-1" in await told(store)
        assert "numbers go on" in await told(store)
    assert sum(map(sum, read)) > len(texts) * 2, "most versions were saved"
    assert not [f for f in (await store.verify()).findings if "chain" in f.text]
    plant(root, {"/1.md": "one more\n"})
    assert (await store.fetch("/1.md")).version == 5


def spoil(file: Path, noise: list[tuple[int, bytes]]) -> None:
    """Write over some places of a file."""
    with file.open("r+b") as opened:
        for start, spoiled in noise:
            opened.seek(start)
            opened.write(spoiled)


async def current(store: FolderStore, texts: dict[str, list[str]]) -> bool:
    """Whether every document is there as it is in the folder, with the number that it had."""
    for path, known in texts.items():
        document = await store.fetch(path)
        if (document.body, document.version) != (known[-1], len(known)):
            return False
    return store.progress is None


async def answers(store: FolderStore, path: str, known: list[str]) -> list[bool]:
    """Which versions of a document answer; none does with another's text."""
    found = []
    for number, text in enumerate(known, 1):
        try:
            assert (await store.fetch(path, number)).body == text
            found.append(True)
        except Pruned:
            found.append(False)
    return found


@pytest.mark.proves("SF2")
async def test_a_log_that_is_no_database_or_gone_does_not_give_its_numbers_again(
    root: Path, data: Path, opened: Opener
) -> None:
    texts = await versioned(root, opened, 5, 3)
    for content in (b"no database at all", b"", None):
        remove(*found_below(data, "versions.db"))
        if content is not None:
            (index_of(data).parent / "versions.db").write_bytes(content)
        store = await opened()
        assert "numbers go on" in await told(store)
        assert await current(store, texts)
        with pytest.raises(Pruned):
            await store.fetch("/1.md", 2) if content is None else await store.fetch("/1.md", 1)
        assert (await store.fetch("/1.md", 3)).body == texts["/1.md"][-1]
        await store.aclose()


@pytest.mark.proves("SF2")
async def test_bytes_that_were_changed_or_let_go_are_not_taken_for_sound(
    root: Path, data: Path, opened: Opener
) -> None:
    texts = await versioned(root, opened, 3, 4)
    await (await opened(keep=3)).aclose()
    with closing(sqlite3.connect(log_of(data), isolation_level=None)) as log:
        log.execute("UPDATE content SET packed=x'00' WHERE id=(SELECT max(id) FROM content) - 4")
    overwrite_header(log_of(data))
    index_of(data).write_bytes(b"no database either")
    store = await opened()
    found = [await answers(store, path, known) for path, known in texts.items()]
    assert [row[0] for row in found] == [False] * 3
    assert sum(map(sum, found)) == 8
    (finding,) = (await store.verify()).findings
    assert finding.text == "the bytes are lost"
    assert "8 versions were read from it, 1 are lost" in await told(store)


def overwrite_header(file: Path) -> None:
    spoil(file, [(0, b"\xff" * 100)])


@pytest.mark.proves("SF2")
async def test_rows_are_read_from_pages_that_nothing_leads_to(tmp_path: Path) -> None:
    place = tmp_path / "x.db"
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("PRAGMA page_size=1024")
        database.execute("CREATE TABLE t(a, b, c, d)")
        wanted = [(n, f"text {n}" * (n % 40), bytes(n * 97 % 5000), n / 4) for n in range(300)]
        database.executemany("INSERT INTO t VALUES(?,?,?,?)", wanted)
    content = bytearray(place.read_bytes())
    content[100:1024] = bytes(924)
    place.write_bytes(content)
    assert [row for _, row in rows(place) if len(row) == 4] == wanted
    for seed in range(40):
        chance = random.Random(seed)  # noqa: S311 - the same damage in every run
        place.write_bytes(content)
        spoil(place, [(chance.randrange(1024, len(content)), chance.randbytes(2)) for _ in range(400)])
        assert len(list(rows(place))) <= 2 * len(wanted)
    place.write_bytes(random.Random(5).randbytes(100_000))  # noqa: S311 - the same noise in every run
    assert list(rows(place)) is not None
    place.write_bytes(b"")
    assert list(rows(place)) == []


@pytest.mark.proves("SF2")
async def test_rows_that_are_only_in_the_write_ahead_log_are_read_as_of_its_last_commit(
    tmp_path: Path,
) -> None:
    place = tmp_path / "x.db"
    with closing(sqlite3.connect(place, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t(a, b)")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        wanted = [(None, 0), (1, 1), (1.5, -(2**40)), ("é" * 3000, b"\xff" * 9000)]
        database.executemany("INSERT INTO t VALUES(?,?)", wanted)
        database.execute("BEGIN")
        database.execute("PRAGMA cache_size=1")
        database.executemany("INSERT INTO t VALUES(?,?)", [("never", bytes(900))] * 500)
        shutil.copy(place, tmp_path / "copy.db")
        shutil.copy(f"{place}-wal", tmp_path / "copy.db-wal")
        database.execute("ROLLBACK")
    assert [row for _, row in rows(tmp_path / "copy.db") if len(row) == 2] == wanted


@pytest.mark.proves("SF2")
async def test_salvage_that_was_stopped_goes_on(root: Path, data: Path, opened: Opener) -> None:
    texts = await versioned(root, opened, 5, 3)
    place = log_of(data)
    shutil.copy(place, f"{place}.salvaging")
    shutil.copy(place, f"{place}.salvaged")
    overwrite(place, 0, b"\xff")
    store = await opened()
    assert await current(store, texts)
    assert all([all(await answers(store, path, known)) for path, known in texts.items()])


# --- places that cannot be written


@contextlib.contextmanager
def small_disk(place: Path, size: str, *options: str) -> Iterator[Path]:
    """A file system of some size, mounted for the time of a test; skips where that is not allowed."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)  # noqa: S607 - as found above


def remount(place: Path, options: str) -> None:
    """Change a file system while it is in use."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)  # noqa: S607 - found before


@pytest.mark.proves("SF3")
async def test_a_full_disk_stops_indexing_until_there_is_room_and_loses_nothing(
    root: Path, tmp_path: Path
) -> None:
    plant(root, {"/first.md": "kiwi\n"})
    age(root)
    with small_disk(tmp_path / "disk", "3m") as disk:
        async with await FolderStore.open(root, disk, "bytes") as store:
            assert await store.ready(30)
            noise = random.Random(1)  # noqa: S311 - text that cannot be packed
            plant(root, {f"/{n}.md": f"lime {noise.randbytes(30_000).hex()}\n" for n in range(200)})
            await store.rescan()
            await until(lambda: complains(store), 30)
            assert (await store.lookup("kiwi")).total == 1
            assert (await store.fetch("/first.md", 1)).body == "kiwi\n"
            for number in range(5, 200):
                (root / f"{number}.md").unlink()
            remount(disk, "size=60m")
            await until(lambda: finds(store, "lime", 5), 30)
            assert await store.ready(30)
            assert not await complains(store)
            assert (await store.verify()).findings == ()


async def complains(store: FolderStore) -> bool:
    return "indexing is tried again: database or disk is full" in await told(store)


@pytest.mark.proves("SF3")
async def test_a_disk_without_room_for_anything_is_one_error(root: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4k") as disk, pytest.raises(DataFolderUnusable) as caught:
        await FolderStore.open(root, disk, "bytes")
    assert "\n" not in caught.value.reason


@pytest.mark.proves("SF3")
async def test_a_limit_on_the_size_of_files_is_like_a_full_disk(root: Path, data: Path) -> None:
    noise = random.Random(1)  # noqa: S311 - text that cannot be packed
    plant(root, {f"/{n}.md": f"lime {noise.randbytes(30_000).hex()}\n" for n in range(100)})
    with child(INDEXES, root, data, "limited") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"indexing is tried again: ")
    await check(root, data)


@pytest.mark.proves("SF3")
async def test_a_place_that_is_read_only_is_one_error_and_a_folder_that_is_is_served(
    root: Path, tmp_path: Path, data: Path
) -> None:
    plant(root, {"/a.md": "kiwi\n"})
    with small_disk(tmp_path / "disk", "9m") as disk:
        async with await FolderStore.open(root, disk, "bytes") as store:
            assert await store.ready(30)
        shutil.copytree(root, disk / "served")
        remount(disk, "ro")
        with pytest.raises(DataFolderUnusable) as caught:
            await FolderStore.open(root, disk, "bytes")
        assert caught.value.reason == "cannot be written: read-only or not permitted"
        async with await FolderStore.open(disk / "served", data, "bytes") as store:
            assert await store.ready(30)
            assert (await store.lookup("kiwi")).total == 1


# --- clocks


@pytest.mark.proves("SF4")
async def test_times_that_are_set_or_jump_hide_no_edit(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "text 0\n"})
    file = root / "a.md"
    store = await opened()
    now = time.time_ns()
    for number, moment in enumerate((now + 10**18, now + 10**18, now - 10**17, 0, -(10**17), now), 1):
        plant(root, {"/a.md": f"text {number}\n"})
        os.utime(file, ns=(moment, moment))
        document = await store.fetch("/a.md")
        assert (document.body, document.version) == (f"text {number}\n", number + 1)
    seen = file.stat().st_mtime_ns
    await store.aclose()
    plant(root, {"/a.md": "text 9\n"})
    os.utime(file, ns=(seen, seen))
    assert (await (await opened()).fetch("/a.md")).body == "text 9\n", "same size, same time, same inode"


@pytest.mark.proves("SF4")
async def test_a_clock_that_goes_back_keeps_numbers_in_order(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(root, {"/a.md": "text 0\n"})
    store = await opened()
    for number, year in enumerate((2100, 1980, 2030), 1):
        monkeypatch.setattr(
            "mark_store.draft.now_milliseconds", lambda year=year: (year - 1970) * 31_556_952_000
        )
        plant(root, {"/a.md": f"text {number}\n"})
        assert (await store.fetch("/a.md")).version == number + 1
    history = await store.versions("/a.md")
    assert [version.number for version in history.versions] == [4, 3, 2, 1]
    assert (await store.verify()).findings == ()


# --- processes killed at any moment

INDEXES = """
import resource, sys, anyio
from pathlib import Path
from mark_store import FolderStore

async def main():
    async with await FolderStore.open(sys.argv[1], Path(sys.argv[2]), "bytes") as store:
        if "rounds" in sys.argv:
            print("opened", flush=True)
        while True:
            if await store.ready(0.1):
                print("ready", flush=True)
                if "rounds" not in sys.argv:
                    return
                await store.rescan()
            elif notices := [notice for notice in await store.notices() if notice.path == "/"]:
                print(notices[0].text, flush=True)
                if "rounds" not in sys.argv:
                    return

if "limited" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
anyio.run(main)
"""
WRITES = """
import sys, anyio
from pathlib import Path
from mark_store import FolderStore

async def main():
    root = Path(sys.argv[1])
    async with await FolderStore.open(root, Path(sys.argv[2]), "bytes") as store:
        for number in range(100_000):
            text = f"# Turn {number} of {sys.argv[3]}\\n\\nkiwi\\n"
            (root / "written.md").write_text(text)
            document = await store.fetch("/written.md")
            assert document.body == text
            print(document.version, number, flush=True)

anyio.run(main)
"""


@contextlib.contextmanager
def child(program: str, root: Path, data: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A python process that runs a program over a folder, and does not outlive the block."""
    command = [sys.executable, "-c", program, str(root), str(data), *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def killed(program: str, root: Path, data: Path, seconds: float, *more: str) -> bytes:
    """Run a program, kill it some time after it has begun, and give what it had said."""
    with child(program, root, data, *more) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        time.sleep(seconds)  # The moment of the kill is the case; nothing is waited for.
        process.kill()
        return said + process.stdout.read()


def expect_sound(data: Path) -> None:
    """Both databases hold together."""
    for file in [*data.rglob("versions.db"), *data.rglob("index*.db")]:
        with closing(sqlite3.connect(file)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], file


def documents(root: Path) -> dict[str, str]:
    """Every document of a folder as the disk has it."""
    return {f"/{file.relative_to(root)}": file.read_text() for file in root.rglob("*.md")}


async def check(root: Path, data: Path, former: dict[str, list[str]] | None = None) -> None:
    """What is on the disk is sound, and a store over it answers with every document and every version."""
    expect_sound(data)
    there = documents(root)
    async with await FolderStore.open(root, data, "bytes") as store:
        assert await store.ready(60)
        for path, text in there.items():
            await expect(store, path, None, text)
            for number, earlier in enumerate((former or {}).get(path, ()), 1):
                await expect(store, path, number, earlier)
        await expect_links(store, there)
        assert (await store.verify()).findings == ()
        assert (await store.lookup("*")).total == len(there)
        assert not [notice for notice in await store.notices() if "damaged" in notice.text]


async def expect(store: FolderStore, path: str, version: int | None, text: str) -> None:
    document = await store.fetch(path, version)
    assert document.body == text[document.body_start :]


async def expect_links(store: FolderStore, there: dict[str, str]) -> None:
    """Every document is found by the one link that it declares, and by no other."""
    declared = {path: re.findall("^rel-next: (.*)$", text, re.MULTILINE) for path, text in there.items()}
    for target in there:
        links = await store.related(target, incoming=True, limit=len(there))
        assert [link.source for link in links] == sorted(
            p for p, to in declared.items() if target in to and p != target
        )


def pages_of(turn: int, files: int) -> dict[str, str]:
    return {
        f"/{n % 7}/{n}.md": (
            f"---\nrel-next: /{n // 3 % 7}/{n // 3}.md\n---\n" * ((n + turn) % 3 > 0)
            + f"# Page {n}\n\nkiwi {n} in turn {turn}\n\n## Part\n\n{'lime ' * (n % 50)}\n"
        )
        for n in range(files)
    }


SEEDS = [pytest.param(seed, marks=pytest.mark.deep if seed else ()) for seed in range(16)]


@pytest.mark.proves("SF5")
@pytest.mark.parametrize("seed", SEEDS)
async def test_killed_in_the_first_indexing_it_goes_on_where_it_was(
    root: Path, data: Path, seed: int
) -> None:
    plant(root, pages_of(0, 1500 if seed else 300))
    chance = random.Random(seed)  # noqa: S311 - other moments for each seed, the same in every run
    for _ in range(2):
        killed(INDEXES, root, data, chance.uniform(0, 0.4), "rounds")
    await check(root, data)


@pytest.mark.proves("SF5")
@pytest.mark.parametrize("seed", SEEDS)
async def test_killed_in_an_update_no_version_is_lost(root: Path, data: Path, seed: int) -> None:
    files = 400 if seed else 100
    chance = random.Random(seed)  # noqa: S311 - as above
    former: dict[str, list[str]] = {path: [] for path in pages_of(0, files)}
    for turn in range(3):
        plant(root, pages_of(turn, files))
        if turn:
            killed(INDEXES, root, data, chance.uniform(0, 0.4), "rounds")
        for path, text in pages_of(turn, files).items():
            former[path].append(text)
        await check(root, data, former)


@pytest.mark.proves("SF5")
@pytest.mark.parametrize("seed", SEEDS)
async def test_killed_while_versions_are_written_none_that_was_told_is_lost(
    root: Path, data: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - as above
    told_of: dict[int, str] = {}
    for turn in range(3):
        said = killed(WRITES, root, data, chance.uniform(0, 0.5), str(turn)).decode()
        for line in said[: said.rfind("\n") + 1].splitlines():
            version, number = map(int, line.split())
            assert told_of.get(version) is None, "no number is used twice"
            told_of[version] = f"# Turn {number} of {turn}\n\nkiwi\n"
        await check(root, data)
    async with await FolderStore.open(root, data, "bytes") as store:
        for version, text in told_of.items():
            assert (await store.fetch("/written.md", version)).body == text


@pytest.mark.proves("SF6")
@pytest.mark.parametrize("damage", ["none", "header"])
async def test_stores_that_start_at_one_instant_agree(
    root: Path, data: Path, opened: Opener, damage: str
) -> None:
    texts = await versioned(root, opened, 30, 2)
    if damage == "header":
        overwrite(log_of(data), 0, b"\xff" * 4096)
    stores: list[FolderStore] = []

    async def start() -> None:
        stores.append(await opened(wait=False))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(start)
    for store in stores:
        await until(functools.partial(current, store, texts), 30)
    assert len(found_below(data, "versions.db.damaged-*")) == (damage == "header")
    said = [await told(store) for store in stores]
    assert sum("versions.db was damaged" in text for text in said) == (damage == "header")
