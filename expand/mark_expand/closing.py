"""The closing notes, and the reserve that makes sure that they always fit (B2, X1, X2).

Which rows are hidden or left out is decided by the expansion; this file only spells and measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mark_outline import Counter

from mark_expand.ask import Ask, Row
from mark_expand.frame import location, note
from mark_expand.purse import Purse

# B2: where a version or a size is not known yet, the reserve holds place for this many digits.
_LONGEST_VERSION = 10**10 - 1
_LONGEST_SIZE = 10**7 - 1
_MOST_OTHERS = 9999


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


@dataclass(frozen=True, slots=True)
class Tally:
    """The figures of the last line (X2). `next_offset` is absolute."""

    expanded: int
    rows: int
    covered: int
    related: int
    hidden: int
    next_offset: int


def longest_count(ask: Ask) -> str:
    """Spell the longest last line that this lookup can need."""
    count = len(ask.rows)
    return spell_count(Tally(count, count, count, ask.limits.related, count, ask.offset + count))


def spell_count(tally: Tally) -> str:
    """Spell the last line; parts stand only where they are true (X2)."""
    covered = f" ({tally.covered} covered)" if tally.covered else ""
    related = f" and {tally.related} related documents" if tally.related else ""
    more = f"; {tally.hidden} more rows: offset={tally.next_offset}" if tally.hidden else ""
    return note(f"expanded {tally.expanded} of {tally.rows} rows{covered}{related} within the budget{more}")


def spell_stop(seconds: float) -> str:
    """Spell the note of a lookup that ran out of time (F5)."""
    return note(f"stopped: deadline of {seconds:g} s reached")


def spell_table_overspend(used: int, budget: int) -> str:
    """Spell the note that stands where the table left no room (B4)."""
    return note(f"the table used {used} of {budget} result tokens; raise budget or fetch a row")


def plain_location(row: Row, version: int | None) -> str:
    """Spell a row's location as the reserve foresees it."""
    return location(row.path, version, row.anchor)


def reserve(ask: Ask, counter: Counter) -> int:
    """Units of the longest closing lines that this lookup can need (B2); 0 without rows."""
    if not ask.rows:
        return 0
    omissions = [_spell_names([_foreseen(row)], _MOST_OTHERS, counter) for row in ask.rows]
    return (
        counter.count(longest_count(ask))
        + counter.count(spell_stop(ask.limits.deadline))
        + max(counter.count_many(omissions))
    )


def _foreseen(row: Row) -> Omitted:
    version = row.version if row.version is not None else _LONGEST_VERSION
    where = plain_location(row, version)
    return Omitted(where, _LONGEST_SIZE, where, 0)


def _spell_names(named: Sequence[Omitted], others: int, counter: Counter) -> str:
    names = [
        one.where if one.units is None else f"{one.where} (~{counter.tokens(one.units)} tokens)"
        for one in named
    ]
    more = f" +{min(others, _MOST_OTHERS)} more" if others else ""
    return note(f"did not fit: {', '.join(names)}{more}")


def buy_omissions(omitted: Sequence[Omitted], names: int, purse: Purse, held: int) -> list[Omitted]:
    """Print the omission note with as many names as fit, at most `names`; return those named (X1).

    `omitted` stands strongest first, rows before targets. `held` units stay in the purse for the
    count line. A row is always named, by its plain location if need be.
    """
    for count in range(min(names, len(omitted)), 0, -1):
        if _buy(omitted[:count], len(omitted) - count, purse, held):
            return list(omitted[:count])
    first = omitted[0] if omitted else None
    if first is None or not first.plain:
        return []
    plain = Omitted(first.plain, first.units, first.plain, first.row)
    # Without its size as a last resort: a size of more digits than the reserve foresees is no reason for silence.
    for spelling in (plain, replace(plain, units=None)):
        if _buy([spelling], len(omitted) - 1, purse, held):
            return [first]
    return []


def _buy(named: Sequence[Omitted], others: int, purse: Purse, held: int) -> bool:
    line = _spell_names(named, others, purse.counter)
    price = purse.counter.count(line)
    return price + held <= purse.room and purse.buy(line, price)
