"""What every piece of a result cost, so that nobody has to count the text again (EX1).

What is bought, and whether it fits, is the purse's part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mark_expand.trace import Part, PartKind
from mark_outline import Counter


@dataclass(frozen=True, slots=True)
class Charge:
    """One piece that was bought, in units of the counter."""

    kind: PartKind
    units: int
    where: str = ""


def parts(charges: Iterable[Charge], counter: Counter) -> list[Part]:
    """Give the charges in tokens that add up to the tokens of the whole.

    Where four bytes are a token a piece may begin inside one; the token is then of the piece that begins it.

    >>> from mark_outline import counter
    >>> [part.tokens for part in parts([Charge("head", 5), Charge("note", 2)], counter("bytes"))]
    [2, 0]
    """
    made: list[Part] = []
    units = tokens = 0
    for charge in charges:
        units += charge.units
        made.append(Part(charge.kind, counter.tokens(units) - tokens, charge.where))
        tokens = counter.tokens(units)
    return made
