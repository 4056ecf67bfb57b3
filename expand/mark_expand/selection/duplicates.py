"""Copies of what was really printed: exact ones, parts of a printed document, near ones (C1 to C3).

Turns of a conversation are neither compared nor compared with.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mark_expand.selection.bounds import Near
from mark_expand.selection.item import Item
from mark_expand.selection.near_copies import NearCopies, shingles

_Document = tuple[str, str, int | None]


@dataclass(slots=True)
class Duplicates:
    """The texts that were printed."""

    near: Near
    _texts: dict[str, Item] = field(default_factory=dict)
    _documents: dict[_Document, list[Item]] = field(default_factory=dict)
    _near: NearCopies = field(default_factory=NearCopies)

    def keep(self, item: Item) -> None:
        """Remember an item that is printed."""
        if item.candidate.turn is None:
            self._texts.setdefault(item.text, item)
            self._documents.setdefault(_document(item), []).append(item)
            self._near.add(item, shingles(item.text))

    def leave_out_exact(self, item: Item) -> bool:
        """Leave out what is printed already: the same text, or a part of the text of the same document."""
        if item.candidate.turn is not None:
            return False
        if item.text and (first := self._texts.get(item.text)):
            item.decide("omitted", "duplicate", first.candidate.where)
            return True
        for other in self._documents.get(_document(item), ()):
            if item.text in other.text if item.text else item.candidate.anchor == other.candidate.anchor:
                item.decide("covered", "covered", other.candidate.where)
                return True
        return False

    def leave_out_near(self, item: Item) -> bool:
        """Tell of a near copy; leave the item out where that is wished and nothing of weight differs."""
        if item.candidate.turn is not None or not item.text:
            return False
        found = self._near.find(item, shingles(item.text))
        if found is None:
            return False
        item.similar = found.item.candidate.where
        if self.near != "drop" or not found.is_spare:
            return False
        item.decide("omitted", "similar_to", item.similar)
        found.item.stand_for(item)
        return True


def _document(item: Item) -> _Document:
    return item.candidate.store, item.candidate.path, item.candidate.version
