"""How much an index holds, for whoever wants to know that it is right: one value, counted on demand."""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the index holds: documents, their sections, and the bytes of both databases on the disk."""

    documents: int
    sections: int
    size: int


def holdings(index: sqlite3.Connection, size: int) -> Holdings:
    """Count the documents with text and their sections; `size` is stated by the caller."""
    documents, sections = index.execute(
        "SELECT count(*), coalesce(sum(passages - 1), 0) FROM document WHERE kind='text'"
    ).fetchone()
    return Holdings(documents, sections, size)
