"""The command line: commands and their help; the options that they share are `options`'.

Imports only click at the top; each command imports what runs it, so that `--help` stays quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mark_server import __version__
from mark_server.config_command import config
from mark_server.evidence.command import evaluate
from mark_server.explanation.command import explain
from mark_server.lookup_options import lookup_options
from mark_server.options import (
    folder_argument,
    serving_options,
    settings_options,
    store_options,
    stores_argument,
)
from mark_server.token_command import token


class _InOrder(click.Group):
    """Lists commands in the order in which a person needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        """Name the commands as they stand in this file."""
        return list(self.commands)


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="marklookup", message="%(prog)s %(version)s")
def main() -> None:
    """Answer questions about a folder of markdown inside a token budget, for people and MCP clients.

    \b
    marklookup lookup "what replaced the old backend" --store ./docs --budget 1500
    marklookup serve ./docs
    """


@main.command()
@stores_argument
@serving_options
def serve(**given: Any) -> None:
    """Serve a folder, or several stores, over standard input and output, or with --http to many."""
    from mark_server.running import run_server  # noqa: PLC0415 - not needed for --help

    run_server(given)


@main.command()
@lookup_options
@click.option("--json", "as_json", is_flag=True, help="Print what became of each row, as JSON, instead.")
@store_options
def lookup(as_json: bool, **given: Any) -> None:
    """Look QUERY up; with --budget print the matching text."""
    from mark_server.running import print_result, print_trace  # noqa: PLC0415 - not needed for --help

    if as_json:
        print_trace(given)
    else:
        print_result("mark_lookup", given)


@main.command()
@click.argument("url")
@click.option("--budget", metavar="N", default="0", show_default="the whole text", help="Tokens of one page.")
@click.option(
    "--start", metavar="N", default="-1", show_default="not given", help="First character of the page."
)
@click.option("--force", is_flag=True, help="Print a large document instead of its outline.")
@click.option("--verbose", is_flag=True, help="Print hash, dates and front matter too.")
@store_options
def fetch(**given: Any) -> None:
    """Print a document, a section (#anchor) or an old version (/vN)."""
    from mark_server.running import print_result  # noqa: PLC0415 - not needed for --help

    print_result("mark_fetch", given)


@main.command(name="list")
@click.argument("url", default="/")
@click.option("--cursor", default="", help="The next-cursor of the page before.")
@click.option("--page-size", metavar="N", default="100", show_default=True, help="Entries, 1 to 1000.")
@store_options
def list_(**given: Any) -> None:
    """List the folder URL, one level."""
    from mark_server.running import print_result  # noqa: PLC0415 - not needed for --help

    print_result("mark_list", given)


@main.command()
@click.argument("url", required=False)
@click.option("--verify", is_flag=True, help="Check the whole version log instead.")
@store_options
def versions(verify: bool, **given: Any) -> None:
    """List the versions of the document URL."""
    from mark_server.running import print_result, print_verification  # noqa: PLC0415 - not needed for --help

    if verify:
        print_verification(given)
    else:
        print_result("mark_versions", given)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
def outline(file: Path) -> None:
    """Print the headings and anchors of a markdown FILE."""
    from mark_server.running import print_outline  # noqa: PLC0415 - not needed for --help

    print_outline(file)


@main.command()
@folder_argument
@settings_options
def index(**given: Any) -> None:
    """Index FOLDER, or each folder of the settings, now, and say what was skipped and why."""
    from mark_server.indexing import index_folders  # noqa: PLC0415 - not needed for --help
    from mark_server.running import run, settings_of  # noqa: PLC0415 - not needed for --help

    run(lambda: index_folders(settings_of(given["store"], given)))


main.add_command(config)
main.add_command(token)
main.add_command(evaluate)
main.add_command(explain)
