"""Copies of what was really printed: exact ones, parts of a printed document, near ones (C1 to C3).

Turns of a conversation are neither compared nor compared with.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mark_expand.selection.bounds import Near
from mark_expand.selection.item import Item
from mark_expand.selection.near_copies import NearCopies


@dataclass(slots=True)
class Duplicates:
    """The texts that were printed."""

    near: Near
    _texts: dict[str, Item] = field(default_factory=dict)
    _paths: dict[str, list[Item]] = field(default_factory=dict)
    _near: NearCopies = field(default_factory=NearCopies)
    _printed: list[Item] = field(default_factory=list)  # As numbered there.

    def keep(self, item: Item) -> None:
        """Remember an item that is printed."""
        if item.candidate.turn is None:
            self._texts.setdefault(item.text, item)
            self._paths.setdefault(item.candidate.path, []).append(item)
            self._near.add(item.text)
            self._printed.append(item)

    def leave_out_exact(self, item: Item) -> bool:
        """Leave out what is printed already: the same text, or a part of the text of the same document."""
        if item.candidate.turn is not None:
            return False
        if item.text and (first := self._texts.get(item.text)):
            item.decide("omitted", "duplicate", first.candidate.where)
            return True
        for other in self._paths.get(item.candidate.path, ()):
            if _covers(other, item):
                item.decide("covered", "covered", other.candidate.where)
                return True
        return False

    def leave_out_near(self, item: Item) -> bool:
        """Tell of a near copy; leave the item out where that is wished and nothing of weight differs."""
        if item.candidate.turn is not None or not item.text:
            return False
        found = self._near.find(item.text, spare=self.near == "drop")
        if found is None:
            return False
        other = self._printed[found.number]
        item.similar = other.candidate.where
        if self.near != "drop" or not found.is_spare:
            return False
        item.decide("omitted", "similar_to", item.similar)
        other.stand_for(item)
        return True


def _covers(printed: Item, item: Item) -> bool:
    """Tell whether an item is a part of what was printed of the same document; both of `item`'s path."""
    one, other = printed.candidate, item.candidate
    if (one.store, one.version) != (other.store, other.version):
        return False
    return item.text in printed.text if item.text else one.anchor == other.anchor
