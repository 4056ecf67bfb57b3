"""The order of the window (`order=rank`, `order=cache`); what is in it was decided before.

For a prompt cache stable items stand first, in an order that no score can change, then those of the session,
then the volatile ones with the strongest at both edges, where models read best. A conversation is last,
oldest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mark_expand.selection.bounds import Order
from mark_expand.selection.item import Item


def arranged(printed: Iterable[Item], order: Order, pinned: Iterable[Item]) -> list[Item]:
    """Put printed items into the order of the window; `pinned` are those that were printed first of all."""
    items = list(printed)
    turns = sorted((item for item in items if item.candidate.turn is not None), key=_moment)
    others = [item for item in items if item.candidate.turn is None]
    first = {id(item) for item in pinned}
    if order == "rank":
        return [
            *sorted((item for item in others if id(item) in first), key=fixed),
            *sorted((item for item in others if id(item) not in first), key=lambda item: item.strength),
            *turns,
        ]
    volatile = sorted(_of(others, "volatile"), key=lambda item: (id(item) not in first, item.strength))
    return [
        *sorted(_of(others, "stable"), key=fixed),
        *sorted(_of(others, "session"), key=fixed),
        *_edged(volatile),
        *turns,
    ]


def fixed(item: Item) -> tuple[int, tuple[str, str, int, str, str, bool]]:
    """Give a sort key that scores and other candidates have no part in."""
    return item.source, item.candidate.key


def _of(items: Iterable[Item], life: str) -> list[Item]:
    return [item for item in items if item.candidate.life == life]


def _edged(strongest_first: Sequence[Item]) -> list[Item]:
    """Put the first at the start, the second at the end, the third behind the first, and so on.

    >>> _edged([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return [*strongest_first[::2], *strongest_first[1::2][::-1]]


def _moment(item: Item) -> tuple[int, int, tuple[str, str, int, str, str, bool]]:
    return item.candidate.turn or 0, item.source, item.candidate.key
