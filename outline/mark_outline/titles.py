"""Titles: headings with their markup read and their explicit id split off; those without a title drop out."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from mark_outline.explicit_id import split_explicit_id
from mark_outline.heading_text import heading_text, markup_cost
from mark_outline.leaves import HeadingBlock
from mark_outline.white import WHITE

MOST_MARKUP: Final = 500_000
"""The sum of `markup_cost` after which the titles of a document stay as written (OL7)."""


class Titled(NamedTuple):
    """A heading that opens a section: 0-based line, inline text, explicit id or an empty string."""

    level: int
    line: int
    title: str
    id: str


def titled(headings: Iterable[HeadingBlock], references: Mapping[str, Any]) -> list[Titled]:
    """Give the headings that have a title; one without opens no section (OL1)."""
    found: list[Titled] = []
    spent = 0
    for level, line, raw in headings:
        content, name = split_explicit_id(raw)
        spent += markup_cost(content)
        title = heading_text(content, references) if spent <= MOST_MARKUP else content
        if title.strip(WHITE):
            found.append(Titled(level, line, title, name))
    return found
