"""Which sections of a large document a question is about (O4).

Only terms and headings decide; sizes and budgets are left to the expansion.
"""

from __future__ import annotations

from collections.abc import Iterable

from mark_outline import Outline, Presence


def matching_sections(body: str, outline: Outline, terms: tuple[str, ...]) -> list[int]:
    """Indices of the outermost sections of level 2 or deeper that hold all terms, in document order.

    Where none does: those that hold the most distinct terms, at least half of them, the ones with most
    terms in their own heading first. Empty without terms.
    """
    counts = {
        index: Presence(body[section.char_start : section.char_end]).count(terms)
        for index, section in enumerate(outline.sections)
        if section.level > 1
    }
    most = max(counts.values(), default=0)
    if not terms or 2 * most < len(terms):
        return []
    best = _outermost(outline, (index for index, count in counts.items() if count == most))
    if most == len(terms):
        return best
    return sorted(best, key=lambda index: -Presence(outline.sections[index].title).count(terms))


def _outermost(outline: Outline, indices: Iterable[int]) -> list[int]:
    """Drop each section that lies inside one before it; `indices` ascend."""
    kept: list[int] = []
    for index in indices:
        if not kept or index >= outline.sections[kept[-1]].last:
            kept.append(index)
    return kept
