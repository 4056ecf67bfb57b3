"""The options with which a store is published to Mark clients, and their help.

Imports only click, so that `--help` stays quick; what they mean is `mark_serving`'s.
"""

from __future__ import annotations

from pathlib import Path

import click

from mark_server.options import Command

# The last one stands first in the help.
_PUBLICATION = (
    click.option(
        "--key", type=click.Path(path_type=Path), metavar="FILE", help="With --mark: its private key, PEM."
    ),
    click.option(
        "--cert",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="With --mark: the server's certificate, PEM.",
    ),
    click.option(
        "--mark", metavar="HOST:PORT", help="Serve Mark clients over QUIC here, 127.0.0.1:6309 for example."
    ),
)


def publication_options(command: Command) -> Command:
    """Add `--mark` and the options that go with it."""
    for option in _PUBLICATION:
        command = option(command)
    return command
