"""`marklookup explain` on the command line: its options and help; what they do is `explaining`'s.

Imports only click at the top, as `cli` does, so that `--help` stays quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mark_server.lookup_options import lookup_options
from mark_server.options import store_options


@click.command()
@lookup_options
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page there instead.")
@click.option("--force", is_flag=True, help="Let --html write over a file.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures and the trace, as JSON.")
@store_options
def explain(html: Path | None, force: bool, as_json: bool, **given: Any) -> None:
    """Show where each token went when QUERY is looked up with --budget.

    \b
    marklookup explain "what replaced the old backend" --store ./docs --budget 1500
    marklookup explain "what replaced the old backend" --store ./docs --budget 1500 --html spent.html
    """
    from mark_server.explanation.explaining import explain_lookup  # noqa: PLC0415 - not needed for --help

    if force and html is None:
        raise click.UsageError("--force goes with --html FILE")
    explain_lookup(given, html, force=force, as_json=as_json)
