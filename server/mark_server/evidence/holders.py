"""Which sections of the store hold a piece of evidence, read from the documents themselves."""

from __future__ import annotations

from collections.abc import Sequence

from mark_outline import decode, outline
from mark_server.desk import Desk
from mark_server.evidence.judging import collapse
from mark_server.evidence.questions import Gold, Question
from mark_store import Document, StoreError


class Holders:
    """Finds quotes in documents, each document's quote once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._found: dict[tuple[str, str], frozenset[str] | None] = {}

    async def anchors(self, gold: Gold) -> frozenset[str] | None:
        """Give the anchors of all sections that hold the quote; None when the document does not hold it."""
        key = (decode(gold.path), gold.quote)
        if key not in self._found:
            try:
                document = await self._desk.store.fetch(key[0], reader=self._desk.reader)
            except StoreError:
                self._found[key] = None
            else:
                self._found[key] = _holding(document, collapse(gold.quote))
        return self._found[key]


async def unfindable(desk: Desk, questions: Sequence[Question]) -> list[str]:
    """Say of each piece of evidence that no lookup can find that it is not in the store."""
    holders = Holders(desk)
    return [
        f"{question.id}: {gold.path} does not exist or does not hold {gold.quote[:60]!r}"
        for question in questions
        for gold in question.gold
        if not gold.targets and await holders.anchors(gold) is None
    ]


def _holding(document: Document, wanted: str) -> frozenset[str] | None:
    if wanted not in collapse(document.body):
        return None
    made = document.outline or outline(document.body)
    return frozenset(
        section.anchor
        for section in made.sections
        if wanted in collapse(document.body[section.char_start : section.char_end])
    )
