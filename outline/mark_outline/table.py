"""The result table's cells: escaping, and reading them and their locations back out of a table.

Writing the table is left to the server, judging one that a peer wrote to the store.
"""

import re
from typing import Final

from mark_outline.casing import fold_case
from mark_outline.white import WHITE

_SPECIAL = re.compile(r"[\\\[\]()*_`~#|]")
_ESCAPED = re.compile(r"\\([\\\[\]()*_`~#|])")
_CELL = re.compile(r"(?:\\.|[^\\|]|\\\Z)*", re.DOTALL)
_LOCATION = re.compile(r"((?:\\.|[^\\#]|\\\Z)*)(?:#(.*))?\Z", re.DOTALL)
_RULE = re.compile(r":*-{3,}:*\Z")
_HEADINGS: Final = ("path", "importance", "title", "tags")
_WIDTHS: Final = (4, 5)


def escape_cell(text: str) -> str:
    r"""Escape a table cell: a backslash before backslash, ``[ ] ( ) * _ ` ~ # |`` (OL12).

    >>> escape_cell("/a_b.md")
    '/a\\_b.md'
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


def unescape_cell(text: str) -> str:
    """Undo `escape_cell`; a backslash before anything else stays."""
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def table_rows(table: str) -> list[tuple[str, str]]:
    """Give path and anchor of every row of a result table, its headings and rules left out.

    The location cell is split at its first unescaped `#`, then unescaped once.
    """
    return [cell_location(cells[0]) for line in table.split("\n") if _is_row(cells := row_cells(line))]


def row_cells(line: str) -> list[str]:
    r"""Give the cells of a table's line, still escaped; none when it does not stand between two bars.

    >>> row_cells("| /a\\_b.md#two | 0.50 |")
    ['/a\\_b.md#two', '0.50']
    """
    row = line.strip(WHITE)
    ends = row.startswith("|") and row.endswith("|")
    return [cell.strip(WHITE) for cell in _parts(row)[1:-1]] if ends else []


def _parts(row: str) -> list[str]:
    parts = []
    place = 0
    while place <= len(row):
        cell = _CELL.match(row, place)
        parts.append(cell[0] if cell else "")
        place += len(parts[-1]) + 1
    return parts


def _is_row(cells: list[str]) -> bool:
    if len(cells) not in _WIDTHS:
        return False
    heads = tuple(fold_case(cell) for cell in cells[: len(_HEADINGS)])
    return heads != _HEADINGS and not all(map(_RULE.match, cells))


def cell_location(cell: str) -> tuple[str, str]:
    r"""Give path and anchor of a location cell: split at the first unescaped `#`, the path unescaped once.

    >>> cell_location("/a\\_b\\#c.md#two")
    ('/a_b#c.md', 'two')
    """
    found = _LOCATION.match(cell)
    return (unescape_cell(found[1]), found[2] or "") if found else (cell, "")
