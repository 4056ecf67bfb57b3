"""`marklookup config`: the settings that are in force, and where each of them comes from.

Imports only click at the top; what prints is `in_force`.
"""

from __future__ import annotations

from typing import Any

import click

from mark_server.options import serving_options, store_option


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@store_option
@serving_options
@click.pass_context
def config(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """Print the settings in force, and where each comes from.

    What is printed is a settings file with the same effect.
    """
    from mark_server.in_force import as_object, as_text, settings_in_force  # noqa: PLC0415 - not needed for --help
    from mark_server.terminal import put  # noqa: PLC0415 - not needed for --help

    found = settings_in_force(given, ctx.get_parameter_source)
    put(as_object(found, given["config"]) if as_json else as_text(found, given["config"]))
