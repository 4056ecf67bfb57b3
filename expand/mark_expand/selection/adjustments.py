"""Adjustments of a score, kept visible: weight, signals, a model's opinion."""

from __future__ import annotations

from mark_expand.selection.candidate import NO_SIGNALS, Signals
from mark_expand.trace import Adjustment

STALE = 0.7
REVIEWED = 1.1


def signal_adjustments(
    signals: Signals, origin: str = "", known: Signals = NO_SIGNALS
) -> tuple[Adjustment, ...]:
    """Give the factors of signals that are not `known` yet.

    >>> signal_adjustments(Signals(stale=True))
    (Adjustment(name='stale', value=0.7, origin=''),)
    """
    found = []
    if signals.stale and not known.stale:
        found.append(Adjustment("stale", STALE, origin))
    if signals.reviewed and not known.reviewed:
        found.append(Adjustment("reviewed", REVIEWED, origin))
    return tuple(found)
