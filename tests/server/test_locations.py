"""Whatever a result prints as a location is taken back by `mark_fetch` as it stands, for any file name."""

import re
import unicodedata

import pytest

from mark_outline import table_rows
from tests.server.odd_names import NAMES
from tests.server.surfaces import Surface

_FULL_CELL = re.compile(r"^\| (.*?) \| \d\.\d\d \|", re.MULTILINE)
_THIN_CELL = re.compile(r"^\| (\S+) \| ", re.MULTILINE)
_HEADER = re.compile(r"^>>> (/\S+)$", re.MULTILINE)
_TARGET = re.compile(r"(?:rel-\S+|,) (/[^\s,;]+)")
_OMITTED = re.compile(r"(/\S+)(?= \(~| \+\d|,|$)")
_LINK = re.compile(r"^- \[.*\]\((/.*?)\) - ", re.MULTILINE)


@pytest.mark.proves("T10")
async def test_the_full_table_prints_what_can_be_fetched(odd: Surface) -> None:
    text = await odd.text("mark_lookup", query="quark", limit=100)
    cells = _FULL_CELL.findall(text)
    assert len(cells) == len(table_rows(text)) == 2 * len(NAMES)
    for cell in cells:
        assert (await odd.text("mark_fetch", url=cell)).startswith("status: ok\n")


@pytest.mark.proves("T10")
async def test_the_catalog_table_prints_what_can_be_fetched(odd: Surface) -> None:
    text = await odd.text("mark_lookup", query="*", match="catalog", limit=100)
    cells = _FULL_CELL.findall(text)
    assert len(cells) == len(NAMES)
    numbers = [re.findall(r"number (\d+)", await odd.text("mark_fetch", url=cell))[0] for cell in cells]
    assert sorted(map(int, numbers)) == list(range(len(NAMES)))


@pytest.mark.proves("T10")
async def test_every_line_of_an_expansion_prints_what_can_be_fetched(odd: Surface) -> None:
    text = await odd.text("mark_lookup", query="quark", limit=100, budget=9000)
    printed = [*_THIN_CELL.findall(text), *_HEADER.findall(text)]
    related = re.findall(r"^>>> related: (.*)$", text, re.MULTILINE)
    printed += [target for line in related for target in _TARGET.findall(line)]
    assert len(printed) > 20
    for location in set(printed):
        assert (await odd.text("mark_fetch", url=location)).startswith("status: ok\n")


@pytest.mark.proves("T10", "X1")
async def test_what_did_not_fit_is_named_so_that_it_can_be_fetched(odd: Surface) -> None:
    named: set[str] = set()
    for budget in range(100, 400, 20):
        text = await odd.text("mark_lookup", query="quark", limit=40, budget=budget, offset=budget % 7)
        named.update(
            location
            for note in re.findall(r"^>>> note: did not fit: (.*)$", text, re.MULTILINE)
            for location in _OMITTED.findall(note)
        )
    assert named
    for location in named:
        assert (await odd.text("mark_fetch", url=location)).startswith("status: ok\n")


@pytest.mark.proves("T10")
async def test_lists_and_versions_print_what_can_be_opened(odd: Surface) -> None:
    folders, documents = ["/"], []
    for folder in folders:
        links = _LINK.findall(await odd.text("mark_list", url=folder))
        folders += [link for link in links if link.endswith("/")]
        documents += [link for link in links if not link.endswith("/")]
    assert len(documents) == len(NAMES)
    for document in documents:
        whole = await odd.text("mark_fetch", url=document)
        (version,) = _LINK.findall(await odd.text("mark_versions", url=document))
        assert await odd.text("mark_fetch", url=version) == whole


@pytest.mark.proves("T10")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_a_raw_name_is_taken_in_either_normalisation(odd: Surface, form: str) -> None:
    for number, name in enumerate(NAMES):
        if name in {"a%20b.md", "100%25.md"}:
            continue  # written so, they are other documents' names as printed
        url = unicodedata.normalize(form, f"/{name}")  # type: ignore[arg-type]  # a parameter of this test
        assert f"number {number}\n" in await odd.text("mark_fetch", url=url)


@pytest.mark.proves("T3")
async def test_a_document_cannot_forge_the_envelope(odd: Surface) -> None:
    text = await odd.text("mark_fetch", url="/a b.md", verbose=True, budget=400, start=0)
    head = text.partition("\n\n")[0].splitlines()
    assert [line for line in head if line.startswith(("status:", "next:"))] == ["status: ok"]
    assert "metadata-status: accepted" in head
    assert "metadata-next: start=4" in head


@pytest.mark.proves("T3")
async def test_titles_and_names_cannot_forge_the_frame(odd: Surface) -> None:
    text = await odd.text("mark_lookup", query="quark", limit=100, budget=9000)
    framed = [line for line in text.splitlines() if line.startswith(">>>")]
    assert all(re.match(r">>> (/|note: |related: )", line) for line in framed)
