"""A reader who follows `offset`, `next` and what is named sees all that a bigger budget would have shown."""

import re
import tarfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from mark_outline import Location, front_matter, outline, spellings
from mark_server.arguments import checked
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.fetch import LARGE_BODY
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_store import StoreError
from tests.conftest import REPO

HEADER = re.compile(r"^>>> ((?:/|mark:)\S*)$", re.MULTILINE)
OFFSET = re.compile(r"; \d+ more rows: offset=(\d+)\n\Z")
WORLDS = {"music": "tide band salt", "decisions": "which decision replaced the hold queue"}


@dataclass(slots=True)
class Reader:
    """What was read so far: rows by location, and the characters of each document's body."""

    desk: Desk
    budget: int
    rows: set[str] = field(default_factory=set)
    seen: dict[str, set[int]] = field(default_factory=dict)
    calls: int = 0

    async def ask(self, tool: str, **arguments: object) -> str:
        self.calls += 1
        return await call(self.desk, checked(tool, arguments))  # type: ignore[arg-type]  # a tool's name

    async def look_up(self, query: str, detail: str) -> None:
        """Follow `offset` to the last row of all, and fetch what is named."""
        offset = 0
        while True:
            text = await self.ask(
                "mark_lookup", query=query, offset=offset, budget=self.budget, detail=detail
            )
            total = int(re.findall(r"^matches: (\d+)$", text, re.MULTILINE)[0])
            for url in await self._named(text):
                await self.page_through(url, whole=detail == "full")
            more = OFFSET.search(text)
            following = int(more[1]) if more else offset + 10
            assert following > offset
            offset = following
            if offset >= total:
                return

    async def _named(self, text: str) -> list[str]:
        """Every location of a result: table, headers, notes, relations."""
        cells = re.findall(r"^\| (/.*?) (?<!\\)\|", text, re.MULTILINE)
        lines = [line for line in text.splitlines() if line.startswith(">>> ")]
        found = [place for line in lines for place in re.findall(r"(?:^|[\s(=])(/[^\s,;]+)", line)]
        named = dict.fromkeys([*cells, *(place.rstrip(":") for place in found)])
        return [url for url in named if await self._exists(url)]

    async def _exists(self, url: str) -> bool:
        """Note a location that is one; a relation may name what is not there."""
        try:
            where, _ = await self.desk.read(
                url, lambda place: self.desk.store.fetch(place.path, place.version)
            )
        except StoreError:
            return False
        self.rows.add(str(Location(where.path, None, where.anchor)))
        return True

    async def page_through(self, url: str, *, whole: bool) -> None:
        """Read a location (the `whole` document) from its first character to its last, page by page."""
        start, text = 0, ""
        where, document = await self.desk.read(
            url, lambda place: self.desk.store.fetch(place.path, place.version)
        )
        if whole:
            url = str(Location(where.path, document.version))
        base, _ = extent(document.body, "" if whole else where.anchor)
        while True:
            page = await self.ask("mark_fetch", url=url, start=start, budget=self.budget)
            head, _, body = page.partition("\n\n")
            text += body
            self.seen.setdefault(where.path, set()).update(range(base + start, base + len(text)))
            following = re.search(r"^next: start=(\d+)$", head, re.MULTILINE)
            if following is None:
                break
            assert int(following[1]) == len(text) > start
            start = len(text)
        assert document.body.startswith(text, base)


def extent(body: str, anchor: str) -> tuple[int, int]:
    """Characters of a section, of the body without an anchor."""
    made = outline(body)
    index = made.find(anchor) if anchor else None
    if index is None:
        return 0, len(body)
    return made.sections[index].char_start, made.sections[index].char_own_end


async def shown_with_more(desk: Desk, query: str, detail: str) -> dict[str, list[tuple[str, str]]]:
    """The texts that a large budget prints, each with its location, by document."""
    text = await call(
        desk, checked("mark_lookup", {"query": query, "budget": 100_000, "limit": 1000, "detail": detail})
    )
    shown: dict[str, list[tuple[str, str]]] = {}
    for block in re.split(r"^(?=>>> )", text, flags=re.MULTILINE):
        header = HEADER.match(block)
        body = block.partition("\n\n")[2].removesuffix("\n\n")
        if header and not body.startswith("same text as "):
            where = spellings(header[1])[0]
            shown.setdefault(where.path, []).append((str(Location(where.path, None, where.anchor)), body))
    return shown


async def walked(desk: Desk, query: str, detail: str, budget: int) -> Reader:
    """Walk a lookup, and assert that nothing was missed."""
    reader = Reader(desk, budget)
    await reader.look_up(query, detail)
    page = await desk.store.lookup(query, limit=1000)
    for row in page.rows:
        if str(Location(row.path, None, row.anchor)) not in reader.rows:
            body = (await desk.store.fetch(row.path)).body
            # A bare row of a large document stands for its matching sections (O4), which are compared below.
            large = not row.anchor and len(body.encode()) >= LARGE_BODY
            span = extent(body, row.anchor)
            assert reader.seen[row.path] >= (set() if large else set(range(*span))), (query, row)
    for path, texts in (await shown_with_more(desk, query, detail)).items():
        body = (await desk.store.fetch(path)).body
        for where, text in texts:
            # A related document that a small budget did not name is told by the one that declares it; an
            # outline is no text of the document.
            if where in reader.rows and text in body:
                place = body.index(text)
                assert set(range(place, place + len(text))) <= reader.seen[path], (path, text[:80])
    return reader


@pytest.mark.proves("T22", "T9", "X2")
@pytest.mark.parametrize("detail", ["sections", "excerpts", "full"])
@pytest.mark.parametrize("budget", [200, 700])
@pytest.mark.parametrize("world", WORLDS)
async def test_a_reader_sees_all_of_a_fixture_world(
    place: Path, world: str, budget: int, detail: str
) -> None:
    settings = Settings(store=str(REPO / "fixtures" / world), data=place / "data", patience=60)
    async with open_desk(settings) as desk:
        await walked(desk, WORLDS[world], detail, budget)


@pytest.mark.deep
@pytest.mark.proves("T22")
async def test_a_reader_sees_all_of_real_trees(shared: Path, tmp_path: Path) -> None:
    for archive in sorted((shared / "eval" / "trees").glob("*.tar.gz")):
        with tarfile.open(archive) as tar:
            tar.extractall(tmp_path, filter="data")
        folder = tmp_path / archive.name.removesuffix(".tar.gz")
        async with open_desk(Settings(store=str(folder), data=tmp_path / "data", patience=600)) as desk:
            for query in [query async for query in narrow_queries(desk, folder)][:3]:
                for detail in ("sections", "excerpts", "full"):
                    await walked(desk, query, detail, 700)


def pairs_of_words(folder: Path) -> list[str]:
    """Two words each of some of the folder's documents."""
    random = Random(folder.name)  # noqa: S311 - reproducible questions, no secret
    files = sorted(folder.rglob("*.md"))
    texts = (path.read_text("utf-8", "replace") for path in random.sample(files, min(20, len(files))))
    words = (re.findall(r"\w{6,}", front_matter(text).body) for text in texts)
    return [" ".join(random.sample(found, 2)) for found in words if len(found) > 1]


async def narrow_queries(desk: Desk, folder: Path) -> AsyncIterator[str]:
    """Those that stand in some dozens of sections at most."""
    await desk.ready(600)
    for query in pairs_of_words(folder):
        if 0 < (await desk.store.lookup(query)).total <= 60:
            yield query
