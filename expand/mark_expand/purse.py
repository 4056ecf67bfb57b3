"""The budget of one result, spent piece by piece and never overdrawn (B1, B2).

Counts are in units of the counter (tokens, or bytes for the `bytes` encoding) and add up exactly
because every piece starts with `>>>` and ends with a line feed (B3).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mark_expand.bill import Charge
from mark_expand.trace import PartKind
from mark_outline import Counter


@dataclass(slots=True)
class Purse:
    """Text that was bought so far, what it cost, and what is left above the reserve."""

    counter: Counter
    limit: int
    reserve: int
    spent: int
    pieces: list[str] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)

    @property
    def room(self) -> int:
        """Units that may still be spent without touching the reserve."""
        return self.limit - self.reserve - self.spent

    @property
    def text(self) -> str:
        """All that was bought, in order."""
        return "".join(self.pieces)

    def buy(self, text: str, kind: PartKind, where: str = "", *, units: int | None = None) -> bool:
        """Append `text` if it fits above the reserve; `units` where they are already known."""
        price = self.counter.count(text) if units is None else units
        if price > self.room:
            return False
        self.pieces.append(text)
        self.spent += price
        self.charges.append(Charge(kind, price, where))
        return True

    def itemise(self, header: str, remark: str) -> None:
        """Charge the block that was just bought by its parts; its text is what the others leave of it."""
        block = self.charges.pop()
        above, below = (self.counter.count(text) if text else 0 for text in (header, remark))
        self.charges.append(Charge("header", above, block.where))
        self.charges.append(Charge(block.kind, block.units - above - below, block.where))
        if below:
            self.charges.append(Charge("remark", below, block.where))

    def release(self) -> None:
        """Give the reserve free for the closing notes, which it was set aside for."""
        self.reserve = 0
