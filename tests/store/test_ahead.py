"""The process that parses ahead changes nothing but the time that the first index takes."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mark_store import ahead
from mark_store.ahead import Ahead
from mark_store.disk import Unreadable
from mark_store.draft import Draft
from tests.store.conftest import Opener
from tests.store.test_faults import INDEXES, child, expect_sound
from tests.store.tree import age, found_below, plant
from tests.waiting import until, until_sync

pytestmark = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs a second processor")

ODD: dict[str, str | bytes] = {
    "/broken.md": "---\ntitle: [\nrel-by: a.md\n---\n# A\n",
    "/binary.md": b"\0\1\2",
    "/latin.md": b"caf\xe9 " * 40,
    "/empty.md": "",
    "/zh/\u6f6e.md": "\ufeff---\ntags: [x]\n---\n\u6f6e\u6c34\n\n## \u6f32\n\u843d\n",
    "/toml.md": "+++\ntitle = 'T'\n+++\n[x]: y\n",
    "/old.md": "---\narchived: true\n---\nkiwi\n",
    "/copy.md": "# Same\n",
    "/copy2.md": "# Same\n",
}


def many(files: int) -> dict[str, str]:
    return {
        f"/{n % 9}/{n}.md": f"---\nrel-next: {n + 1}.md\n---\n# D{n}\n\nkiwi {n}\n\n## B\n\nlime\n"
        for n in range(files)
    }


def plant_large(root: Path) -> list[str]:
    """More frames than there is room for."""
    documents = {f"/{n}.md": "word " * 60_000 for n in range(3 * ahead._FRAMES)}
    plant(root, documents)
    return list(documents)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Have a process for forty files, and know which were started."""
    started: list[subprocess.Popen[bytes]] = []
    inner = ahead._started

    def noted() -> subprocess.Popen[bytes] | None:
        process = inner()
        started.extend([process] if process else [])
        return process

    monkeypatch.setattr("mark_store.ahead.MANY", 40)
    monkeypatch.setattr("mark_store.indexer.MANY", 40)
    monkeypatch.setattr("mark_store.ahead._started", noted)
    yield started
    for process in started:
        assert process.poll() is not None, "no process is left behind"
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdin.closed
        assert process.stdout.closed


def contents(data: Path) -> dict[str, list[object]]:
    """Everything that both databases hold, but for times, and how full text is laid out by them."""
    found: dict[str, list[object]] = {}
    for file in found_below(data, "*.db"):
        with closing(sqlite3.connect(file)) as database:
            tables = [
                name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type='table'")
            ]
            for table in tables:
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                kept = [f'"{name}"' for name in columns if name not in {"observed", "link", "rank"}]
                if kept:
                    rows = database.execute(f"SELECT {', '.join(kept)} FROM {table}")  # noqa: S608 - names of its own
                    found[f"{file.name} {table}"] = sorted(rows, key=repr)
    return found


@pytest.mark.anyio
@pytest.mark.proves("SX1")
async def test_an_index_is_the_same_byte_for_byte_with_and_without_the_process(
    root: Path, tmp_path: Path, opened: Opener, few: list[subprocess.Popen[bytes]]
) -> None:
    plant(root, many(300) | ODD)
    (root / "no.md").symlink_to("/etc/passwd")
    age(root)
    one = await opened(index_dir=tmp_path / "one", encoding="o200k_base")
    assert len(few) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mark_store.indexer.MANY", 10_000)
        other = await opened(index_dir=tmp_path / "other", encoding="o200k_base")
    assert len(few) == 1
    for query in ("kiwi lime", "*", "\u6f6e", "same"):
        assert await one.lookup(query, limit=500) == await other.lookup(query, limit=500)
    assert await one.notices() == await other.notices()
    await one.aclose()
    await other.aclose()
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert len(contents(tmp_path / "one")) > 10


@pytest.mark.anyio
@pytest.mark.proves("SX2")
@pytest.mark.parametrize("fault", ["killed", "stopped", "silent", "gone", "no python"])
async def test_whatever_becomes_of_the_process_everything_is_indexed(
    root: Path,
    opened: Opener,
    monkeypatch: pytest.MonkeyPatch,
    few: list[subprocess.Popen[bytes]],
    fault: str,
) -> None:
    plant(root, many(200))
    inner = ahead._started
    monkeypatch.setattr("mark_store.ahead._STANDSTILL_SECONDS", 0.5)

    def broken() -> subprocess.Popen[bytes] | None:
        process = inner()
        assert process is not None
        os.kill(process.pid, signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        return process

    match fault:
        case "killed" | "stopped":
            monkeypatch.setattr("mark_store.ahead._started", broken)
        case "silent":
            monkeypatch.setattr("mark_store.ahead._COMMAND", ("-c", "print('hello')"))
        case "gone":
            monkeypatch.setattr(sys, "executable", f"{sys.executable}-that-is-not-there")
        case _:
            monkeypatch.setattr(sys, "executable", "/usr/bin/true")
    store = await opened()
    assert (await store.lookup("kiwi")).total == 200
    assert len(few) == (fault in {"killed", "stopped", "silent"})


@pytest.mark.proves("SX2")
def test_a_process_that_ends_in_the_middle_leaves_the_rest_to_its_caller(
    root: Path, few: list[subprocess.Popen[bytes]]
) -> None:
    paths = plant_large(root)
    with closing(Ahead(root, "bytes", paths)) as drafts:
        assert isinstance(drafts.take(paths[0]), Draft)
        assert drafts.take(paths[9]) is None, "only in the order of the request"
        until_sync(lambda: drafts._frames.qsize() > 2)
        few[0].kill()
        taken = [drafts.take(path) for path in paths[1:]]
        gone = taken.index(None)
        assert 0 < gone < len(paths) - 1
        assert not any(taken[gone:])
        assert [made.path for made in taken[:gone] if isinstance(made, Draft)] == paths[1 : gone + 1]


@pytest.mark.proves("SX2")
def test_closing_does_not_wait_for_drafts_that_nobody_takes(
    root: Path, few: list[subprocess.Popen[bytes]]
) -> None:
    paths = plant_large(root)
    drafts = Ahead(root, "bytes", paths)
    until_sync(drafts._frames.full)
    drafts.close()
    drafts.close()
    assert few[0].poll() is not None
    assert drafts._frames.qsize() <= ahead._FRAMES, "and not more was read than there is room for"


@pytest.mark.anyio
@pytest.mark.proves("SX2")
async def test_closing_a_store_in_its_first_indexing_ends_the_process(
    root: Path, opened: Opener, few: list[subprocess.Popen[bytes]]
) -> None:
    plant_large(root)
    store = await opened(wait=False)
    await until(lambda: few)
    await store.aclose()
    assert few[0].poll() is not None


PRINTS = """
import sys
from mark_store import ahead, indexer
ahead.MANY = indexer.MANY = 40
inner = ahead._started
def noted():
    process = inner()
    print(process.pid, flush=True)
    return process
ahead._started = noted
"""


@pytest.mark.proves("SX3")
def test_the_process_ends_when_its_parent_is_killed(root: Path, data: Path) -> None:
    plant_large(root)
    with child(PRINTS + INDEXES, root, data) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)
        os.kill(pid, signal.SIGSTOP)
        parent.kill()
        parent.wait()
        os.kill(pid, signal.SIGCONT)
        until_sync(lambda: not is_running(pid))
    expect_sound(data)


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0]
        return state not in "ZX"
    return False


@pytest.mark.proves("SX3")
def test_the_process_has_pipes_of_its_own_and_no_other_file_of_its_parent(
    root: Path, few: list[subprocess.Popen[bytes]]
) -> None:
    plant(root, many(300))
    with closing(Ahead(root, "bytes", sorted(many(300)))):
        theirs = Path(f"/proc/{few[0].pid}/fd")
        until_sync(lambda: len(list(theirs.iterdir())) >= 3)
        for number in (0, 1, 2):
            assert (theirs / str(number)).readlink() != Path(f"/proc/self/fd/{number}").readlink()
        assert not [file for file in theirs.iterdir() if str(file.readlink()).endswith((".db", ".db-wal"))]


@pytest.mark.proves("SX3")
def test_modules_of_the_folder_that_a_server_is_started_in_are_not_run(
    root: Path, monkeypatch: pytest.MonkeyPatch, few: list[subprocess.Popen[bytes]]
) -> None:
    plant(root, many(60))
    plant(root, {"/mark_store/__init__.py": "raise SystemExit", "/pickle.py": "raise SystemExit"})
    monkeypatch.chdir(root)
    paths = sorted(many(60))
    with closing(Ahead(root, "bytes", paths)) as drafts:
        assert all(isinstance(drafts.take(path), Draft) for path in paths)
    assert few


@pytest.mark.proves("SX1")
def test_a_file_that_cannot_be_read_is_told_in_its_place(
    root: Path, few: list[subprocess.Popen[bytes]]
) -> None:
    plant(root, many(70))
    paths = ["/gone.md", *sorted(many(70)), "/0"]
    with closing(Ahead(root, "bytes", paths)) as drafts:
        made = [drafts.take(path) for path in paths]
    assert len(few) == 1
    assert [type(each) for each in made] == [Unreadable, *[Draft] * 70, Unreadable]
