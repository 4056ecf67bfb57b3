"""The page and the screen of explain over random worlds: sums, widths, escaping; and in a real browser."""

import shutil
import subprocess
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib import image
from rich.cells import cell_len

from mark_expand import Entry, Part, Scored, Trace
from mark_server.arguments import LookupArguments
from mark_server.explanation.account import Account, account, shares
from mark_server.explanation.markup import element
from mark_server.explanation.page import page
from mark_server.explanation.plain_text import plain
from mark_server.explanation.screen import screen
from tests.expand.invariants import Scene
from tests.expand.strategies import scenes

LARGE = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=40)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "footer", "h1", "h2", "p", "div", "span"),
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "bdi", "wbr", "ul", "li"),
    *("dl", "dt", "dd"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "style", "title", "role", "tabindex"),
    *("aria-label", "scope", "colspan"),
}
HOSTILE = (
    "<script>document.title='owned'</script>",
    "</style></title></bdi></td><img src=x onerror=\"document.title='owned'\">",
    "'\"><svg onload=document.title='owned'>",
    "&lt;b&gt; &amp;amp; \u202eturned\u202c \x00\x1b[31m \ud800",
    "javascript:alert(1)",
)


class Read(HTMLParser):
    """A page as a browser reads it: elements, attributes, and each table as rows of texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.tables: list[list[list[str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        match tag:
            case "table":
                self.tables.append([])
            case "tr":
                self.tables[-1].append([])
            case "th" | "td":
                self.tables[-1][-1].append("")
        if tag not in ("meta", "wbr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data
        if {"td", "th"}.intersection(self._open):
            self.tables[-1][-1][-1] += data


def of(scene: Scene) -> Account:
    asked = LookupArguments("tide >>> <b>", budget=scene.ask.budget)
    return account(asked, scene.result.trace, [("failed", "late: <i>no</i>")])


@pytest.mark.proves("EX1", "EX2", "EX5")
@LARGE
@given(scenes())
def test_pieces_sum_up_in_every_world_and_the_page_shows_the_same_figures(scene: Scene) -> None:
    made = of(scene)
    assert made.used == scene.unit.tokens(scene.unit.count(scene.result.text))
    assert sum(item.tokens for item in made.items) == made.used
    assert made.used + made.left == scene.ask.budget
    read = Read(page(made, "0"))
    spending = read.tables[0]
    fates = read.tables[1][1:] if made.decisions else []
    figures = [int(row[-1]) for row in spending[1:]]
    assert figures[:-3] == [item.tokens for item in made.items]
    assert figures[-3:] == [sum(figures[:-3]), made.left, made.budget]
    for row in spending[1:-3]:
        assert sum(int(cell or 0) for cell in row[2:6]) == int(row[-1])
    for row, one in zip(fates, made.decisions, strict=True):
        assert row[4].startswith(plain(one.entry.location))
    assert [row[2] for row in fates] == [entry.outcome for entry in scene.result.trace.entries]


@pytest.mark.proves("EX5")
@LARGE
@given(scenes())
def test_no_text_of_any_world_adds_an_element_or_an_attribute(scene: Scene) -> None:
    read = Read(page(of(scene), "0"))
    assert read.tags <= TAGS
    assert read.attributes <= ATTRIBUTES


@pytest.mark.proves("EX4")
@LARGE
@given(scenes(), st.integers(30, 160))
def test_no_line_of_any_world_is_wider_than_the_screen(scene: Scene, width: int) -> None:
    shown = screen(of(scene), colour=False, width=width)
    assert max(cell_len(line) for line in shown.splitlines()) <= width
    assert "\x1b" not in shown


@pytest.mark.proves("EX5")
@given(st.text())
def test_a_text_is_read_back_as_it_was_unless_it_is_none(text: str) -> None:
    kept = "".join(char if char.isprintable() or char in "\t\n" else "" for char in text)
    read = Read(element("p", kept, title=kept))
    assert read.text == kept
    assert (read.tags, read.attributes) == ({"p"}, {"title"} if kept else set())


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60), st.integers(0, 300))
def test_a_bar_is_exactly_as_long_as_it_may_be(values: list[int], cells: int) -> None:
    made = shares(values, cells)
    assert sum(made) == (cells if any(values) else 0)
    assert all(share >= 0 for share in made)
    dear = sum(value > 0 for value in values)
    if dear <= cells:
        assert [share > 0 for share in made] == [value > 0 for value in values]


def hostile() -> Account:
    """A lookup in which every text is an attack."""
    trace = Trace("o200k_base", 1000, events=[*HOSTILE], fetches=[*HOSTILE], tokens=500)
    trace.parts = [Part("head", 50)]
    for rank, text in enumerate(HOSTILE, 1):
        trace.parts += [Part("header", 10, text), Part("text", 60, text), Part("note", 20, text)]
        entry = Entry("row", rank, text, "printed", kind=text, within=text, title=text, detail=text)
        trace.entries.append(entry)
    scored = Scored("candidate", 1, HOSTILE[0], "omitted", "below_floor", source=HOSTILE[1], raw=1.0)
    trace.entries.append(scored)
    return account(LookupArguments(" ".join(HOSTILE), url=HOSTILE[1]), trace, [("failed", HOSTILE[0])])


@pytest.mark.proves("EX5")
def test_a_hostile_text_is_shown_and_does_nothing() -> None:
    text = page(hostile(), "0")
    assert text.encode()
    assert 'http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;;' in text
    read = Read(text)
    assert (read.tags - TAGS, read.attributes - ATTRIBUTES) == (set(), set())
    assert "</style></title></bdi></td><img src=x onerror=" in read.text
    assert "\u202e" not in text
    for loaded in ("url(", "@import", "http://", "https://", "src="):
        assert loaded not in text.replace("<img src=x", "").replace("&lt;img src=x", "")


@pytest.mark.proves("EX5")
def test_tables_are_tables_with_captions_and_headed_rows_and_columns() -> None:
    text = page(hostile(), "0")
    assert text.count("<table") == text.count("<caption>") == 3
    assert text.count('scope="col"') == 7 + 6 + 6
    assert text.count('scope="row"') == 11 + 3 + 6 + 1
    assert 'role="img" aria-label="Bar of the budget: 500 of 1000 tokens used, 500 left' in text
    assert "prefers-color-scheme: dark" in text


@pytest.mark.deep
@pytest.mark.proves("EX5")
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
@pytest.mark.parametrize(("scheme", "paper"), [(0, (20, 24, 28)), (1, (255, 255, 255))])
def test_a_browser_runs_nothing_and_keeps_to_light_or_dark(
    tmp_path: Path, scheme: int, paper: tuple[int, int, int]
) -> None:
    (tmp_path / "page.html").write_text(page(hostile(), "0"), encoding="utf-8")
    browser = [
        *("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=900,700"),
        *(f"--user-data-dir={tmp_path / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}"),
    ]
    place = (tmp_path / "page.html").as_uri()
    dumped = subprocess.run([*browser, "--dump-dom", place], capture_output=True, check=True, timeout=120)
    read = Read(dumped.stdout.decode().partition("<html")[2].join(["<html", ""]))
    assert (read.tags - TAGS, read.attributes - ATTRIBUTES) == (set(), set())
    assert "<title>Where the budget went: &lt;script&gt;" in dumped.stdout.decode()
    picture = tmp_path / "page.png"
    subprocess.run([*browser, f"--screenshot={picture}", place], capture_output=True, check=True, timeout=120)
    corner = image.imread(picture)[2, 2, :3]
    assert tuple(round(float(part) * 255) for part in corner) == paper
