"""How much of a document is told at a glance: the shares of the room that whole documents and openings take.

A glance stands where a document matters more than a passage of it: a related one (H4), or one that the
question names (RK2). Figures: decision 0016.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mark_expand.purse import Purse

# A document is told whole where that takes no more than this share of what is left.
_WHOLE_PER_CENT = 40
# The only one that the question names, where nothing that it declares waits.
_ALONE_PER_CENT = 75
# An opening text is not cut below so many bytes: one sentence or two.
_LEAST = 200
# So many bytes are said to be a token, in whatever unit the budget is.
_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Glance:
    """The most units of a document that is told whole, and the most bytes of an opening text."""

    whole: int
    opening: int


def of_named(purse: Purse, targets: int, most: int, *, alone: bool) -> Glance:
    """What a document that the question names may take, when it declares so many `targets`.

    `alone`: no other document is named that has not been told.
    """
    told = _glance(purse, most, 1, 3 + min(targets, 3))
    return told if targets or not alone else replace(told, whole=purse.room * _ALONE_PER_CENT // 100)


def of_related(purse: Purse, waiting: int, most: int) -> Glance:
    """What a related document may take when so many, itself included, are still to be told."""
    return _glance(purse, most, 6, 5 * (1 + max(waiting, 1)))


def _glance(purse: Purse, most: int, part: int, parts: int) -> Glance:
    bytes_left = purse.counter.tokens(max(purse.room, 0)) * _TOKEN
    share = max(_LEAST, bytes_left * part // parts)
    return Glance(purse.room * _WHOLE_PER_CENT // 100, min(most, share))
