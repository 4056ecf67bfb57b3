"""`detail`: sections, excerpts or whole documents, each within its budget, and the settings behind them."""

# ruff: noqa: E501 - whole results stand here as they are

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from mark_outline import counter
from mark_server.arguments import LookupArguments, checked
from mark_server.checks import ArgumentError
from mark_server.cli import main
from mark_server.opening import open_desk
from mark_server.settings import Settings
from tests.server.surfaces import Surface, in_memory

QUERY = "reel of Slack Water with the dog"
COUNT = counter("o200k_base").count


@pytest.mark.proves("T20", "E1", "E4", "E6")
async def test_excerpts_are_windows_of_the_best_rows(music: Surface) -> None:
    text = await music.text("mark_lookup", query=QUERY, detail="excerpts", budget=300, limit=2)
    assert text == snapshot("""\
status: ok
matches: 21

| /notes/rumours.md | rumours |

>>> /notes/rumours.md/v1

Things said at the bar of the Chandler's Arms, none of them checked. That the stokers of Orrin found the
held tone while asleep. That the lost reel of "Slack Water" is nailed under the Sluice Stage as a lucky
charm. That the dog on the reel belonged to Aud Rimstad and was paid in rope.

That the key to the harmonium opens something else as well.

>>> /bands/pale-ferrymen.md/v1#getting-the-tapes-back

them with the customs officer's old pen. One reel, the take of "Slack Water" with the dog on it, has
never been found; the label believes that it was lent to a radio station and the station believes that

>>> note: characters 335-538 of 552; next: mark_fetch url=/bands/pale-ferrymen.md/v1#getting-the-tapes-back start=538
>>> note: expanded 2 of 2 rows within the budget
""")
    told = await music.text("mark_lookup", query=QUERY, detail="excerpts", limit=1, verbose=True)
    assert "\n>>> note: source of /notes/rumours.md/v1: present; origin /notes/rumours.md\n" in told


@pytest.mark.proves("T20", "B2")
@pytest.mark.parametrize("query", [QUERY, "tide band salt", "*", "潮", "label"])
@pytest.mark.parametrize("detail", ["sections", "excerpts", "full"])
async def test_every_detail_keeps_every_budget(music: Surface, detail: str, query: str) -> None:
    for budget in (60, 130, 500, 1500, 9000):
        text = await music.text("mark_lookup", query=query, detail=detail, budget=budget)
        assert COUNT(text) <= budget or "\n>>> note: the table used" in text


@pytest.mark.proves("T20")
async def test_excerpts_and_full_have_budgets_of_their_own(music: Surface) -> None:
    compact = await music.text("mark_lookup", query="tide band salt", detail="excerpts")
    assert compact == await music.text(
        "mark_lookup", query="tide band salt", detail="excerpts", limit=5, budget=1000
    )
    assert COUNT(compact) <= 1000
    assert re.search(r"^>>> note: expanded \d of 5 rows", compact, re.MULTILINE)
    whole = await music.text("mark_lookup", query="tide band salt", detail="full")
    assert whole == await music.text("mark_lookup", query="tide band salt", detail="full", budget=3000)
    assert COUNT(whole) <= 3000
    assert whole != await music.text("mark_lookup", query="tide band salt", budget=3000)


@pytest.mark.proves("T20")
def test_rows_and_budget_that_were_asked_for_are_kept() -> None:
    given: dict[str, Any] = {"query": "tide", "detail": "excerpts"}
    assert checked("mark_lookup", given) == LookupArguments("tide", limit=5, detail="excerpts")
    assert checked("mark_lookup", {**given, "limit": 10}) == LookupArguments("tide", detail="excerpts")
    budgeted = LookupArguments("tide", detail="excerpts", budget=9)
    assert checked("mark_lookup", {**given, "budget": 9}) == budgeted
    assert checked("mark_lookup", {"query": "tide", "detail": ""}) == LookupArguments("tide")


@pytest.fixture
async def cramped(music_folder: Path, place: Path) -> AsyncIterator[Surface]:
    """The music world with small pages, and excerpts of what is too large."""
    settings = Settings(store=str(music_folder), data=place / "data", page=300, oversized="excerpt")
    async with open_desk(settings) as desk, in_memory(desk) as surface:
        yield surface


@pytest.fixture
async def listing(music_folder: Path, place: Path) -> AsyncIterator[Surface]:
    """The music world, where what is too large is listed."""
    settings = Settings(store=str(music_folder), data=place / "data", oversized="list")
    async with open_desk(settings) as desk, in_memory(desk) as surface:
        yield surface


@pytest.mark.proves("T23", "E7", "T8")
async def test_settings_decide_on_pages_and_on_what_is_too_large(
    cramped: Surface, listing: Surface, music: Surface
) -> None:
    page = await cramped.text("mark_fetch", url="/bands/pale-ferrymen.md", start=0)
    assert page == await music.text("mark_fetch", url="/bands/pale-ferrymen.md", start=0, budget=300)
    assert COUNT(await cramped.text("mark_lookup", query="tide", detail="excerpts")) <= 300
    asked = {"query": QUERY, "budget": 250, "offset": 1, "limit": 1}
    assert "\n>>> note: did not fit: /bands" in await listing.text("mark_lookup", **asked)
    text = await cramped.text("mark_lookup", **asked)
    assert "did not fit" not in text
    assert re.search(r"^>>> note: characters \d+-\d+ of \d+", text, re.MULTILINE)


@pytest.mark.proves("T23")
@pytest.mark.parametrize("page", [299, 3001, -1])
def test_a_page_out_of_range_is_one_line(page: int, tmp_path: Path) -> None:
    line = f"page must be a whole number of tokens from 300 to 3000, got {page}; for example page=1000"
    with pytest.raises(ArgumentError) as caught:
        Settings(page=page)
    assert str(caught.value) == line
    for command in (["lookup", "x", "--store"], ["serve"]):
        done = CliRunner().invoke(main, [*command, str(tmp_path), "--page", str(page)])
        assert (done.exit_code, done.output) == (2, f"marklookup: {line}\n")


@pytest.mark.proves("T21")
async def test_a_document_that_changed_meanwhile_is_read_to_its_end_and_said_to_be_old(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "world"
    folder.mkdir()
    old = "# Log\n\n" + "".join(f"Day {day}: the pilot slept.\n" for day in range(400))
    (folder / "log.md").write_text(old, encoding="utf-8")
    settings = Settings(store=str(folder), data=tmp_path / "data", patience=60)
    async with open_desk(settings) as desk, in_memory(desk) as surface:
        text = await surface.text("mark_lookup", query="day 200", detail="excerpts")
        found = re.search(r"next: mark_fetch url=(\S+) start=(\d+)$", text, re.MULTILINE)
        assert found
        url, start = found[1], int(found[2])
        assert url == "/log.md/v1#log"
        (folder / "log.md").write_text("# Log\n\nRewritten.\n", encoding="utf-8")
        assert "Rewritten." in await surface.text("mark_fetch", url="/log.md")
        rest = ""
        while start:
            page = await surface.text("mark_fetch", url=url, start=start, budget=400)
            head, _, body = page.partition("\n\n")
            assert head.startswith("status: ok\nversion: 1\ncurrent-version: 2")
            assert COUNT(page) <= 400
            rest += body
            following = re.search(r"^next: start=(\d+)$", head, re.MULTILINE)
            start = int(following[1]) if following else 0
        assert rest == old[int(found[2]) :]
        (folder / "log.md").unlink()
        gone = await surface.text("mark_fetch", url=url, start=0, budget=400)
        assert gone.startswith("status: ok\nversion: 1\ncurrent-version: 2\narchived: true\n")
        assert "\nnext: start=" in gone
