"""The full Mark table of a lookup without a budget, or with `verbose`.

Escaping belongs to `mark_outline`, the thin table of a budgeted lookup to `mark_expand`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mark_expand import one_line
from mark_outline import decode, encode, escape_cell
from mark_server.checks import Match
from mark_store import Row

# B7: a query is echoed in at most this many characters.
ECHO_CHARACTERS = 80
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def full_table(rows: Sequence[Row], query: str, scope: str, match: Match, *, wire: bool = False) -> str:
    """Render heading and table; the `Snippet` column stands in body mode only.

    On the `wire` a path stands as it is, but for control characters: who reads it decodes nothing.
    """
    columns = ["Path", "Importance", "Title", "Tags", *(["Snippet"] if match == "body" else [])]
    rules = ["-" * (len(column) + 2) for column in columns]
    lines = [
        f'# Lookup matches for "{escape_cell(_echo(query))}" in {escape_cell(one_line(scope))}',
        "",
        f"| {' | '.join(columns)} |",
        f"|{'|'.join(rules)}|",
        *(_row(row, match, _on_wire(row.path) if wire else _path(row.path)) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _echo(query: str) -> str:
    line = one_line(query)
    return line if len(line) <= ECHO_CHARACTERS else line[: ECHO_CHARACTERS - 1] + "…"


def _path(path: str) -> str:
    """Give the raw path, as this table has it, but for control characters and what reads as an escape.

    >>> _path("/a b%20c.md"), _path("/100% raw.md")
    ('/a b%2520c.md', '/100% raw.md')
    """
    literal = path.replace("%", "%25") if decode(path) != path else path
    return _on_wire(literal)


def _on_wire(path: str) -> str:
    return _CONTROL.sub(lambda found: encode(found[0]), path)


def _row(row: Row, match: Match, path: str) -> str:
    anchor = f"#{encode(row.anchor).replace('|', '%7C')}" if row.anchor else ""
    cells = [
        escape_cell(path) + anchor,
        f"{row.importance:.2f}",
        escape_cell(one_line(row.title)),
        escape_cell(one_line(", ".join(row.tags))),
    ]
    if match == "body":
        cells.append(escape_cell(one_line(row.snippet)))
    return f"| {' | '.join(cells)} |"
