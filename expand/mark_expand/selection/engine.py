"""The context engine: candidates in, a window out, with a model's scores in between where there is a scorer.

It holds what stays the same from call to call. Sources are asked, and messages sent, by whoever uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mark_expand.selection.bounds import SelectionLimits
from mark_expand.selection.candidate import Candidate
from mark_expand.selection.llm_scorer import LLMScorer
from mark_expand.selection.policies import RankOrder
from mark_expand.selection.selection import Policy, Selection


@dataclass(frozen=True, slots=True)
class ContextEngine:
    """One policy under fixed limits; with a `scorer`, a model rescores the strongest candidates first."""

    limits: SelectionLimits
    policy: Policy = field(default_factory=RankOrder)
    scorer: LLMScorer | None = None

    def select(self, candidates: Sequence[Candidate]) -> Selection:
        """Choose without asking a model.

        Raises:
            SelectionError: What has to be printed does not fit, or the policy cannot keep a limit.
        """
        return self.policy.select(candidates, self.limits)

    async def build(self, question: str, candidates: Sequence[Candidate]) -> Selection:
        """Choose; where a scorer is set, after it was asked how well each text answers the question.

        Raises:
            SelectionError: What has to be printed does not fit, or the policy cannot keep a limit.
        """
        first = self.select(candidates)
        if self.scorer is None:
            return first
        judged, event = await self.scorer.judge(question, first)
        selection = self.select(judged) if judged else first
        if event:
            selection.trace.events.append(event)
        return selection
