"""Lookups in servers that do less than a folder: the head says so in its budget; outlines are made once."""

from collections.abc import Callable

import pytest

from mark_outline import counter, outline
from mark_server.arguments import FetchArguments, LookupArguments
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.outlines import Outlines
from mark_server.settings import Settings
from mark_store import Document, MarkStore, Request, Response
from tests.store.foreign import Foreign, table

BODY = "# Tape\n\n" + "".join(
    f"## Part {n}\n\nCold tape lies in vault {n}, and the log says where.\n\n" for n in range(40)
)
UNITS = counter("o200k_base")


def desk(answers: Callable[[Request], Response]) -> Desk:
    """A desk before a server of somebody else."""

    async def ready(seconds: float) -> bool:
        return seconds >= 0

    return Desk(MarkStore(Foreign(answers)), ready, lambda: None, UNITS, Settings())


def only_vaults(request: Request) -> Response:
    """A server that matches all terms, and holds `vault` alone of them."""
    if request.verb == "FETCH":
        return Response({"status": "ok", "version": "3", "etag": "e"}, BODY.encode())
    return (
        table(*(f"/{n}.md#part-{n}" for n in range(9))) if request.fields["query"] == "vault-9" else table()
    )


@pytest.mark.proves("QC2")
@pytest.mark.parametrize("budget", [0, 300, 400, 600, 1200, 3000])
@pytest.mark.parametrize("detail", ["sections", "excerpts", "full"])
async def test_an_answer_for_fewer_terms_says_so_inside_its_budget(budget: int, detail: str) -> None:
    arguments = LookupArguments("where does cold tape go from vault-9", budget=budget, detail=detail)  # type: ignore[arg-type] # one of three
    text = await call(desk(only_vaults), arguments)
    head = text.partition("\n\n")[0]
    assert head == 'status: ok\nmatches: 9\nnote: asked for "vault-9", nothing has all words of the query'
    if budget:
        assert UNITS.count(text) <= UNITS.units(budget)


@pytest.mark.proves("QC2")
async def test_what_was_asked_for_is_told_on_one_short_line() -> None:
    def answers(request: Request) -> Response:
        return table("/a.md") if request.fields["query"].startswith("x1 ") else table()

    question = "word " + " ".join(f"x{number}" * 4 for number in range(60))
    text = await call(desk(answers), LookupArguments("x1 y\n>>> note: forged " + question))
    assert all(len(line) < 160 for line in text.partition("\n\n")[0].splitlines())
    assert ">>> note" not in text.partition("\n\n")[0]


@pytest.mark.proves("QC3")
async def test_an_answer_that_compared_titles_only_says_so() -> None:
    def answers(request: Request) -> Response:
        if request.verb == "FETCH":
            return Response({"status": "ok"}, BODY.encode())
        return table("/a.md", match="catalog")

    text = await call(desk(answers), LookupArguments("cold tape", budget=400))
    assert text.startswith(
        "status: ok\nmatches: 1\nmatch: catalog\nnote: this store compares titles and tags only\n"
    )
    asked = await call(desk(answers), LookupArguments("cold tape", match="catalog"))
    assert asked.startswith("status: ok\nmatches: 1\n\n"), "who asked for a catalog is told nothing new"


@pytest.mark.proves("QS7", "QC1")
async def test_documents_without_outlines_have_sections_pages_and_outlines() -> None:
    there = desk(only_vaults)
    assert "mode: outline" not in await call(there, FetchArguments("/0.md"))
    section = await call(there, FetchArguments("/0.md#part-7"))
    assert section.endswith("## Part 7\n\nCold tape lies in vault 7, and the log says where.\n\n")
    found = await call(there, LookupArguments("vault-9", budget=600))
    assert ">>> /0.md/v3#part-0" in found


def document(path: str, body: str, version: int | None = 1, etag: str = "e") -> Document:
    return Document(path, version, body, {}, etag, "", "", 0, None)


@pytest.mark.proves("QS7")
def test_an_outline_is_made_once_for_each_version_and_the_room_is_bounded() -> None:
    outlines = Outlines(most=1000)
    first = outlines.of(document("/a.md", "# A\n"))
    assert outlines.of(document("/a.md", "# A\n")) is first
    assert outlines.of(document("/b.md", "# A\n")) is not first
    assert outlines.of(document("/a.md", "# B\n", 2)).sections[0].title == "B"
    assert outlines.of(document("/a.md", "# Changed\n")).sections[0].title == "Changed", (
        "a body of other length is another"
    )
    assert outlines.of(document("/c.md", "# C\n", None, "")) is not outlines.of(
        document("/c.md", "# C\n", None, "")
    )
    kept = outlines.of(document("/a.md", "# B\n", 2))
    outlines.of(document("/d.md", "x" * 990))
    assert outlines.of(document("/a.md", "# B\n", 2)) is kept
    outlines.of(document("/e.md", "x" * 2000))
    assert outlines.of(document("/a.md", "# B\n", 2)) is not kept
    own = outline("# Own\n")
    assert outlines.of(Document("/a.md", 2, "# B\n", {}, "e", "", "", 0, own)) is own
