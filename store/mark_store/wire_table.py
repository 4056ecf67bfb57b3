"""The table of a LOOKUP answer, read strictly: what is no table of the protocol is the peer's fault.

Writing it is the server's (`mark_server.table`); escaping is `mark_outline`'s.
"""

import re
from typing import Final

from mark_outline import WHITE, cell_location, decode, row_cells, unescape_cell

from .errors import ProtocolError
from .port import Match, Row

COLUMNS: Final[dict[Match, tuple[str, ...]]] = {
    "body": ("Path", "Importance", "Title", "Tags", "Snippet"),
    "catalog": ("Path", "Importance", "Title", "Tags"),
}

_RULE = re.compile(r":?-{3,}:?")
_IMPORTANCE = re.compile(r"[01](?:\.[0-9]{1,6})?", re.ASCII)


def read_table(text: str, match: Match, place: str) -> list[Row]:
    """Give the rows of a table; blank lines and headings may stand above it, and nothing below.

    Raises: ProtocolError, which names the peer `place` and the line.
    """
    lines = [line.strip(WHITE) for line in text.split("\n")]
    start = next((number for number, line in enumerate(lines) if line and not line.startswith("# ")), None)
    if start is None:
        raise ProtocolError(place, "the answer has no table")
    last = max(number for number, line in enumerate(lines) if line)
    heads = row_cells(lines[start])
    if tuple(heads) != COLUMNS[match]:
        raise _broken(place, start, f"is not | {' | '.join(COLUMNS[match])} |")
    rules = row_cells(lines[start + 1]) if start < last else []
    if len(rules) != len(heads) or not all(map(_RULE.fullmatch, rules)):
        raise _broken(place, start + 1, "is no rule under the heading")
    return [_row(lines[number], number, match, place) for number in range(start + 2, last + 1)]


def _row(line: str, number: int, match: Match, place: str) -> Row:
    cells = row_cells(line)
    if len(cells) != len(COLUMNS[match]):
        raise _broken(place, number, f"has {len(cells)} cells, not {len(COLUMNS[match])}")
    path, anchor = cell_location(cells[0])
    if not path.startswith("/"):
        raise _broken(place, number, "names no path from the root")
    if not _IMPORTANCE.fullmatch(cells[1]) or float(cells[1]) > 1:
        raise _broken(place, number, "has no importance from 0 to 1")
    title, tags, snippet = (unescape_cell(cell) for cell in (*cells[2:], "")[:3])
    return Row(
        path=path,
        anchor=decode(anchor),
        title=title,
        tags=tuple(tag for tag in tags.split(", ") if tag),
        importance=float(cells[1]),
        snippet=snippet,
        score=0.0,
        version=None,
        costs=None,
    )


def _broken(place: str, number: int, fault: str) -> ProtocolError:
    return ProtocolError(place, f"line {number + 1} of the table {fault}")
