"""The envelope above every result: `status`, further keys, a blank line, the body.

Which keys a tool adds is its own business; this file keeps each of them to one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mark_expand import one_line

Status = Literal[
    "ok", "not-found", "archived", "unauthorized", "not-permitted", "bad-request", "server-error"
]


def envelope(status: Status, pairs: Iterable[tuple[str, object]] = ()) -> str:
    """Render the envelope without the blank line under it; pairs whose value is "" or None are left out.

    >>> envelope("ok", [("version", 4), ("next", None)])
    'status: ok\\nversion: 4\\n'
    """
    lines = [("status", status), *((key, value) for key, value in pairs if value not in ("", None))]
    return "".join(f"{one_line(key)}: {one_line(str(value))}\n" for key, value in lines)


def answer(head: str, body: str) -> str:
    """Join envelope and body; an empty body leaves the envelope alone."""
    return f"{head}\n{body}" if body else head
