"""`python -m bench.evidence`: all measures of docs/evidence.md over every store, in one run.

Each store is opened and asked as `marklookup eval` does it; reports are kept where --out says. Printed are
all-gold recall by store and budget, the measures over all questions, and what the reader policies cost.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import anyio

from bench.stores import STORES, Questioned, questioned
from mark_server.evidence.choices import choose
from mark_server.evidence.command import BUDGETS
from mark_server.evidence.files import claim, write_new
from mark_server.evidence.making import UNITS, Making, make_run
from mark_server.evidence.measures import ALL, figures
from mark_server.evidence.policies import Policy, costs
from mark_server.evidence.questions import read_questions
from mark_server.evidence.report import Run, to_json
from mark_server.evidence.tables import policy_lines, run_lines, table
from mark_server.settings import Settings


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description=__doc__)
    parser.add_argument("--stores", type=Path, default=STORES, metavar="FOLDER")
    parser.add_argument("--budgets", default=BUDGETS, metavar="N,…")
    parser.add_argument("--units", nargs="+", default=UNITS)
    parser.add_argument("--set", dest="pairs", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--policies", action="store_true", help="measure the reader policies too")
    parser.add_argument("--reader-budget", type=int, default=1500, metavar="N")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keep the indexes here")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep a report of each store here")
    options = parser.parse_args()
    making = Making(
        options.units,
        [int(budget) for budget in options.budgets.split(",")],
        policies=get_args(Policy) if options.policies else (),
        reader_budget=options.reader_budget,
    )
    with tempfile.TemporaryDirectory(prefix="marklookup-evidence-") as place:
        stores = questioned(options.stores, Path(place))
        data = options.data or Path(place) / "data"
        reports = [options.out / f"{store.name}.json" for store in stores] if options.out else []
        claim(reports)
        runs = {store.name: _run(making, store, data, options.pairs) for store in stores}
    for file, run in zip(reports, runs.values(), strict=False):
        write_new(file, to_json([run]).encode())
    print("\n".join(_lines(runs)))


def _run(making: Making, store: Questioned, data: Path, pairs: Sequence[str]) -> Run:
    settings = Settings(store=str(store.docs), data=data, patience=math.inf)
    questions = read_questions(store.questions)
    return anyio.run(make_run, making, choose(pairs, settings), store.questions, questions)


def _lines(runs: dict[str, Run]) -> Iterator[str]:
    first = next(iter(runs.values())).fingerprints
    yield f"marklookup {first.version}, code {first.code[:12]}, tools/list {first.tools[:12]}"
    yield ""
    answers = [answer for run in runs.values() for answer in run.answers]
    for unit in dict.fromkeys(answer.unit for answer in answers):
        yield f"All-gold recall, budgets in {unit}:"
        yield ""
        yield from table(_recall(runs, unit))
        yield ""
    yield from run_lines(answers)
    reads = [read for run in runs.values() for read in run.reads]
    if reads:
        yield from policy_lines(costs(reads))


def _recall(runs: dict[str, Run], unit: str) -> list[list[str]]:
    """A row per store, and the mean of the stores, each of which counts the same."""
    shares = {
        name: {one.budget: one for one in figures(run.answers) if (one.unit, one.category) == (unit, ALL)}
        for name, run in runs.items()
    }
    budgets = sorted({budget for mine in shares.values() for budget in mine})
    rows = [["store", "n", *map(str, budgets)]]
    for name, mine in shares.items():
        count = str(mine[budgets[0]].questions)
        rows.append([name, count, *(f"{mine[budget].all_gold:.3f}" for budget in budgets)])
    means = [statistics.fmean(mine[budget].all_gold for mine in shares.values()) for budget in budgets]
    return [*rows, ["mean", "", *(f"{mean:.3f}" for mean in means)]]


if __name__ == "__main__":
    main()
