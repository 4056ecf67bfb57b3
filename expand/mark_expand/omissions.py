"""The omission note: what did not fit, by name as far as there is room, and a count of the rest (X1).

What did not fit is decided by the press; when the note is printed, by the closing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mark_expand.ask import Row
from mark_expand.frame import is_named, location, note
from mark_expand.purse import Purse
from mark_outline import Counter

# B2: where a version or a size is not known yet, the reserve holds place for this many digits.
_LONGEST_VERSION = 10**10 - 1
_LONGEST_SIZE = 10**7 - 1
# More sections than this have no place in a document, so that the count of the rest is never cut short.
_MOST_OTHERS = 10**6 - 1


@dataclass(frozen=True, slots=True)
class Omitted:
    """A passage that did not fit: its location as named, its units where known.

    `plain` is the spelling that the reserve has room for: the row's own location; "" for a target of
    the hop, which is named only where room is left. `row` is the row's index, None for a target.
    """

    where: str
    units: int | None
    plain: str
    row: int | None


def dearest_omission(rows: Sequence[Row], counter: Counter) -> int:
    """Give the units of a note that names the dearest of `rows`, with the longest version and size (B2)."""
    foreseen = (_foreseen(row) for row in rows)
    notes = [_spell([one], _MOST_OTHERS, counter) for one in foreseen if is_named(one.where)]
    return max(counter.count_many(notes), default=0)


def buy_omissions(omitted: Sequence[Omitted], names: int, purse: Purse, held: int) -> list[Omitted]:
    """Print the omission note with as many names as fit, at most `names`; return those named.

    `omitted` stands strongest first, rows before targets. `held` units stay in the purse for the
    count line. A row is always named, by its plain location if need be; one that is too long is counted.
    """
    short = [one for one in omitted if is_named(one.where) and is_named(one.plain)]
    for count in range(min(names, len(short)), 0, -1):
        if _buy(short[:count], len(omitted) - count, purse, held):
            return short[:count]
    if short and short[0].plain:
        for spelling in _plain_spellings(short[0]):
            if _buy([spelling], len(omitted) - 1, purse, held):
                return [short[0]]
    return []


def _foreseen(row: Row) -> Omitted:
    version = row.version if row.version is not None else _LONGEST_VERSION
    where = location(row.path, version, row.anchor)
    return Omitted(where, _LONGEST_SIZE, where, 0)


def _plain_spellings(first: Omitted) -> Iterator[Omitted]:
    """Spell the row instead of its text; the size stands only where both are the same section."""
    plain = replace(first, where=first.plain)
    if first.plain.partition("#")[2] == first.where.partition("#")[2]:
        yield plain
    # Last, without: a size of more digits than the reserve foresees is no reason for silence.
    yield replace(plain, units=None)


def _spell(named: Sequence[Omitted], others: int, counter: Counter) -> str:
    names = [
        one.where if one.units is None else f"{one.where} (~{counter.tokens(one.units)} tokens)"
        for one in named
    ]
    more = f" +{min(others, _MOST_OTHERS)} more" if others else ""
    return note(f"did not fit: {', '.join(names)}{more}")


def _buy(named: Sequence[Omitted], others: int, purse: Purse, held: int) -> bool:
    line = _spell(named, others, purse.counter)
    price = purse.counter.count(line)
    return price + held <= purse.room and purse.buy(line, "omissions", units=price)
