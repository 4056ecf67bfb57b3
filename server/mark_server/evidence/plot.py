"""All-gold recall against the budget as a picture, a line per category.

matplotlib is an extra and is imported only when a picture is wanted.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path

from mark_server.evidence.answers import Answer
from mark_server.evidence.errors import BadFile, NoPlot
from mark_server.evidence.measures import ALL, Figures, figures

_SUFFIXES = (".png", ".svg")
_STYLES = ("-", "--", ":")


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
    """Draw named runs as `png` or `svg`: one panel a unit, a line per category, a style per run."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow to import

    summed = [(name, figures(answers)) for name, answers in runs]
    units = list(dict.fromkeys(one.unit for _, mine in summed for one in mine))
    picture = Figure(figsize=(5.5 * len(units), 4.2), layout="constrained")
    panels = picture.subplots(1, len(units), squeeze=False)[0]
    categories = list(dict.fromkeys(one.category for _, mine in summed for one in mine))
    for panel, unit in zip(panels, units, strict=True):
        for style, (name, mine) in zip(_STYLES, summed, strict=False):
            for number, category in enumerate(categories):
                line = [one for one in mine if one.unit == unit and one.category == category]
                panel.plot(
                    [one.budget for one in line],
                    [one.all_gold for one in line],
                    style,
                    color="black" if category == ALL else f"C{number}",
                    linewidth=2.2 if category == ALL else 1.2,
                    marker="o",
                    markersize=3,
                    label=_label(line, category, name if len(runs) > 1 else ""),
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


def _label(line: Sequence[Figures], category: str, name: str) -> str:
    count = f" ({line[0].questions})" if line else ""
    return f"{category}{count}{f', {name}' if name else ''}"
