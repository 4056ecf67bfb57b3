"""Budgets only: frame, coalescing, one hop of relations, closing notes, trace. Pure.

Where documents come from, and who asks, is left to the packages around it.
"""

from mark_expand.ask import Ask, Detail, Document, Failure, Hop, Limits, Oversized, Row, RowCosts
from mark_expand.expansion import Expansion, Result
from mark_expand.frame import frame_safe, one_line
from mark_expand.thin_table import thin_table
from mark_expand.trace import Entry, Outcome, Reason, Trace
from mark_expand.window import window_end

__all__ = [
    "Ask",
    "Detail",
    "Document",
    "Entry",
    "Expansion",
    "Failure",
    "Hop",
    "Limits",
    "Outcome",
    "Oversized",
    "Reason",
    "Result",
    "Row",
    "RowCosts",
    "Trace",
    "frame_safe",
    "one_line",
    "thin_table",
    "window_end",
]
