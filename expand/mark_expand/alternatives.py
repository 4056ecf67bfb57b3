"""What one row or target may print, in the order of trying (O2, O3, O4, H4).

Yields groups of choices. The passages of a choice stand for one another: the first that fits is printed.
The next group is tried only when the one before gave nothing or did not fit.
"""

from __future__ import annotations

from collections.abc import Iterator

from mark_expand.ask import Limits
from mark_expand.leaf import Leaf
from mark_expand.passage import Passage

Choice = Iterator[Passage]


def alternatives(
    leaf: Leaf, index: int | None, terms: tuple[str, ...], limits: Limits
) -> Iterator[list[Choice]]:
    """Groups of choices for section `index` of a document, or for the document as a whole."""
    if index is not None:
        yield [_section(leaf, index)]
        return
    if leaf.outline.size < limits.small_document:
        yield [iter([leaf.whole()])]
    yield [_section(leaf, match) for match in leaf.matches(terms)]
    yield [_opening(leaf, limits.opening)] if terms else []
    yield [iter([leaf.headings()])]


def _section(leaf: Leaf, index: int) -> Choice:
    whole = leaf.section(index)
    yield whole
    own = leaf.own(index, whole)
    if own is not None:
        yield own


def _opening(leaf: Leaf, limit: int) -> Choice:
    opening = leaf.opening(limit)
    if opening is not None:
        yield opening
