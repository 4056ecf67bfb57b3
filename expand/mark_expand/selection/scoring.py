"""What each candidate is worth: its place in its source, calibrated, weighted, with signals (never its cost).

The order in which candidates were given makes no difference. Choosing among them is `filling` and the
policies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from mark_expand.frame import location
from mark_expand.selection.adjustments import signal_adjustments
from mark_expand.selection.bounds import SelectionLimits, SourceLimits
from mark_expand.selection.calibration import Calibration, calibrate
from mark_expand.selection.candidate import NO_SIGNALS, Candidate, Signals
from mark_expand.selection.item import Item
from mark_expand.trace import Adjustment


def scored(candidates: Iterable[Candidate], limits: SelectionLimits, mode: Calibration) -> list[Item]:
    """Give every candidate as an item with its scores, strongest first."""
    by_source: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_source.setdefault(candidate.source, []).append(candidate)
    items: list[Item] = []
    sources = limits.of(by_source)
    for number, source in enumerate(sources):
        found = _in_own_order(by_source.get(source.name, []))
        items += [Item(candidate, number, place, limits.counter) for place, candidate in enumerate(found)]
    _share_signals(items)
    groups = [
        (sources[number], list(group)) for number, group in groupby(items, key=lambda item: item.source)
    ]
    others = _standing_scores(groups, limits) if mode == "joint" else ()
    for source, group in groups:
        _score(group, source, limits, mode, others)
    _hold_back_unscored(items)
    return _strongest_first(items)


def is_pinned(candidate: Candidate, source: SourceLimits) -> bool:
    """Tell whether a candidate is always printed: it says so, or its source's limits name its location."""
    return candidate.pinned or (bool(source.pins) and not spellings_of(candidate).isdisjoint(source.pins))


def spellings_of(candidate: Candidate) -> set[str]:
    """Give the ways in which a pin may name a candidate: with or without store, version and anchor's path."""
    return {
        location(path, version, candidate.anchor)
        for path in (candidate.path, candidate.address)
        for version in (None, candidate.version)
    } | {candidate.path}


def _in_own_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    ranks = {candidate.rank for candidate in candidates}
    if None not in ranks and len(ranks) == len(candidates):
        # Each rank stands once, and tells alone: a tenth of the time.
        return sorted(candidates, key=attrgetter("rank"))
    return sorted(candidates, key=_own_order)


def _own_order(candidate: Candidate) -> tuple[float, float, tuple[str, str, int, str, str, bool]]:
    """The store's order: by rank, then by score, then by identity."""
    rank = math.inf if candidate.rank is None else candidate.rank
    return rank, -(candidate.score or 0.0), candidate.key


def _strongest_first(items: Iterable[Item]) -> list[Item]:
    """Sort by `strength`; one key after the other, the last first, takes half as long as four at once."""
    found = sorted(items, key=attrgetter("source"))
    found.sort(key=attrgetter("place"))
    found.sort(key=attrgetter("unscored"))
    found.sort(key=attrgetter("worth"), reverse=True)
    return found


def _share_signals(items: Sequence[Item]) -> None:
    """Give all exact copies of a text the signals of any of them.

    A deprecated text stays where a copy of it is the very successor: then the text is current.
    """
    flagged = {item.text for item in items if item.signals is not NO_SIGNALS and item.text}
    copies: dict[str, list[Item]] = {}
    for item in items if flagged else ():
        if item.text in flagged and item.candidate.turn is None:
            copies.setdefault(item.text, []).append(item)
    for group in copies.values():
        if len(group) > 1:
            _share_among(group)


def _share_among(group: Sequence[Item]) -> None:
    deprecated = [item for item in group if item.candidate.signals.deprecated]
    successors = {item.successor for item in deprecated if item.successor}
    current = any(
        not spellings_of(item.candidate).isdisjoint(successors)
        for item in group
        if not item.candidate.signals.deprecated
    )
    successor = min(successors, default="")
    for item in group:
        for other in group:
            one = other.candidate.signals
            passed = Signals(one.stale, one.deprecated and not current, one.reviewed)
            item.adjustments += signal_adjustments(passed, other.candidate.where, item.signals)
            item.signals = item.signals | passed
        item.successor = item.successor or (successor if item.signals.deprecated else "")


def _standing_scores(
    groups: Sequence[tuple[SourceLimits, Sequence[Item]]], limits: SelectionLimits
) -> list[float]:
    """Give the scores of all sources that make a scale; of a source that left one out, none."""
    return [
        item.candidate.score
        for source, items in groups
        if all(item.candidate.score is not None for item in items)
        for item in items
        if item.candidate.score is not None and _stands(item, source, _most_room(source, limits))
    ]


def _score(
    items: Sequence[Item],
    source: SourceLimits,
    limits: SelectionLimits,
    mode: Calibration,
    others: Sequence[float],
) -> None:
    most = _most_room(source, limits)
    standing = [_stands(item, source, most) for item in items]
    values = calibrate(mode, [item.candidate.score for item in items], standing, others)
    for item, value in zip(items, values, strict=True):
        passed, item.adjustments = item.adjustments, ()
        item.calibrated = value
        item.score(value)
        if (judged := item.candidate.judged) is not None:
            item.score((value + judged) / 2)
            item.adjustments = (Adjustment("model", judged),)
        if source.weight != 1:
            item.adjust(Adjustment("weight", source.weight))
        if item.candidate.signals is not NO_SIGNALS or passed:
            item.adjust(*signal_adjustments(item.candidate.signals), *passed)


def _most_room(source: SourceLimits, limits: SelectionLimits) -> int:
    """Units that the source can have at most."""
    tokens = limits.budget if source.cap is None else min(source.cap, limits.budget)
    units = limits.counter.units(tokens)
    return (
        units
        if source.part is None
        else min(units, math.floor(limits.counter.units(limits.budget) * source.part))
    )


def _stands(item: Item, source: SourceLimits, room: int) -> bool:
    """Tell whether an item helps to make the scale: not pinned, and with `room` units it could be printed."""
    one = item.candidate
    if one.pinned or item.signals.deprecated or (source.pins and is_pinned(one, source)):
        return False
    # No count exceeds the bytes. A character has at most four, and a location at most twelve for each; lines
    # that are made frame-safe are at most a quarter more.
    room_of_text = (room - 12 * (len(one.store) + len(one.path) + len(one.anchor)) - 64) * 4 // 5
    if item.text and (len(item.text) * 4 <= room_of_text or len(item.text.encode()) <= room_of_text):
        return True
    return not item.is_empty and item.fits(room)


def _hold_back_unscored(items: Sequence[Item]) -> None:
    """Keep what a model did not score below all that it did; turns of a conversation aside."""
    judged = [item.final for item in items if item.candidate.judged is not None]
    if not judged:
        return
    least = min(judged)
    for item in items:
        item.unscored = item.candidate.judged is None and item.candidate.turn is None
        if item.unscored and item.final > least:
            item.adjust(Adjustment("unscored", least / item.final))
            item.score(least)
