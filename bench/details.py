"""`python -m bench.details`: how large the three details of a lookup are, what calls a long text takes.

Prints two tables of markdown; nothing is asserted. Trees are folders of markdown below the one that is given,
without any the example documents of this repository.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path
from statistics import mean
from typing import get_args

import anyio

from bench.questions import questions, survey
from bench.trees import FIXTURES, REPO
from mark_expand import Detail
from mark_outline import counter
from mark_server.arguments import FetchArguments, LookupArguments
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings

BUDGETS = (500, 1000, 1500)
PAGES = (300, 500, 1000, 1500, 2000, 3000)
LOOKUPS = 40
LONG = 300_000  # bytes
BLOCK = re.compile(r"^>>> (?!note: |related: )", re.MULTILINE)
COUNT = counter("o200k_base").count


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.details", description="Measure details and pages.")
    parser.add_argument("--trees", type=Path, metavar="FOLDER", help="a folder of folders of markdown")
    options = parser.parse_args()
    roots = sorted(options.trees.iterdir()) if options.trees else [REPO / "fixtures" / it for it in FIXTURES]
    with tempfile.TemporaryDirectory(prefix="marklookup-bench-") as place:
        anyio.run(_measure, [root for root in roots if root.is_dir()], Path(place))


async def _measure(roots: list[Path], place: Path) -> None:
    print("| tree | detail | " + " | ".join(f"{budget}: tokens, blocks" for budget in BUDGETS) + " |")
    print("|---|---|" + "---|" * len(BUDGETS))
    for root in roots:
        asked = questions(survey(root)[1], LOOKUPS)
        async with open_desk(Settings(store=str(root), data=place / "data", patience=600)) as desk:
            for detail in get_args(Detail):
                cells = [await _sizes(desk, asked, detail, budget) for budget in BUDGETS]
                print(f"| {root.name} | {detail} | " + " | ".join(cells) + " |")
    await _measure_pages(roots, place)


async def _sizes(desk: Desk, asked: list[str], detail: Detail, budget: int) -> str:
    texts = [await call(desk, LookupArguments(query, budget=budget, detail=detail)) for query in asked]
    blocks = mean(len(BLOCK.findall(text)) for text in texts)
    return f"{mean(map(COUNT, texts)):.0f}, {blocks:.1f}"


async def _measure_pages(roots: list[Path], place: Path) -> None:
    """Read one document of 300 kB, made of the trees' texts, to its end at each page size."""
    texts = (path.read_text("utf-8", "replace") for root in roots for path in sorted(root.rglob("*.md")))
    joined = "\n\n".join(texts).encode()
    long = (joined * (LONG // len(joined) + 1))[:LONG].decode("utf-8", "ignore")
    (place / "long").mkdir()
    (place / "long" / "long.md").write_text(long, encoding="utf-8")
    print(
        f"\n| page, tokens | calls for {LONG // 1000} kB, {COUNT(long)} tokens | tokens read |\n|---|---|---|"
    )
    settings = Settings(store=str(place / "long"), data=place / "data", patience=600)
    async with open_desk(settings) as desk:
        for budget in PAGES:
            calls, tokens = await _read(desk, budget)
            print(f"| {budget} | {calls} | {tokens} |")


async def _read(desk: Desk, budget: int) -> tuple[int, int]:
    start: str | None = "0"
    calls = tokens = 0
    while start is not None:
        page = await call(desk, FetchArguments("/long.md", budget, int(start)))
        calls, tokens = calls + 1, tokens + COUNT(page)
        following = re.search(r"^next: start=(\d+)$", page.partition("\n\n")[0], re.MULTILINE)
        start = following[1] if following else None
    return calls, tokens


if __name__ == "__main__":
    main()
