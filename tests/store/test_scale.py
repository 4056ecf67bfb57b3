"""What keeps a large folder fast changes no answer: rows, order and totals are those of scoring all."""

import random
from pathlib import Path

import pytest

from mark_store import FolderStore, LookupPage
from tests.store.conftest import Opener
from tests.store.tree import age, plant

pytestmark = pytest.mark.anyio

WORDS = [f"word{n}" for n in range(60)]


def text(number: int, importance: str) -> str:
    """A page of words of which the first are frequent and the last rare."""
    chance = random.Random(number)  # noqa: S311 - the same pages in every run
    ranks = (int(chance.paretovariate(0.5)) - 1 for _ in range(chance.randrange(3, 30)))
    words = [WORDS[min(rank, len(WORDS) - 1)] for rank in ranks]
    return f"---\nimportance: {importance}\n---\n# Page {number}\n\n{' '.join(words)}\n"


@pytest.mark.proves("SL1")
@pytest.mark.parametrize("importance", [["0.5"], ["0.5", "1.0", "0.1"]])
async def test_scoring_what_can_be_among_the_best_gives_the_order_of_scoring_all(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, importance: list[str]
) -> None:
    plant(root, {f"/{n % 3}/{n}.md": text(n, importance[n % len(importance)]) for n in range(900)})
    age(root)
    store = await opened()
    scored: list[int] = []

    async def answers(few: int) -> list[LookupPage]:
        monkeypatch.setattr("mark_store.scoring._FEW", few)
        return [await store.lookup(query, scope=scope, limit=30) for query, scope in asked()]

    def asked() -> list[tuple[str, str]]:
        chance = random.Random(1)  # noqa: S311 - the same questions in every run
        queries = [" ".join(chance.sample(WORDS, size)) for size in (1, 2, 2, 3, 4, 6)]
        queries += ["word0 word1", "word0 word30", "word0's word1's word30"]
        return [(query, scope) for query in queries for scope in ("/", "/1")]

    everything = await answers(1_000_000)
    assert await answers(0) == everything
    assert max(page.total for page in everything) > 300
    monkeypatch.setattr("mark_store.scoring._scored", counting(scored))
    saved = []
    for query, scope in asked():
        scored.clear()
        page = await store.lookup(query, scope=scope)
        saved.append(page.total - sum(scored))
    assert max(saved) > 100, "and it does save something"
    await pages(store)


def counting(scored: list[int]) -> object:
    """The scoring itself, with its amounts noted."""
    from mark_store import scoring

    inner = scoring._scored

    def noted(*given: object) -> list[tuple[float, int]]:
        found = inner(*given)  # type: ignore[arg-type] # as it was called
        scored.append(len(found))
        return found

    return noted


async def pages(store: FolderStore) -> None:
    """Pages beyond the head go on as one page of all would."""
    whole = await store.lookup("word0 word1 word2 word59", limit=400)
    paged = [
        row
        for offset in range(0, 400, 90)
        for row in (await store.lookup("word0 word1 word2 word59", limit=90, offset=offset)).rows
    ]
    assert tuple(paged[:400]) == whole.rows[:400]
