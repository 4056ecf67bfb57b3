"""The end of a result: stop note, omissions, count, and the reserve that keeps room for them (B2, X2).

What became of each row is decided before; this file counts, spells and prints it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mark_expand.ask import Ask
from mark_expand.frame import is_named, location, note
from mark_expand.ledger import Ledger
from mark_expand.omissions import Omitted, buy_omissions, dearest_omission
from mark_expand.trace import Outcome
from mark_outline import Counter


@dataclass(frozen=True, slots=True)
class Tally:
    """The figures of the last line (X2). `next_offset` is absolute."""

    expanded: int
    rows: int
    covered: int
    related: int
    hidden: int
    next_offset: int


def reserve(ask: Ask, counter: Counter) -> int:
    """Units of the longest closing lines that this lookup can need (B2); 0 without rows."""
    if not ask.rows:
        return 0
    return (
        counter.count(_longest_count(ask))
        + counter.count(_spell_stop(ask.limits.deadline))
        + dearest_omission(ask.rows, counter)
    )


def spell_table_overspend(used: int, budget: int) -> str:
    """Spell the note that stands where the table left no room (B4)."""
    return note(f"the table used {used} of {budget} result tokens; raise budget or fetch a row")


def close(ask: Ask, ledger: Ledger, outcomes: Mapping[int, Outcome], *, related: int, stopped: bool) -> None:
    """Print the closing notes from the reserve; `outcomes` by row index, `related` documents printed."""
    purse = ledger.purse
    purse.release()
    if stopped:
        purse.buy(_spell_stop(ask.limits.deadline), "stop")
    omitted = [*_first_of_page(ask, ledger, outcomes), *ledger.omitted]
    rows_first = sorted(omitted, key=lambda one: (one.row is None, _place(ask, one.row) != 0))
    # A section that did not fit for one row did not fit for the next either; it is named once.
    distinct: dict[str, Omitted] = {}
    for one in rows_first:
        distinct.setdefault(one.where, one)
    named = buy_omissions(
        list(distinct.values()), ask.limits.named, purse, purse.counter.count(_longest_count(ask))
    )
    names = {one.where for one in named}
    ledger.told.update(one.row for one in rows_first if one.row is not None and one.where in names)
    purse.buy(_spell_count(_tally(ask, ledger, outcomes, related)), "count")


def _first_of_page(ask: Ask, ledger: Ledger, outcomes: Mapping[int, Outcome]) -> list[Omitted]:
    """Name the row that the page begins with where a policy left no trace of it: a walk goes on behind it."""
    row = next((index for index in range(len(ask.rows)) if _place(ask, index) == 0), None)
    told = ledger.told | {one.row for one in ledger.omitted}
    told |= {index for index, outcome in outcomes.items() if outcome in ("printed", "stub")}
    if row is None or row < ask.listed or row in told:
        return []
    where = location(ask.rows[row].path, ask.rows[row].version, ask.rows[row].anchor)
    return [Omitted(where, None, where, row)]


def _tally(ask: Ask, ledger: Ledger, outcomes: Mapping[int, Outcome], related: int) -> Tally:
    shown = {index for index, outcome in outcomes.items() if outcome in ("printed", "stub")}
    seen = shown | ledger.told
    hidden = [
        index for index in range(ask.listed, len(ask.rows)) if index not in seen and _can_be_told(ask, index)
    ]
    return Tally(
        expanded=len(shown),
        rows=len(ask.rows),
        covered=list(outcomes.values()).count("covered"),
        related=related,
        hidden=len(hidden),
        next_offset=ask.offset + _first_place(ask, hidden),
    )


def _can_be_told(ask: Ask, index: int) -> bool:
    """Tell whether a page further on would name a row: one of a thousand characters is named on none (X1)."""
    row = ask.rows[index]
    on_page = ask.places is None or ask.places[index] is not None
    return on_page and is_named(location(row.path, row.version, row.anchor))


def _place(ask: Ask, row: int | None) -> int | None:
    """Give the place of a row on the store's page."""
    return row if ask.places is None or row is None else ask.places[row]


def _first_place(ask: Ask, hidden: Sequence[int]) -> int:
    """Give the place on the store's page of the first row that is hidden (X2)."""
    return min((place for index in hidden if (place := _place(ask, index)) is not None), default=0)


def _longest_count(ask: Ask) -> str:
    count = len(ask.rows)
    last = max((place for place in ask.places or () if place is not None), default=count)
    return _spell_count(Tally(count, count, count, ask.limits.related, count, ask.offset + max(count, last)))


def _spell_count(tally: Tally) -> str:
    covered = f" ({tally.covered} covered)" if tally.covered else ""
    related = f" and {tally.related} related documents" if tally.related else ""
    more = f"; {tally.hidden} more rows: offset={tally.next_offset}" if tally.hidden else ""
    return note(f"expanded {tally.expanded} of {tally.rows} rows{covered}{related} within the budget{more}")


def _spell_stop(seconds: float) -> str:
    return note(f"stopped: deadline of {seconds:g} s reached")
