"""Real folders with real stores over them, closed when the test ends."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from mark_store import FolderStore

Opener = Callable[..., Awaitable[FolderStore]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder to serve."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def watched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have events from the start, which a server first lets pass."""
    monkeypatch.setattr("mark_store.background._WATCH_AFTER_SECONDS", 0.0)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where databases go."""
    return tmp_path / "data"


@pytest.fixture
async def opened(root: Path, data: Path) -> AsyncIterator[Opener]:
    """Opens stores over `root` (or another folder) and waits until they are indexed."""
    async with AsyncExitStack() as stack:

        async def opener(folder: Path | None = None, wait: bool = True, **options: object) -> FolderStore:
            settings: dict[str, object] = {"index_dir": data, "encoding": "bytes"} | options
            store = await FolderStore.open(folder or root, **settings)  # type: ignore[arg-type] # as the test says
            await stack.enter_async_context(store)
            if wait:
                assert await store.ready(30)
            return store

        yield opener
