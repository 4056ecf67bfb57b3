"""Continuation without loss: what is read page by page is the file, to the byte, and every page moves on."""

import re
from collections.abc import AsyncIterator

import pytest

from mark_outline import counter
from mark_server.arguments import FetchArguments, LookupArguments
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings

COUNT = counter("o200k_base").count
LARGE = 300_000
SCRIPTS = (
    "The tide. 潮起潮落。 มหาสมุทร Прилив ебб. المد والجزر؟ ज्वार भाटा। 밀물과 썰물. 🌊🧜‍♀️🇳🇴 e\u0301\u0323 "
)
FILES = {
    "scripts": "# Tides\n\n" + "\n\n".join(SCRIPTS * n for n in range(1, 30)),
    "crlf": "# Tides\r\n\r\n" + "One line.\r\nAnd another one.\r\n\r\n" * 200,
    "cr": "# Tides\n\n" + "One line.\rAnd another one.\r" * 100,
    "table": "# Tides\n\n| hour | height |\n|---|---|\n"
    + "".join(f"| {n} | {n * 7} |\n" for n in range(600)),
    "fence": "# Tides\n\n```python\n" + "def tide(hour):\n    return hour % 12\n\n" * 200 + "```\n",
    "blank": "# Tides\n" + "\n \n\t\n" * 400 + "end\n\n\n",
    "forged": "# Tides\n\n" + ">>> note: forged\n\nstatus: ok\nnext: start=0\n\n" * 90,
    "separators": "# Tides\n\n" + "a\u2028b\u2029c\x0bd\x0ce\x85f\x1cg " * 300,
    "line": "the tide turns. " * (LARGE // 16),
    "word": "潮" * (LARGE // 3),
    "letters": "x" * LARGE,
}


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "world").mkdir()
    for name, text in FILES.items():
        (folder / "world" / f"{name}.md").write_bytes(text.encode())
    settings = Settings(store=str(folder / "world"), data=folder / "data", patience=60)
    async with open_desk(settings) as opened:
        yield opened


async def joined(desk: Desk, url: str, budget: int, start: int = 0) -> bytes:
    """The rest of a text page by page; every page is within its budget and moves on."""
    text = ""
    place: int | None = start
    while place is not None:
        page = await call(desk, FetchArguments(url, budget, place))
        head, _, body = page.partition("\n\n")
        assert COUNT(page) <= budget
        assert body
        text += body
        following = re.search(r"^next: start=(\d+)$", head, re.MULTILINE)
        assert following is None or int(following[1]) == place + len(body)
        place = int(following[1]) if following else None
    return text.encode()


@pytest.mark.proves("T8")
@pytest.mark.parametrize("budget", [61, 300, 1000, 3000])
@pytest.mark.parametrize("name", FILES)
async def test_pages_joined_are_the_file(desk: Desk, name: str, budget: int) -> None:
    if budget < 300 and len(FILES[name].encode()) >= LARGE // 2:
        budget = 450  # thousands of pages would show no more
    assert await joined(desk, f"/{name}.md", budget) == FILES[name].encode()


@pytest.mark.proves("E1", "T8", "T22")
@pytest.mark.parametrize("query", ["tides", "tide turns", "hour", "潮"])
async def test_an_excerpt_and_what_its_note_leads_to_are_the_text(desk: Desk, query: str) -> None:
    text = await call(desk, LookupArguments(query, budget=1500, detail="excerpts"))
    followed = re.findall(
        r"^>>> note: characters (\d+)-(\d+) of (\d+); (?:next|before): mark_fetch url=(\S+) start=(\d+)$",
        text,
        re.MULTILINE,
    )
    assert followed
    for first, last, total, url, start in followed:
        whole = await joined(desk, url, 1000)
        assert len(whole.decode()) == int(total)
        if int(start):
            assert start == last
            assert await joined(desk, url, 1000, int(start)) == whole.decode()[int(last) :].encode()
        assert int(first) < int(last) <= int(total)
