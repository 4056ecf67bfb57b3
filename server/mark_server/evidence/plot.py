"""All-gold recall against the budget as a picture, a line per category.

matplotlib is an extra and is imported only when a picture is wanted.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mark_server.evidence.answers import Answer
from mark_server.evidence.errors import BadFile, NoPlot
from mark_server.evidence.measures import ALL, Figures, figures

_SUFFIXES = (".png", ".svg")
_STYLES = ("-", "--", ":")  # Of so many runs each category is drawn.


def check_plot(file: Path) -> None:
    """Check before the work that a picture can be drawn.

    Raises:
        BadFile: Its name ends in neither .png nor .svg.
        NoPlot: matplotlib is not installed.
    """
    if file.suffix.lower() not in _SUFFIXES:
        raise BadFile(file, "a plot is a .png or a .svg")
    if importlib.util.find_spec("matplotlib") is None:
        raise NoPlot


def plot(runs: Sequence[tuple[str, Sequence[Answer]]], kind: str) -> bytes:
    """Draw named runs as `png` or `svg`: one panel a unit, lines as `_lines` gives them."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow to import

    summed = [(name, figures(answers)) for name, answers in runs]
    units = list(dict.fromkeys(one.unit for _, mine in summed for one in mine))
    picture = Figure(figsize=(5.5 * len(units), 4.2), layout="constrained")
    panels = picture.subplots(1, len(units), squeeze=False)[0]
    for panel, unit in zip(panels, units, strict=True):
        for line in _lines(summed, unit):
            panel.plot(
                [one.budget for one in line.figures],
                [one.all_gold for one in line.figures],
                line.style,
                color=line.color,
                linewidth=line.width,
                marker="o",
                markersize=3,
                label=line.label,
            )
        panel.set_xscale("log")
        budgets = sorted({one.budget for _, mine in summed for one in mine})
        panel.set_xticks(budgets, [f"{budget:,}" for budget in budgets], minor=False)
        panel.set_xticks([], minor=True)
        panel.set(xlabel=f"budget ({unit})", ylabel="all-gold recall", ylim=(-0.02, 1.02))
        panel.grid(alpha=0.3)
    panels[-1].legend(fontsize="small", loc="lower right")
    held = io.BytesIO()
    picture.savefig(held, format=kind, dpi=150)
    return held.getvalue()


@dataclass(frozen=True, slots=True)
class _Line:
    figures: Sequence[Figures]
    label: str
    color: str
    style: str = "-"
    width: float = 1.2


def _lines(summed: Sequence[tuple[str, Sequence[Figures]]], unit: str) -> Iterator[_Line]:
    """Give a line per category and run; of many runs only all questions, in colours of their own."""
    few = len(summed) <= len(_STYLES)
    categories = list(dict.fromkeys(one.category for _, mine in summed for one in mine))
    for number, (name, mine) in enumerate(summed):
        for place, category in enumerate(categories if few else [ALL]):
            line = [one for one in mine if (one.unit, one.category) == (unit, category)]
            if not few:
                yield _Line(line, _label(line, name, ""), f"C{number}")
                continue
            label = _label(line, category, name if len(summed) > 1 else "")
            whole = category == ALL
            yield _Line(
                line, label, "black" if whole else f"C{place}", _STYLES[number], 2.2 if whole else 1.2
            )


def _label(line: Sequence[Figures], category: str, name: str) -> str:
    count = f" ({line[0].questions})" if line else ""
    return f"{category}{count}{f', {name}' if name else ''}"
