"""Names and identifiers of a question weigh more than its other words, and change nothing but the order."""

from pathlib import Path

import pytest

from mark_store import FolderStore, LookupPage
from mark_store.weight import weighty
from tests.store.tree import age, plant

FILLER = "Boats wait for the pilot and the pilot for the tide of the harbour at night.\n"


@pytest.mark.proves("SC5")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("how does Ada tune max_age for tls1 in kernel.shm?", ("ada", "max_age", "tls1", "kernel.shm")),
        ("Boats wait. Boats sail.", ()),
        ("why is `maxAge` of the API wrong", ("maxage", "api")),
        ("Когда Ада уехала из порта", ("ада",)),
        ("阿达为什么离开", ()),
        ("", ()),
    ],
)
def test_what_is_written_as_a_name_or_an_identifier_weighs_more(query: str, found: tuple[str, ...]) -> None:
    wanted = (
        "ada",
        "tune",
        "max_age",
        "tls1",
        "kernel.shm",
        "boats",
        "maxage",
        "api",
        "wrong",
        "ада",
        "порта",
    )
    assert weighty(query, wanted) == found


@pytest.mark.proves("SC5")
async def test_a_name_outweighs_other_words_of_the_longest_question_too(root: Path, data: Path) -> None:
    texts = {f"/{n}.md": f"# Log {n}\n\n{FILLER}" for n in range(9)}
    plant(
        root,
        {**texts, "/a.md": f"# Log\n\n{FILLER}\nA lantern.\n", "/b.md": f"# Log\n\n{FILLER}\nA Corvina.\n"},
    )
    age(root)
    query = "lantern Corvina " + " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(62))
    async with await FolderStore.open(root, data, "bytes") as store:
        assert await store.ready(60)
        assert [row.path for row in (await store.lookup(query)).rows][:2] == ["/b.md", "/a.md"]


@pytest.mark.proves("SC5", "RK1")
async def test_a_name_outweighs_a_word_of_the_same_rarity_unless_its_document_comes_first(
    root: Path, data: Path
) -> None:
    texts = {f"/{n}.md": f"# Log {n}\n\n{FILLER}" for n in range(30)}
    texts["/a-plain.md"] = f"# Log\n\n{FILLER * 3}\nIt has a lantern.\n"
    texts["/b-name.md"] = f"# Log\n\n{FILLER * 3}\nIt has a Corvina.\n"
    plant(root, texts)
    age(root)

    async def first(query: str) -> LookupPage:
        async with await FolderStore.open(root, data, "bytes") as store:
            assert await store.ready(60)
            return await store.lookup(query, limit=40)

    plain, weighed = await first("which lantern or corvina"), await first("which lantern or Corvina")
    assert [row.path for row in plain.rows[:2]] == ["/a-plain.md", "/b-name.md"]
    assert [row.path for row in weighed.rows[:2]] == ["/b-name.md", "/a-plain.md"]
    assert plain.total == weighed.total
    assert {row.path for row in plain.rows} == {row.path for row in weighed.rows}
    plant(root, {"/corvina.md": "# Corvina\n\nA ship.\n"})
    age(root)
    named = await first("which lantern or Corvina")
    assert list(dict.fromkeys(row.path for row in named.rows))[:2] == ["/corvina.md", "/a-plain.md"]
