"""The order of passages: what full-text scores, a document's importance, and other documents getting a turn.

Measured on nine stores (recall of gold documents in ten rows / rank of the gold section): plain BM25 .76 / .64;
with at most three passages of a document before the next one's .82 / .62. The score of whole documents (0.3 to 1.0
of it) and bonuses for coverage moved neither.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from .passages import place

# Passages of one document that may stand before the first ones of others.
TURN = 3
# Only so many of the best are put in turns and told apart by path; the rest follow by score. A constant, so that
# the order does not depend on the page.
HEAD = 600
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage and its score, higher is better."""

    rowid: int
    score: float

    @property
    def document(self) -> int:
        """The id of its document."""
        return place(self.rowid)[0]


def ranked(
    found: Collection[tuple[float, int]],
    importance: Mapping[int, float],
    first: int,
    stop: int,
    paths: Callable[[Collection[int]], Mapping[int, str]],
) -> list[Hit]:
    """Hits `first` to `stop` of the order of `found`, pairs of FTS5 score (lower is better) and rowid.

    `importance` has the documents whose importance is not the default; `paths` gives the paths of documents, and is
    asked only where scores are equal.
    """
    weighed = found if not importance else [(_weighed(*pair, importance), pair[1]) for pair in found]
    best = [Hit(row, round(-score, _DIGITS)) for score, row in heapq.nsmallest(max(HEAD, stop), weighed)]
    head = _in_turns(_untied(best[:HEAD], paths))
    return [*head, *best[HEAD:]][first:stop]


def _weighed(score: float, row: int, importance: Mapping[int, float]) -> float:
    # 0.75 to 1.25 of the score, 1 at the default importance of 0.5.
    return score * (0.75 + 0.5 * importance.get(place(row)[0], 0.5))


def _untied(hits: list[Hit], paths: Callable[[Collection[int]], Mapping[int, str]]) -> list[Hit]:
    """Hits of equal score in the order of path and place, which no history of the index can change."""
    tied = {hit.document for pair in pairwise(hits) if pair[0].score == pair[1].score for hit in pair}
    named = paths(tied) if tied else {}
    return sorted(hits, key=lambda hit: (-hit.score, named.get(hit.document, ""), hit.rowid))


def _in_turns(hits: list[Hit]) -> list[Hit]:
    seen: Counter[int] = Counter()
    turns: list[tuple[int, Hit]] = []
    for hit in hits:
        turns.append((seen[hit.document] // TURN, hit))
        seen[hit.document] += 1
    return [hit for _, hit in sorted(turns, key=lambda turn: turn[0])]
