"""Kept answers on the disk: right or none, whatever was done to the files, and never more than their room."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_store import VersionCache
from tests.store.tree import found_below
from tests.waiting import until_sync

KEY = ("isle.example", "", "/a.md", "v1")


@pytest.mark.proves("QC4")
def test_what_was_put_is_given_and_nothing_else(tmp_path: Path) -> None:
    cache = VersionCache(tmp_path / "deep" / "kept")
    assert cache.get(KEY) is None
    cache.put(KEY, b"first")
    assert cache.get(KEY) == VersionCache(tmp_path / "deep" / "kept").get(KEY) == b"first"
    assert cache.get((*KEY[:3], "v2")) is None
    cache.put(KEY, b"")
    assert cache.get(KEY) == b""
    (file,) = found_below(tmp_path / "deep" / "kept", "*")
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.proves("QC4")
@given(st.integers(0, 200), st.integers(0, 200), st.binary(max_size=4))
def test_a_damaged_entry_is_none(
    tmp_path_factory: pytest.TempPathFactory, start: int, end: int, noise: bytes
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    cache = VersionCache(folder)
    cache.put(KEY, b"the body of a version")
    (file,) = found_below(folder, "*")
    whole = file.read_bytes()
    damaged = whole[:start] + noise + whole[end:]
    file.write_bytes(damaged)
    assert cache.get(KEY) == (b"the body of a version" if damaged == whole else None)


@pytest.mark.proves("QC4")
def test_an_entry_in_another_s_place_is_none(tmp_path: Path) -> None:
    cache, other = VersionCache(tmp_path), (*KEY[:3], "v2")
    cache.put(KEY, b"one")
    (file,) = found_below(tmp_path, "*")
    data = file.read_bytes()
    cache.put(other, b"two")
    for each in found_below(tmp_path, "*"):
        each.write_bytes(data)
    assert (cache.get(KEY), cache.get(other)) == (b"one", None)


@pytest.mark.proves("QC4")
def test_the_room_is_kept_and_the_least_used_go_first(tmp_path: Path) -> None:
    cache = VersionCache(tmp_path, most=20_000)
    for number in range(60):
        cache.put((str(number),), b"x" * 1000)
        _age(tmp_path)
        cache.get(("0",))
    sizes = [file.stat().st_size for file in found_below(tmp_path, "*")]
    assert sum(sizes) <= 20_000 + 20_000 // 8 + 1200
    assert cache.get(("0",)) is not None
    assert cache.get(("59",)) is not None
    assert cache.get(("1",)) is None
    cache.put(("large",), b"x" * 10_000)
    assert cache.get(("large",)) is None


def _age(folder: Path) -> None:
    for file in found_below(folder, "*"):
        status = file.stat()
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - 1_000_000_000))


@pytest.mark.proves("QC4")
def test_what_a_killed_process_left_is_removed_once_it_is_old(tmp_path: Path) -> None:
    old, young = tmp_path / ".new-old", tmp_path / ".new-young"
    for file in (old, young):
        file.write_bytes(b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    VersionCache(tmp_path).put(KEY, b"x")
    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.proves("QC4")
def test_a_disk_that_takes_nothing_is_a_cache_without_entries(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_bytes(b"")
    for folder in (in_the_way, in_the_way / "below"):
        cache = VersionCache(folder)
        cache.put(KEY, b"x")
        assert cache.get(KEY) is None


WRITER = """
import sys
from pathlib import Path
from mark_store import VersionCache
cache, number = VersionCache(Path(sys.argv[1]), most=3_000_000), 0
while True:
    for key in range(20):
        cache.put((str(key),), (str(key) * 20_000).encode())
        found = cache.get((str(number % 20),))
        assert found in (None, (str(number % 20) * 20_000).encode())
        number += 7
"""


@pytest.mark.proves("QC4")
def test_several_processes_and_kills_leave_no_wrong_entry(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - when they are killed is no secret
    cache = VersionCache(tmp_path)
    for _ in range(6):
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], env=os.environ) for _ in range(2)
        ]
        seen = len(found_below(tmp_path, "*"))
        until_sync(lambda seen=seen: len(found_below(tmp_path, "*")) > min(seen, 3), 30)  # type: ignore[misc] # bound now
        moment = time.monotonic() + chance.random() / 5
        until_sync(lambda moment=moment: time.monotonic() > moment)  # type: ignore[misc] # bound now
        assert [writer.poll() for writer in writers] == [None, None], "a writer met a wrong entry"
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        for key in range(20):
            assert cache.get((str(key),)) in (None, (str(key) * 20_000).encode())
