"""The folder store keeps the contract of every store."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mark_store import Store
from tests.store.conftest import Opener
from tests.store.contract import CASES
from tests.store.tree import plant
from tests.store.world import WORLD


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.proves("ST1", "ST2", "ST3", "ST4", "ST5", "ST6", "ST7", "ST8", "RL1", "RL2")
async def test_the_folder_store(case: Callable[[Store], Awaitable[None]], root: Path, opened: Opener) -> None:
    plant(root, WORLD)
    await case(await opened(encoding="o200k_base"))
