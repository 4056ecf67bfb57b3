"""The thin table of a budgeted lookup: location and title, a small share of the budget (B7).

The full Mark table of an unbudgeted lookup is `mark_outline`'s; which rows are expanded is not
decided here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mark_expand.ask import Row
from mark_expand.frame import is_named, location, one_line
from mark_outline import Counter

# B7: to start with; the evaluation decides.
SHARE_PER_CENT = 8
# A title is a label here; a hostile one must not eat the budget.
TITLE_CHARACTERS = 120
# A backslash before a pipe would undo the pipe's own.
_PIPE = re.compile(r"\\(?=\\*\|)|\|")


def thin_table(rows: Sequence[Row], budget: int, counter: Counter) -> tuple[str, int]:
    """Render rows while the table stays within its share of `budget` tokens; at least one row.

    It ends before a row whose location is none that is named (X1). Returns the lines, each ending in a line
    feed, and how many rows they show.
    """
    share = counter.units(budget) * SHARE_PER_CENT // 100
    lines: list[str] = []
    spent = 0
    for row in rows:
        if not is_named(location(row.path, None, row.anchor)):
            break
        line = thin_row(row)
        spent += counter.count(line)
        if lines and spent > share:
            break
        lines.append(line)
    return "".join(lines), len(lines)


def thin_row(row: Row) -> str:
    """Render one row, pipes in it escaped, its title cut at 120 characters."""
    cells = (location(row.path, None, row.anchor), label(row.title))
    return "| " + " | ".join(_PIPE.sub(r"\\\g<0>", cell) for cell in cells) + " |\n"


def label(title: str) -> str:
    """Give a title on one line, cut at 120 characters."""
    line = one_line(title)
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1] + "…"
