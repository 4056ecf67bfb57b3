"""The worlds behind the surface tests, each served once per transport and protocol era for the whole run."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings
from tests.server.certificates import Authority
from tests.server.odd_names import write_odd_world
from tests.server.surfaces import SURFACES, Surface, opened

# What the files of a copied world say about their age, so that results can be compared with a snapshot.
MODIFIED = 1_700_000_000


def copied(world: Path, target: Path) -> Path:
    """A copy of a fixture world in which every file has the same age."""
    shutil.copytree(world, target)
    for path in target.rglob("*"):
        os.utime(path, (MODIFIED, MODIFIED))
    return target


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this run keeps its worlds and its indexes."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="session")
def trusted(place: Path) -> Authority:
    """The authority that clients under test are told to trust."""
    return Authority(place / "authority")


@pytest.fixture(scope="session")
def music_folder(place: Path, fixtures: Path) -> Path:
    """The music world, and what it lacks for these tests: a binary file."""
    folder = copied(fixtures / "music", place / "music")
    (folder / "notes" / "tape.md").write_bytes(b"\x00\x01\x02")
    os.utime(folder / "notes" / "tape.md", (MODIFIED, MODIFIED))
    return folder


@pytest.fixture(scope="session")
def odd_folder(place: Path) -> Path:
    """A world of names, titles and anchors that are hard to print."""
    return write_odd_world(place / "odd")


@pytest.fixture(scope="session", params=SURFACES)
async def music(request: pytest.FixtureRequest, music_folder: Path, place: Path) -> AsyncIterator[Surface]:
    """The music world over one of the surfaces."""
    async with opened(request.param, music_folder, place / "data") as surface:
        yield surface


@pytest.fixture(scope="session", params=["memory", "stdio"])
async def odd(request: pytest.FixtureRequest, odd_folder: Path, place: Path) -> AsyncIterator[Surface]:
    """The world of odd names over two of the surfaces."""
    async with opened(request.param, odd_folder, place / "data") as surface:
        yield surface


@pytest.fixture(scope="session")
async def music_desk(music_folder: Path, place: Path) -> AsyncIterator[Desk]:
    """The music world without a transport."""
    async with open_desk(Settings(store=str(music_folder), data=place / "data")) as desk:
        assert await desk.ready(30)
        yield desk


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Assert that a block of code leaves a folder as it was: names, sizes, times, bytes."""
    before = _state(folder)
    yield
    assert _state(folder) == before


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    paths = [folder, *sorted(folder.rglob("*"))]
    return {
        str(path): (
            path.stat().st_size if path.is_file() else 0,
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in paths
    }
