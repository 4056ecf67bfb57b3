"""The Mark client over our own server without sockets: the contract, and what each makes of the other."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mark_store import KeptAnswers, MarkStore, Store, VersionCache
from tests.server.mark_worlds import InMemory, desk_over
from tests.store import relating
from tests.store.contract import CASES
from tests.store.world import WORLD

# The protocol tells no relations.
TOLD = [case for case in CASES if case not in relating.CASES]


@pytest.mark.parametrize("kept", [False, True], ids=["", "kept"])
@pytest.mark.parametrize("case", TOLD, ids=lambda case: case.__name__)
@pytest.mark.proves("QC1")
async def test_the_mark_store_in_memory(
    case: Callable[[Store], Awaitable[None]], tmp_path: Path, kept: bool
) -> None:
    async with desk_over(tmp_path, WORLD) as desk:
        exchange = InMemory(desk)
        cache = VersionCache(tmp_path / "kept")
        store = MarkStore(exchange, KeptAnswers.of(cache, exchange.authority, "") if kept else None)
        await case(store)
        await case(store)


@pytest.mark.proves("QC1", "RK1")
async def test_documents_that_a_question_names_are_those_of_the_folder(tmp_path: Path) -> None:
    named = {"/charter.md": "# Tape Charter\n\nRules.\n", "/treaty.md": "# Vault Treaty\n\nRules.\n"}
    async with desk_over(tmp_path, {**WORLD, **named}) as desk:
        store = MarkStore(InMemory(desk))
        for limit, offset in ((1, 0), (1, 1), (10, 0), (10, 1)):
            query = "what do the Vault Treaty and the Tape Charter say of tape"
            pages = [await each.lookup(query, limit=limit, offset=offset) for each in (store, desk.store)]
            one, other = ([(row.path, row.anchor, row.named) for row in page.rows] for page in pages)
            assert one == other
            assert [page.named for page in pages] == [2, 2]
