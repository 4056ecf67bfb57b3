"""Budgets only: frame, coalescing, one hop of relations, closing notes, selection policies, trace. Pure.

Where documents come from, and who asks, is left to the packages around it.
"""

from mark_expand.ask import Ask, Detail, Document, Failure, Hop, Limits, Oversized, Row, RowCosts
from mark_expand.expansion import Expansion, Result
from mark_expand.frame import frame_safe, one_line
from mark_expand.selection import (
    Candidate,
    ContextEngine,
    DoesNotFit,
    Everything,
    Filling,
    FixedSlots,
    Item,
    LLMScorer,
    Policy,
    RankOrder,
    ScoredKnapsack,
    ScorerError,
    Selection,
    SelectionError,
    SelectionLimits,
    Signals,
    SourceLimits,
    WrongCandidate,
    WrongLimit,
    conversation,
    signals_of,
)
from mark_expand.thin_table import thin_table
from mark_expand.trace import Adjustment, Entry, Outcome, Reason, Scored, Trace
from mark_expand.window import window_end

__all__ = [
    "Adjustment",
    "Ask",
    "Candidate",
    "ContextEngine",
    "Detail",
    "Document",
    "DoesNotFit",
    "Entry",
    "Everything",
    "Expansion",
    "Failure",
    "Filling",
    "FixedSlots",
    "Hop",
    "Item",
    "LLMScorer",
    "Limits",
    "Outcome",
    "Oversized",
    "Policy",
    "RankOrder",
    "Reason",
    "Result",
    "Row",
    "RowCosts",
    "Scored",
    "ScoredKnapsack",
    "ScorerError",
    "Selection",
    "SelectionError",
    "SelectionLimits",
    "Signals",
    "SourceLimits",
    "Trace",
    "WrongCandidate",
    "WrongLimit",
    "conversation",
    "frame_safe",
    "one_line",
    "signals_of",
    "thin_table",
    "window_end",
]
