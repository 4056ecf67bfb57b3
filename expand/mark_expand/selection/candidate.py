"""A candidate: one text that may be put into the window, and what its source says about it.

Where candidates come from is left to whoever makes them; what they are worth is `scoring`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from mark_expand.frame import location
from mark_expand.selection.errors import WrongCandidate
from mark_outline import decode, encode, relations

Life = Literal["stable", "session", "volatile"]
"""How long a text stays as it is: across sessions, within one, or for one call."""

_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known about a text besides its score."""

    stale: bool = False
    deprecated: bool = False
    reviewed: bool = False

    def __or__(self, other: Signals) -> Signals:
        """Give all signals that either has."""
        return Signals(
            self.stale or other.stale, self.deprecated or other.deprecated, self.reviewed or other.reviewed
        )


NO_SIGNALS = Signals()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that a source proposes.

    `store`, `path`, `version` and `anchor` are its identity; the location is `mark://store/path` where a
    store is named. `rank` counts from 1 in its source; `score` is the source's own, any finite scale, higher
    is better. `cost` is in units of the counter and only for a candidate whose text is not known yet; a text
    is counted. `turn` numbers a message of a conversation, whose author is `role`. `judged` is a model's
    score, 0 to 1.

    Raises:
        WrongCandidate: The path is empty, the text holds lone surrogates, or a number is out of its range.
    """

    source: str
    path: str
    text: str = ""
    store: str = ""
    version: int | None = None
    anchor: str = ""
    rank: int | None = None
    score: float | None = None
    cost: int | None = None
    signals: Signals = NO_SIGNALS
    successor: str = ""
    pinned: bool = False
    life: Life = "volatile"
    turn: int | None = None
    role: str = ""
    judged: float | None = None

    def __post_init__(self) -> None:
        if not self.path:
            raise WrongCandidate(self.source, "path", self.path, "a path that is not empty")
        if not self.text.isascii() and _LONE.search(self.text):
            raise WrongCandidate(self.where, "text", "a lone surrogate", "text that UTF-8 can hold")
        self._check_numbers()

    def _check_numbers(self) -> None:
        if self.score is not None and not math.isfinite(self.score):
            raise WrongCandidate(self.where, "score", self.score, "a finite number, or none")
        if self.rank is not None and self.rank < 1:
            raise WrongCandidate(self.where, "rank", self.rank, "a whole number from 1, or none")
        if self.cost is not None and self.cost < 0:
            raise WrongCandidate(self.where, "cost", self.cost, "a whole number of units from 0, or none")
        if self.judged is not None and not 0 <= self.judged <= 1:
            raise WrongCandidate(self.where, "judged", self.judged, "a number from 0 to 1, or none")

    @property
    def where(self) -> str:
        """The location as it is printed."""
        return location(self.address, self.version, self.anchor)

    @property
    def address(self) -> str:
        """The decoded path with the store's name, where it has one."""
        if not self.store:
            return self.path
        return f"mark://{self.store}{'' if self.path.startswith('/') else '/'}{self.path}"

    @property
    def key(self) -> tuple[str, str, int, str, str, bool]:
        """An order of candidates that does not depend on how they came."""
        return self.store, self.path, self.version or 0, self.anchor, self.text, self.version is None


def conversation(
    turns: Iterable[tuple[str, str]], source: str = "conversation", life: Life = "volatile"
) -> list[Candidate]:
    """Give the turns of a conversation, (role, text) oldest first, as candidates; the newest ranks first.

    >>> [(turn.where, turn.rank) for turn in conversation([("user", "Hello"), ("assistant", "Yes?")])]
    [('/conversation/1/user', 2), ('/conversation/2/assistant', 1)]
    """
    given = list(turns)
    return [
        Candidate(
            source=source,
            path=f"/{source}/{number}/{role}",
            text=text,
            rank=len(given) - number + 1,
            life=life,
            turn=number,
            role=role,
        )
        for number, (role, text) in enumerate(given, 1)
    ]


_DEPRECATED = {"deprecated", "superseded", "archived", "obsolete", "withdrawn"}
_STALE = {"stale", "outdated"}
_NO = {"", "false", "no", "0", "none"}


def signals_of(path: str, metadata: Mapping[str, str]) -> tuple[Signals, str]:
    """Read the signals of a document, and its successor's location, from its front matter.

    `status`, the flags `deprecated`, `archived`, `stale` and `reviewed` (a date will do), and the relation
    `rel-superseded-by` count.

    >>> signals_of("/a.md", {"rel-superseded-by": "b.md"})
    (Signals(stale=False, deprecated=True, reviewed=False), '/b.md')
    """
    stated = {key.lower(): value.strip().lower() for key, value in metadata.items()}
    status = stated.get("status", "")
    declared, _ = relations(encode(path), metadata)
    successor = next((decode(one.target) for one in declared if one.predicate == "superseded-by"), "")

    def says(key: str) -> bool:
        return stated.get(key, "") not in _NO

    deprecated = bool(successor) or status in _DEPRECATED or says("deprecated") or says("archived")
    return Signals(status in _STALE or says("stale"), deprecated, says("reviewed")), successor
