"""Outlines of documents whose store keeps none: made once for each version, and the latest ones kept.

The folder has its outlines beside the bodies; a server far away does not.
"""

from __future__ import annotations

from collections import OrderedDict

from mark_outline import Outline, outline
from mark_store import Document

MOST_CHARACTERS = 8_000_000
"""Of all bodies whose outlines are kept."""

_Key = tuple[str, int | None, str]


class Outlines:
    """A bounded memory of outlines, by location, version and hash; the least recently used go first."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._kept: OrderedDict[_Key, Outline] = OrderedDict()
        self._characters = 0

    def of(self, document: Document) -> Outline:
        """Give the outline of a document: the store's, a kept one, or one that is made now."""
        if document.outline is not None:
            return document.outline
        key = (document.path, document.version, document.content_hash or document.etag)
        if not key[2]:
            return outline(document.body)
        found = self._kept.get(key)
        if found is None or found.chars != len(document.body):
            found = self._keep(key, outline(document.body))
        self._kept.move_to_end(key)
        return found

    def _keep(self, key: _Key, made: Outline) -> Outline:
        if stale := self._kept.pop(key, None):
            self._characters -= stale.chars
        self._kept[key] = made
        self._characters += made.chars
        while self._characters > self._most and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._characters -= oldest.chars
        return made
