"""Runs and comparisons as text tables that can be pasted into a page.

What stands in them is counted elsewhere; nothing here rounds what a report keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mark_server.evidence.answers import REASONS, Answer
from mark_server.evidence.comparison import Difference
from mark_server.evidence.measures import ALL, Figures, figures
from mark_server.evidence.policies import Cost
from mark_server.evidence.replayed import Build, Replayed
from mark_server.evidence.report import Run

_MISSES_SHOWN = 100  # characters of a quote

_Cells = Sequence[Sequence[str]]


def table(cells: _Cells) -> Iterator[str]:
    """Render cells, the first row as headings."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        yield f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        if number == 0:
            yield f"|{'|'.join('-' * (width + 2) for width in widths)}|"


def run_lines(answers: Sequence[Answer]) -> Iterator[str]:
    """Render a run: per unit all measures by budget, then all-gold recall by category."""
    summed = figures(answers)
    for unit in dict.fromkeys(one.unit for one in summed):
        mine = [one for one in summed if one.unit == unit]
        yield f"Budgets in {unit}" + (" (four to a token)" if unit == "bytes" else "") + ":"
        yield ""
        yield from table(_measures([one for one in mine if one.category == ALL]))
        yield ""
        yield from table(_categories(mine))
        yield ""


def _measures(summed: Sequence[Figures]) -> _Cells:
    heads = (
        *("budget", "all-gold", "evidence", "citable", "tokens", "per supported", "distractors"),
        *("superseded", "calls", "hops", "over", "ms"),
    )
    return [heads, *([str(one.budget), *_shares(one), *_rest(one)] for one in summed)]


def _shares(one: Figures) -> list[str]:
    return [f"{share:.3f}" for share in (one.all_gold, one.evidence, one.citable)]


def _rest(one: Figures) -> list[str]:
    return [
        f"{one.tokens:.0f}",
        _whole(one.per_supported),
        _share(one.distractors),
        _superseded(one),
        "-" if one.calls is None else f"{one.calls:.2f} ({one.reached})",
        str(one.hops),
        str(one.over_budget),
        f"{one.milliseconds:.1f}",
    ]


def _categories(summed: Sequence[Figures]) -> _Cells:
    budgets = sorted({one.budget for one in summed})
    rows = [["all-gold", "n", *(str(budget) for budget in budgets)]]
    for category in dict.fromkeys(one.category for one in summed):
        mine = {one.budget: one for one in summed if one.category == category}
        shares = [f"{mine[budget].all_gold:.3f}" for budget in budgets]
        rows.append([category, str(mine[budgets[0]].questions), *shares])
    return rows


def contest_lines(runs: Sequence[Run]) -> Iterator[str]:
    """Render runs beside each other: per unit and budget a row for each setting."""
    summed = [(run.name, one) for run in runs for one in figures(run.answers) if one.category == ALL]
    heads = (
        *("setting", "all-gold", "evidence", "tokens", "per supported", "distractors", "other stores"),
        *("superseded", "over", "ms 50 %", "ms 95 %"),
    )
    for unit, budget in dict.fromkeys((one.unit, one.budget) for _, one in summed):
        mine = [(name, one) for name, one in summed if (one.unit, one.budget) == (unit, budget)]
        yield f"Budget {budget} ({unit}), {mine[0][1].questions} questions:"
        yield ""
        yield from table([heads, *([name, *_beside(one)] for name, one in mine)])
        yield ""


def _beside(one: Figures) -> list[str]:
    return [
        *(f"{one.all_gold:.3f}", f"{one.evidence:.3f}", f"{one.tokens:.0f}", _whole(one.per_supported)),
        *(_share(one.distractors), _share(one.foreign), _superseded(one), str(one.over_budget)),
        *(f"{one.half:.1f}", f"{one.most:.1f}"),
    ]


def policy_lines(summed: Iterable[Cost]) -> Iterator[str]:
    """Render what each reader policy costs."""
    heads = ["policy", "category", "n", "supported", "calls", "tokens", "per supported"]
    rows = [
        [
            *(one.policy, one.category, str(one.questions), f"{one.supported:.3f}", f"{one.calls:.2f}"),
            *(f"{one.tokens:.0f}", _whole(one.per_supported)),
        ]
        for one in summed
    ]
    yield from table([heads, *rows])
    yield ""


def miss_lines(answers: Sequence[Answer]) -> Iterator[str]:
    """Render why evidence is missing: a count by reason, then every piece."""
    for unit, budget in dict.fromkeys((answer.unit, answer.budget) for answer in answers):
        mine = [one for one in answers if (one.unit, one.budget) == (unit, budget)]
        reasons = Counter(miss.reason for answer in mine for miss in answer.misses)
        counts = ", ".join(f"{reason} {reasons[reason]}" for reason in REASONS if reasons[reason])
        yield f"missing at {budget} ({unit}): {counts or 'nothing'}"
        for answer in mine:
            for miss in answer.misses:
                yield f"  {answer.id}: {miss.reason}: {miss.path}: {_short(miss.quote)}"
                yield f"    {miss.detail}"
        yield ""


def difference_lines(differences: Sequence[Difference], names: tuple[str, str]) -> Iterator[str]:
    """Render a comparison: a row per unit and budget, then every question gained or lost."""
    yield f"A: {names[0]}"
    yield f"B: {names[1]}"
    yield ""
    heads = ["unit", "budget", "n", "A", "B", "gained", "lost", "tokens A", "tokens B"]
    rows = [
        [
            *(one.unit, str(one.budget), str(one.questions)),
            *(f"{one.before / one.questions:.3f}", f"{one.after / one.questions:.3f}"),
            *(str(len(one.gained)), str(len(one.lost)), str(one.tokens_before), str(one.tokens_after)),
        ]
        for one in differences
    ]
    yield from table([heads, *rows])
    yield ""
    for one in differences:
        for sign, changes in (("+", one.gained), ("-", one.lost)):
            for change in changes:
                where = f"{one.unit} {one.budget} {change.id} ({change.category})"
                yield f"{sign} {where}: {_short(change.question)}"


def replay_lines(calls: Sequence[Replayed], first: Build, second: Build) -> Iterator[str]:
    """Render a replay: what was the same, the sums, then every call whose answers differ."""
    for name, build in (("A", first), ("B", second)):
        yield f"{name}: {build.command} ({build.version}; tools/list {build.tools[:12]})"
    yield ""
    differing = [one for one in calls if not one.same]
    yield f"{len(calls)} calls: {len(calls) - len(differing)} same bytes, {len(differing)} different"
    for word, pairs in (("tokens", [one.tokens for one in calls]), ("gold", [one.met for one in calls])):
        yield f"{word}: A {sum(a for a, _ in pairs)}, B {sum(b for _, b in pairs)}"
    yield f"errors: A {sum(one.errors[0] for one in calls)}, B {sum(one.errors[1] for one in calls)}"
    yield ""
    if differing:
        yield from table([["different", "tool", "tokens", "gold"], *map(_replayed, differing)])


def _replayed(one: Replayed) -> list[str]:
    gold = f"{one.met[0]} -> {one.met[1]} of {one.gold}" if one.gold else "-"
    return [_short(one.id), one.tool, f"{one.tokens[0]} -> {one.tokens[1]}", gold]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


def _superseded(one: Figures) -> str:
    return f"{_share(one.superseded)} ({_share(one.stale)})"


def _whole(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.0f}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MISSES_SHOWN else line[: _MISSES_SHOWN - 1] + "…"
