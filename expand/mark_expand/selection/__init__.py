"""Selection policies: which candidates fill a budget, in which order, and why (docs/policies.md).

Pure: texts, scores and limits in, a window and its trace out. A policy is an object with `select(candidates,
limits)`; `Filling` keeps the rules that all of them share, for those of a user too.
"""

from mark_expand.selection.bounds import SelectionLimits, SourceLimits
from mark_expand.selection.candidate import Candidate, Signals, conversation, signals_of
from mark_expand.selection.engine import ContextEngine
from mark_expand.selection.errors import DoesNotFit, ScorerError, SelectionError, WrongCandidate, WrongLimit
from mark_expand.selection.filling import Filling
from mark_expand.selection.item import Item
from mark_expand.selection.llm_scorer import LLMScorer
from mark_expand.selection.policies import Everything, FixedSlots, RankOrder, ScoredKnapsack
from mark_expand.selection.selection import Policy, Selection

__all__ = [
    "Candidate",
    "ContextEngine",
    "DoesNotFit",
    "Everything",
    "Filling",
    "FixedSlots",
    "Item",
    "LLMScorer",
    "Policy",
    "RankOrder",
    "ScoredKnapsack",
    "ScorerError",
    "Selection",
    "SelectionError",
    "SelectionLimits",
    "Signals",
    "SourceLimits",
    "WrongCandidate",
    "WrongLimit",
    "conversation",
    "signals_of",
]
