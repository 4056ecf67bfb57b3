"""Documents that a question calls by name come first, however they are called, and nothing else does."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from mark_store import FolderStore, LookupPage, Row

FILLER = "Boats wait for the tide and the pilot for the boats.\n"


DEEP = "/handbook/engineering/platform/services/payment/gateway/integration/providers/europe/north/notes/old"


def files(root: Path) -> None:
    """A store of proposals, notes and hostile titles."""
    texts = {
        "peps/pep-0572.md": "---\ntitle: 'PEP 572: Assignment Expressions'\n---\n\n## Why\n\nNames.\n",
        "adr/0017-queues.md": "---\ntags: [adr]\n---\n# Queues for holds\n\nOne queue.\n",
        "adr/0018-leases.md": "---\naliases: lending terms, leases\n---\n# Leases\n\nThree days.\n",
        "docs/architecture/decisions/0021-retire.md": "# 21. Retire the van\n\nIt went.\n",
        "architecture-decision-record/007-first.md": "# First\n\nIt came.\n",
        "keps/1-tapes.md": "---\ntitle: 'KEP 1: Moving Storage - Tapes'\n---\n\n## Why\n\nAge.\n",
        "keps/2-disks.md": "---\ntitle: 'KEP 2: Moving Storage - Disks'\n---\n\n## Why\n\nNoise.\n",
        "wiki/amazon.md": "# 亚马逊雨林\n\n森林很大。\n",
        **{f"{DEEP[1:]}/{name}.md": f"# {name} deep\n\nA note.\n" for name in "abcd"},
        "wiki/the.md": "# The\n\nAn article.\n",
        "wiki/x.md": "# X\n\nA letter.\n",
        "wiki/tide.md": "# Tide\n\nWater comes and goes.\n",
        "wiki/quoted.md": "# \"; DROP TABLE name; -- '\n\nHostile.\n",
        **{f"same/{i}.md": f"# Standing Orders\n\n{FILLER}" for i in range(30)},
        **{f"talk/{i}.md": f"# Log {i + 5000}\n\n{FILLER}" for i in range(30)},
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


async def named(root: Path, data: Path, query: str) -> list[str]:
    page = await looked_up(root, data, query)
    flags = [row.named for row in page.rows]
    assert flags == sorted(flags, reverse=True), "named rows come first"
    return [row.path for row in page.rows if row.named]


async def looked_up(root: Path, data: Path, query: str, limit: int = 10, offset: int = 0) -> LookupPage:
    async with await FolderStore.open(root, data, "bytes") as store:
        assert await store.ready(60)
        return await store.lookup(query, limit=limit, offset=offset)


@pytest.mark.proves("RK1")
@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("What does PEP 572 allow?", ["/peps/pep-0572.md"]),
        ("is pep-0572 liked", ["/peps/pep-0572.md"]),
        ("why did (572) pass", ["/peps/pep-0572.md"]),
        ("who wanted assignment expressions", ["/peps/pep-0572.md"]),
        ("what came of ADR 17", ["/adr/0017-queues.md"]),
        ("what did ADR 0021 retire", ["/docs/architecture/decisions/0021-retire.md"]),
        ("what did decision 21 retire", ["/docs/architecture/decisions/0021-retire.md"]),
        ("and adr-0007?", ["/architecture-decision-record/007-first.md"]),
        ("do lending terms change for queues for holds", ["/adr/0018-leases.md", "/adr/0017-queues.md"]),
        ("亚马逊雨林在哪里", ["/wiki/amazon.md"]),
        ("what does tide.md say", ["/wiki/tide.md"]),
        ("compare wiki/tide.md and /adr/0018-leases.md", ["/wiki/tide.md", "/adr/0018-leases.md"]),
        ("leases", ["/adr/0018-leases.md"]),
        ("what's leases", ["/adr/0018-leases.md"]),
        (f"{DEEP}/d.md", [f"{DEEP}/d.md"]),
        ('"leases" cost what', ["/adr/0018-leases.md"]),
        ("who wants moving storage - disks", ["/keps/2-disks.md"]),
        ("who wants moving storage", ["/keps/1-tapes.md", "/keps/2-disks.md"]),
    ],
)
async def test_a_document_is_named_in_many_ways(root: Path, data: Path, query: str, paths: list[str]) -> None:
    files(root)
    assert await named(root, data, query) == paths


@pytest.mark.proves("RK4")
@pytest.mark.parametrize(
    "query",
    [
        "where is the boat",
        "x marks nothing",
        "which standing orders are there",
        "when does the tide come",
        "how high is a Tide or a TIDE",
        "17 boats",
        '"; DROP TABLE name; --',
        "",
        "* * *",
        "the " * 5000,
    ],
)
async def test_what_says_nothing_is_no_name(root: Path, data: Path, query: str) -> None:
    files(root)
    assert [path for path in await named(root, data, query) if path != "/wiki/quoted.md"] == []


@pytest.mark.proves("RK1")
async def test_the_heading_that_other_words_name_is_the_row(root: Path, data: Path) -> None:
    files(root)
    page = await looked_up(root, data, "Whence PEP 572, and Why?")
    assert (page.rows[0].path, page.rows[0].anchor) in {
        ("/peps/pep-0572.md", "why"),
        ("/peps/pep-0572.md", ""),
    }


@pytest.mark.proves("RK1")
async def test_pages_with_named_rows_repeat_and_skip_nothing(root: Path, data: Path) -> None:
    files(root)
    query = "PEP 572 and ADR 17: boats, tide, pilot"
    whole = await looked_up(root, data, query, limit=1000)
    pages = [await looked_up(root, data, query, 7, at) for at in range(0, whole.total, 7)]
    assert places(itertools.chain.from_iterable(page.rows for page in pages)) == places(whole.rows)
    assert len(whole.rows) == whole.total == len(set(places(whole.rows)))


@pytest.mark.proves("RK1")
async def test_a_name_goes_with_its_document(root: Path, data: Path) -> None:
    files(root)
    query = "what came of ADR 17"
    assert await named(root, data, query) == ["/adr/0017-queues.md"]
    (root / "adr/0017-queues.md").unlink()
    assert await named(root, data, query) == []


def places(rows: Sequence[Row] | itertools.chain[Row]) -> list[tuple[str, str]]:
    return [(row.path, row.anchor) for row in rows]
