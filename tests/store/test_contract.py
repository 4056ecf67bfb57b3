"""The folder store, and one that is mounted among several, keep the contract of every store."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mark_store import Mounted, Opened, SeveralStores, Store
from tests.store.conftest import Opener
from tests.store.contract import CASES
from tests.store.inside import Inside
from tests.store.tree import plant
from tests.store.world import WORLD


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.proves("ST1", "ST2", "ST3", "ST4", "ST5", "ST6", "ST7", "ST8", "RL1", "RL2")
async def test_the_folder_store(case: Callable[[Store], Awaitable[None]], root: Path, opened: Opener) -> None:
    plant(root, WORLD)
    await case(await opened(encoding="o200k_base"))


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.proves("SS1", "SS6")
async def test_a_store_mounted_among_several(
    case: Callable[[Store], Awaitable[None]], root: Path, opened: Opener, tmp_path: Path
) -> None:
    plant(root, WORLD)
    other = tmp_path / "other"
    plant(other, {"/notes.md": "# Tape\n\nTape and quokkas, wombats, invoices.\n"})
    world = await opened(encoding="o200k_base")
    mounts = [Mounted("world", Opened(world)), Mounted("other", Opened(await opened(other)))]
    await case(Inside(SeveralStores(mounts), "world"))
