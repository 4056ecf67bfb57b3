"""What one row or target may print, in the order of trying (O2, O3, O4, H4, RK3, E1, E7, E8).

Yields groups of choices. The passages of a choice stand for one another: the first that fits is printed.
The next group is tried only when the one before gave nothing or did not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mark_expand.cutter import Cutter
from mark_expand.frame import note
from mark_expand.glance import Glance
from mark_expand.leaf import Leaf
from mark_expand.passage import Passage

Choice = Iterator[Passage]


def alternatives(leaf: Leaf, index: int | None, cutter: Cutter) -> Iterator[list[Choice]]:
    """Groups of choices for section `index` of a document, or for the document as a whole."""
    match cutter.ask.detail:
        case "excerpts":
            yield [_compact(leaf, index, cutter)]
        case "full" if cutter.fresh and leaf.whole().units <= cutter.purse.room:
            yield [iter([leaf.whole()])]
        case "sections" if cutter.glance:
            yield from _glanced(leaf, index, cutter, cutter.glance)
        case _:
            yield from _parts(leaf, index, cutter)


def _glanced(leaf: Leaf, index: int | None, cutter: Cutter, glance: Glance) -> Iterator[list[Choice]]:
    """A section that was asked for, a short document, else the opening text, else the outline (H4)."""
    if index is not None:
        yield [_section(leaf, index, cutter)]
    elif leaf.whole().units <= glance.whole:
        yield [iter([leaf.whole()])]
    yield [_opening(leaf, glance.opening, cutter.ask.limits.opening)]
    if index is None:
        yield [iter([leaf.headings()])]


def _parts(leaf: Leaf, index: int | None, cutter: Cutter) -> Iterator[list[Choice]]:
    terms, limits = cutter.ask.terms, cutter.ask.limits
    if index is not None and leaf.whole().units <= cutter.leading:
        yield [iter([leaf.whole()])]
    small = index is None and leaf.outline.size < limits.small_document
    if small:
        yield [iter([leaf.whole()])]
    if index is None and cutter.ask.oversized == "excerpt" and leaf.begins_with(terms):
        # What stands before the first heading is what was ranked.
        yield [_fair([leaf.preamble()], leaf, None, cutter)]
    sections = leaf.matches(terms) if index is None else [index]
    choices = [_section(leaf, section, cutter) for section in sections]
    # Where the document itself was to be printed, its sections say that there is more.
    yield [_as_part(leaf, choice) for choice in choices] if small or cutter.ask.detail == "full" else choices
    if index is None:
        yield [_opening(leaf, limits.opening)] if terms else []
        yield [iter([leaf.headings()])]


def _section(leaf: Leaf, index: int, cutter: Cutter) -> Choice:
    whole = leaf.section(index)
    own = leaf.own(index, whole)
    yield from _fair([whole] if own is None else [whole, own], leaf, index, cutter)


def _fair(told: list[Passage], leaf: Leaf, index: int | None, cutter: Cutter) -> Choice:
    """Texts that leave something for what comes below, a window, then the others (E7)."""
    yield from (passage for passage in told if not cutter.is_too_much(passage))
    if cutter.ask.oversized == "excerpt" and (window := cutter.cut(leaf, index)):
        yield window
    yield from (passage for passage in told if cutter.is_too_much(passage))


def _compact(leaf: Leaf, index: int | None, cutter: Cutter) -> Choice:
    """The text whole where it costs no more than an excerpt may, else its best window (E1, E4)."""
    whole = leaf.whole() if index is None else leaf.section(index)
    whole = replace(whole, remark=cutter.source)
    if whole.units + leaf.units(whole.remark) > cutter.most and (window := cutter.cut(leaf, index)):
        yield window
    yield whole


def _as_part(leaf: Leaf, choice: Choice) -> Choice:
    """Say of a section that its document did not fit (O3, E8)."""
    for passage in choice:
        remark = ""
        if passage.kind == "section":
            size = leaf.tokens(leaf.whole().units)
            remark = note(f"{leaf.where()}: section only, whole document ~{size} tokens")
        yield replace(passage, remark=passage.remark + remark)


def _opening(leaf: Leaf, limit: int, most: int = 0) -> Choice:
    opening = leaf.opening(limit, most)
    if opening is not None:
        yield opening
