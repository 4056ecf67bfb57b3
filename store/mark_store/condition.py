"""Pieces of SQL with their parameters, put together without ever putting a value into the text."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

Value = str | int


@dataclass(frozen=True, slots=True)
class Condition:
    """An SQL expression that is written in this package, and the values for its question marks."""

    sql: str
    parameters: tuple[Value, ...] = ()

    def select(self, columns: str, table: str = "document", then: str = "") -> str:
        """The statement that selects where the condition holds.

        >>> Condition("a=?", (1,)).select("b", "c", "LIMIT 1")
        'SELECT b FROM c WHERE a=? LIMIT 1'
        """
        # All of the text is this package's own; values are parameters.
        return f"SELECT {columns} FROM {table} WHERE {self.sql} {then}".rstrip()  # noqa: S608 - no value in it


def all_of(conditions: Iterable[Condition]) -> Condition:
    """The condition that holds where each of at least one condition does."""
    return _joined(" AND ", conditions)


def how_many(conditions: Iterable[Condition]) -> Condition:
    """The expression that counts which of at least one condition hold."""
    return _joined(" + ", conditions)


def among(column: str, values: Collection[Value]) -> Condition:
    """The condition that a column has one of some values.

    >>> among("id", (1, 2)).sql
    'id IN (?,?)'
    """
    return Condition(f"{column} IN ({','.join('?' * len(values))})", tuple(values))


def _joined(word: str, conditions: Iterable[Condition]) -> Condition:
    parts = tuple(conditions)
    return Condition(
        word.join(f"({part.sql})" for part in parts),
        tuple(value for part in parts for value in part.parameters),
    )
