"""The Mark client over our own server, with sockets, TLS and certificates, keeps every store's contract."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mark_store import KeptAnswers, Store, VersionCache
from tests.server.certificates import Authority
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import publishing
from tests.store import relating
from tests.store.contract import CASES
from tests.store.world import WORLD

# The protocol tells no relations.
TOLD = [case for case in CASES if case not in relating.CASES]


@pytest.mark.parametrize("case", TOLD, ids=lambda case: case.__name__)
@pytest.mark.proves("QC1", "QS1")
async def test_the_mark_store_over_quic(
    case: Callable[[Store], Awaitable[None]], tmp_path: Path, trusted: Authority
) -> None:
    kept = KeptAnswers.of(VersionCache(tmp_path / "kept"), "localhost", "")
    async with (
        desk_over(tmp_path, WORLD) as desk,
        publishing(desk, trusted) as server,
        server.client(kept=kept) as store,
    ):
        await case(store)
