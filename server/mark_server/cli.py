"""The command line: options in, one text out, errors on one line.

Imports only click at the top; each command imports what it needs, so that `--help` stays quick.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mark_server import __version__

if TYPE_CHECKING:
    from mark_server.calls import ToolName
    from mark_server.desk import Desk
    from mark_server.settings import Settings

Command = Callable[..., Any]


def _settings(command: Command) -> Command:
    """Add the options that every command with a store takes."""
    for option in (
        click.option(
            "--data",
            envvar="MARKLOOKUP_DATA",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="Where indexes and versions are kept; never inside the folder that is read.",
        ),
        click.option(
            "--encoding",
            envvar="MARKLOOKUP_ENCODING",
            default="o200k_base",
            show_default=True,
            type=click.Choice(["o200k_base", "cl100k_base", "bytes"]),
            help="Unit of budgets.",
        ),
    ):
        command = option(command)
    return command


def _store(command: Command) -> Command:
    """Add `--store` and the options that go with it."""
    option = click.option(
        "--store",
        envvar="MARKLOOKUP_STORE",
        default=".",
        show_default="the working folder",
        metavar="FOLDER",
        help="Folder of markdown to read.",
    )
    return option(_settings(command))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="marklookup", message="%(prog)s %(version)s")
def main() -> None:
    """Answer questions about a folder of markdown inside a token budget, for people and MCP clients."""


@main.command()
@click.argument("folder", envvar="MARKLOOKUP_STORE", default=".", metavar="[FOLDER]")
@_settings
def serve(folder: str, data: Path | None, encoding: str) -> None:
    """Serve FOLDER to an MCP client over standard input and output."""
    from mark_server.serving import serve_stdio  # noqa: PLC0415 - the SDK takes half a second

    _run(lambda: serve_stdio(_chosen(folder, data, encoding)))


@main.command()
@click.argument("query")
@click.option(
    "--url", default="/", show_default=True, help="Scope: a document, or everything under a folder."
)
@click.option("--filter", "filter_", default="", help="key=value,… all of which must hold.")
@click.option("--limit", default="10", show_default=True, help="Rows, 1 to 1000.")
@click.option("--offset", default="0", show_default=True, help="First row.")
@click.option("--match", default="body", show_default=True, help="body (text) or catalog (title, tags).")
@click.option("--budget", default="0", show_default="no expansion", help="Tokens of the whole result.")
@click.option("--verbose", is_flag=True, help="Full table and all envelope keys.")
@click.option("--json", "as_json", is_flag=True, help="Print the trace of the expansion instead.")
@_store
def lookup(as_json: bool, filter_: str, **given: Any) -> None:
    """Answer QUERY: a table of matches, and with --budget the matching text."""
    given["filter"] = filter_
    if as_json:
        _print_trace(given)
    else:
        _print_result("mark_lookup", given)


@main.command()
@click.argument("url")
@click.option("--budget", default="0", show_default="the whole text", help="Tokens of one page.")
@click.option("--start", default="-1", show_default="not given", help="First character of the page.")
@click.option("--force", is_flag=True, help="Print a large document instead of its outline.")
@click.option("--verbose", is_flag=True, help="Print all envelope keys.")
@_store
def fetch(**given: Any) -> None:
    """Print a document, a section (#anchor) or an old version (/vN)."""
    _print_result("mark_fetch", given)


@main.command(name="list")
@click.argument("url", default="/")
@click.option("--cursor", default="", help="The next-cursor of the page before.")
@click.option("--page-size", default="100", show_default=True, help="Entries, 1 to 1000.")
@_store
def list_(**given: Any) -> None:
    """List the folder URL, one level."""
    _print_result("mark_list", given)


@main.command()
@click.argument("url")
@_store
def versions(**given: Any) -> None:
    """List the versions of the document URL."""
    _print_result("mark_versions", given)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
def outline(file: Path) -> None:
    """Print the headings of a markdown FILE with their anchors; needs no index."""
    from mark_outline import front_matter, outline  # noqa: PLC0415 - the parser is not needed for --help

    try:
        text = file.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        _fail(f"{file}: {error.strerror or error}; give a markdown file that can be read")
    click.echo(outline(front_matter(text).body).render_body(str(file)), nl=False)


@main.command()
@click.argument("folder", envvar="MARKLOOKUP_STORE", default=".", metavar="[FOLDER]")
@_settings
def index(folder: str, data: Path | None, encoding: str) -> None:
    """Index FOLDER now, and say what was skipped and why."""
    from mark_server.indexing import index_folder  # noqa: PLC0415 - not needed for --help

    _run(lambda: index_folder(_chosen(folder, data, encoding)))


def _chosen(store: str, data: Path | None, encoding: str, **others: Any) -> Settings:
    from mark_server.settings import Settings  # noqa: PLC0415 - not needed for --help

    return Settings(store=store, data=data, encoding=encoding, **others)


def _print_result(tool: ToolName, given: dict[str, Any]) -> None:
    from mark_server.calls import call  # noqa: PLC0415 - not needed for --help

    text = _with_desk(given, lambda desk: call(desk, tool, given))
    sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
    if not text.startswith("status: ok"):
        raise SystemExit(1)


def _print_trace(given: dict[str, Any]) -> None:
    from mark_server.calls import call_traced  # noqa: PLC0415 - not needed for --help

    answer = _with_desk(given, lambda desk: call_traced(desk, given))
    trace = answer.trace.as_dict() if answer.trace else None
    click.echo(json.dumps(trace, ensure_ascii=False, indent=2))


def _with_desk(given: dict[str, Any], action: Callable[[Desk], Awaitable[Any]]) -> Any:
    settings = _chosen(given.pop("store"), given.pop("data"), given.pop("encoding"), patience=math.inf)

    async def run() -> Any:
        from mark_server.opening import open_desk  # noqa: PLC0415 - not needed for --help

        async with open_desk(settings) as desk:
            return await action(desk)

    return _run(run)


def _run(main_task: Callable[[], Awaitable[Any]]) -> Any:
    """Run one command; what it may raise by design becomes one line (exit 1; 2 for a wrong argument)."""
    import anyio  # noqa: PLC0415 - not needed for --help

    from mark_outline import UnknownEncoding  # noqa: PLC0415
    from mark_server.arguments import ArgumentError  # noqa: PLC0415
    from mark_server.statuses import explain  # noqa: PLC0415
    from mark_store import StoreError  # noqa: PLC0415

    try:
        return anyio.run(main_task)
    except ArgumentError as error:
        _fail(str(error), code=2)
    except StoreError as error:
        _fail(explain(error))
    except UnknownEncoding as error:
        _fail(str(error), code=2)


def _fail(line: str, code: int = 1) -> NoReturn:
    click.echo(f"marklookup: {line}", err=True)
    raise SystemExit(code)
