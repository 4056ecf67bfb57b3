"""Prints a run as one table that can be pasted into a page; what stands in it is `rows`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.figures import Figures
from bench.rows import rows, seconds

TOOLS_MOST = 1000
INSTRUCTIONS_MOST = 300


def report(figures: Figures) -> str:
    """Render a run: what was measured on what, then one row per figure."""
    lines = [
        f"Measured on {figures.machine}.",
        "Times: median (least-greatest); tokens: o200k_base; memory: resident pages (of them written",
        "by the process alone); MB: 1,000,000 bytes. A figure that misses its aim is marked with !.",
        "",
        *(f"{tree.name}: {tree.made_of}." for tree in figures.trees),
        "",
        *_table(_cells(figures)),
        "",
        *_whole_server(figures),
    ]
    return "\n".join(lines) + "\n"


def _cells(figures: Figures) -> list[list[str]]:
    heads = ["", "aim", *(tree.name for tree in figures.trees)]
    return [
        heads,
        *(
            [row.name, row.aim.text if row.aim else "", *(row.cell(tree) for tree in figures.trees)]
            for row in rows(figures.budget)
        ),
    ]


def _table(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        yield f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        if number == 0:
            yield f"|{'|'.join('-' * (width + 2) for width in widths)}|"


def _whole_server(figures: Figures) -> Iterator[str]:
    yield _tokens("tools/list", figures.words.tools, TOOLS_MOST)
    yield _tokens("instructions", figures.words.instructions, INSTRUCTIONS_MOST)
    yield f"`marklookup --help`: {seconds(figures.help_time)}"


def _tokens(name: str, figure: int, most: int) -> str:
    return f"{name}: {figure:,} tokens (aim: <= {most:,}){' !' if figure > most else ''}"
