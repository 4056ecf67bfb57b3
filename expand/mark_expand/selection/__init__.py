"""Selection policies: which candidates fill a budget, in which order, and why (docs/policies.md).

Pure: texts, scores and limits in, a window and its trace out. A policy is an object with `select(candidates,
limits)`; `Filling` keeps the rules that all of them share, for those of a user too.
"""

from mark_expand.selection.bounds import Near, Order, SelectionLimits, SourceLimits
from mark_expand.selection.calibration import Calibration
from mark_expand.selection.candidate import Candidate, Signals, conversation, signals_of
from mark_expand.selection.engine import ContextEngine
from mark_expand.selection.errors import DoesNotFit, ScorerError, SelectionError, WrongCandidate, WrongLimit
from mark_expand.selection.filling import Filling
from mark_expand.selection.item import Item
from mark_expand.selection.llm_scorer import LLMScorer
from mark_expand.selection.policies import Everything, FixedSlots, PolicyName, RankOrder, ScoredKnapsack
from mark_expand.selection.row_choice import RowChoice, choose_rows
from mark_expand.selection.selection import Policy, Selection

__all__ = [
    "Calibration",
    "Candidate",
    "ContextEngine",
    "DoesNotFit",
    "Everything",
    "Filling",
    "FixedSlots",
    "Item",
    "LLMScorer",
    "Near",
    "Order",
    "Policy",
    "PolicyName",
    "RankOrder",
    "RowChoice",
    "ScoredKnapsack",
    "ScorerError",
    "Selection",
    "SelectionError",
    "SelectionLimits",
    "Signals",
    "SourceLimits",
    "WrongCandidate",
    "WrongLimit",
    "choose_rows",
    "conversation",
    "signals_of",
]
