"""The envelope above every result: `status`, further keys, a blank line, the body.

Which keys a tool adds is its own business; this file keeps each of them to one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from mark_expand import one_line
from mark_store import Progress

Status = Literal[
    "ok", "not-found", "archived", "unauthorized", "not-permitted", "bad-request", "server-error"
]
Pair = tuple[str, object]

# What a document declares under one of these names must not pass for ours.
_PLAIN = re.compile(r"\w[\w.-]*")
_OWN = {
    *("status", "version", "current-version", "archived", "content-hash", "etag", "modified", "next", "mode"),
    *("indexing", "note"),
}


def envelope(status: Status, pairs: Iterable[Pair] = ()) -> str:
    """Render the envelope without the blank line under it; pairs whose value is "" or None are left out.

    >>> envelope("ok", [("version", 4), ("next", None)])
    'status: ok\\nversion: 4\\n'
    """
    lines = [("status", status), *((key, value) for key, value in pairs if value not in ("", None))]
    return "".join(f"{one_line(key)}: {one_line(str(value))}\n" for key, value in lines)


def declared(metadata: Mapping[str, str]) -> list[Pair]:
    """Give a document's own keys for the envelope.

    `metadata-` stands before a key that the envelope uses itself, and before one that is no plain word and
    so might look like another line.

    >>> declared({"status": "accepted", "owner": "Ann"})
    [('owner', 'Ann'), ('metadata-status', 'accepted')]
    """
    named = {key: one_line(key).lower() for key in sorted(metadata)}
    plain = {key for key, name in named.items() if _PLAIN.fullmatch(name) and name not in _OWN}
    taken = [key for key, name in named.items() if key not in plain and name not in ("", "modified")]
    return [
        *((key, metadata[key]) for key in sorted(plain)),
        *((f"metadata-{named[key]}", metadata[key]) for key in taken),
    ]


def indexing(progress: Progress | None, consequence: str) -> list[Pair]:
    """Say how far indexing is and what that means for this answer; nothing once the index is complete."""
    if progress is None:
        return []
    trouble = f"; it does not get on: {progress.trouble}" if progress.trouble else ""
    where = f" of {progress.store}" if progress.store else ""
    figures = f"{progress.done} of {progress.total} files" if progress.total else "not complete"
    return [("indexing", f"{figures}{where}; {consequence}{trouble}")]


def answer(head: str, body: str) -> str:
    """Join envelope and body; an empty body leaves the envelope alone."""
    return f"{head}\n{body}" if body else head
