"""`marklookup eval` on the command line: its options and help; what they do is `evaluating`'s.

Imports only click at the top, as `cli` does, so that `--help` stays quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mark_server.options import settings_options

if TYPE_CHECKING:
    from mark_server.configuration import Configuration

BUDGETS = "300,500,1000,1500,3000,6000"
_POLICIES = ["budget-first", "section-first", "mixed"]
_FILE = click.Path(path_type=Path)


@click.command(name="eval")
@click.argument("questions", type=_FILE, required=False)
@click.argument("folder", required=False)
@click.option("--budgets", default=BUDGETS, show_default=True, metavar="N,…", help="Tokens of a result.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="An argument of the lookups or a setting."
)
@click.option(
    "--against", multiple=True, metavar="NAME=VALUE", help="Run this setting too, and compare the two."
)
@click.option("--policies", metavar="NAME,…", help="Run the questions under each of these policies.")
@click.option("--misses", is_flag=True, help="Say of all missing evidence why it is missing.")
@click.option(
    "--reader",
    "readers",
    multiple=True,
    type=click.Choice(_POLICIES),
    help="Measure this reader policy too; repeatable.",
)
@click.option(
    "--reader-budget",
    default=1500,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Tokens of a reader's budgeted lookup.",
)
@click.option("--out", type=_FILE, metavar="FILE", help="Write the report here, as JSON; never overwritten.")
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw recall against budget, .png or .svg.")
@click.option("--record", type=_FILE, metavar="FILE", help="Write the lookups as recorded calls.")
@click.option("--json", "as_json", is_flag=True, help="Print the report instead of the table.")
@click.option("--compare", type=(_FILE, _FILE), metavar="RUN RUN", help="Compare two reports; asks nothing.")
@click.option(
    "--replay", type=_FILE, metavar="FILE", help="Make recorded calls over FOLDER through two builds."
)
@click.option(
    "--build", "builds", multiple=True, metavar="COMMAND", help="With --replay, twice: python or marklookup."
)
@settings_options
@click.pass_context
def evaluate(context: click.Context, /, questions: Path | None, folder: str | None, **given: Any) -> None:
    """Measure how well lookups over FOLDER find the evidence for QUESTIONS.

    Without FOLDER the store or stores of the settings file are asked.

    \b
    marklookup eval questions.jsonl ./docs --budgets 500,1500 --misses
    marklookup eval questions.jsonl ./docs --against detail=excerpts
    marklookup eval questions.jsonl --config marklookup.toml --policies rank,knapsack
    marklookup eval --compare before.json after.json
    marklookup eval --replay calls.jsonl ./docs --build old/bin/python --build new/bin/python
    """
    from mark_server.evidence import evaluating  # noqa: PLC0415 - not needed for --help

    if given["compare"]:
        evaluating.compare_reports(*given["compare"], as_json=given["as_json"])
    elif given["replay"]:
        place = folder or (str(questions) if questions else None)
        if place is None or len(given["builds"]) != 2:
            raise click.UsageError("--replay needs FOLDER, and --build twice")
        evaluating.replay_calls(given["replay"], Path(place), given)
    elif questions is None or not (folder or _is_configured(given["config"])):
        raise click.UsageError(
            "needs QUESTIONS and FOLDER (or a settings file with a store), or --compare, or --replay"
        )
    elif given["policies"] is not None and given["against"]:
        raise click.UsageError("--policies and --against exclude each other")
    else:
        folder = folder or given["config"].values.get("store")
        default = context.get_parameter_source("encoding") is ParameterSource.DEFAULT
        evaluating.run_evaluation(questions, folder, given, both_units=default)


def _is_configured(configuration: Configuration) -> bool:
    return bool(configuration.stores or "store" in configuration.values)
