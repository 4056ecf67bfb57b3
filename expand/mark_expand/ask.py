"""What an expansion is given: ranked rows, documents, limits.

The shapes are protocols on the consumer's side, so that a store's own rows and documents pass as
they are; where they come from, and how, is left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from mark_expand.frame import Incoming
from mark_expand.predicates import PredicateWords
from mark_expand.trace import Reason
from mark_outline import Outline, Relation

Hop = Literal["last", "early", "auto"]
"""When related documents print: after the rows, after the strongest match, or as the question asks (H5)."""

Detail = Literal["sections", "excerpts", "full"]
"""What a row prints: its section, a compact window of it (E1), or its whole document (E8)."""
Oversized = Literal["list", "excerpt"]
"""What becomes of a section that fits neither whole nor by its own text (E7)."""


class RowCosts(Protocol):
    """Known units of a row's block text, closing blank line included, header not (F3)."""

    @property
    def encoding(self) -> str:
        """Name of the encoding that the figures were counted with."""

    @property
    def whole(self) -> int:
        """Units of the section with its subsections; of the whole document for a bare row."""

    @property
    def own(self) -> int:
        """Units of the section's own text; equal to `whole` for a bare row."""


class Row(Protocol):
    """One ranked match: a decoded path and an anchor ("" for a bare row)."""

    @property
    def path(self) -> str:
        """Decoded path, or `mark://host/path`."""

    @property
    def anchor(self) -> str:
        """Anchor of the matching section, "" when the row is the document."""

    @property
    def title(self) -> str:
        """Title trail as the table shows it."""

    @property
    def version(self) -> int | None:
        """Version that was ranked, None when the store did not tell."""

    @property
    def named(self) -> bool:
        """Whether the question calls the document by its name."""

    @property
    def costs(self) -> RowCosts | None:
        """Known size, None when the store did not tell."""


class Document(Protocol):
    """One fetched document; `outline` is the outline of exactly this `body`."""

    @property
    def path(self) -> str:
        """Decoded path."""

    @property
    def version(self) -> int | None:
        """Version of the body, None when unknown."""

    @property
    def body(self) -> str:
        """Markdown without front matter."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """Front matter, every value a string."""

    @property
    def outline(self) -> Outline:
        """Headings with byte offsets and, where counted, costs."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fetch that brought no document: a Mark status word or a one-line reason (F4)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one expansion; the defaults are the contract's figures."""

    fetches: int = 10  # F1
    early_fetches: int = 7  # F2: started while the seed is undecided
    ahead: int = 4  # F2: in flight at once
    related: int = 3  # H4
    seeds: int = 3  # H1: documents whose relations are followed
    chain: bool = True  # HP2: the one relation of a related document is followed
    glance: bool = True  # H4, RK2: related and named documents are told by their opening text
    read_on: bool = True  # RK7: what room is left goes to what follows the parts that printed
    leading: int = 20  # RK3: per cent of the room that the strongest document's opening may take; 0 for none
    small_document: int = 8192  # O3: bytes
    opening: int = 600  # O4: bytes
    named: int = 3  # X1
    deadline: float = 10.0  # F5: seconds
    page: int = 1000  # E4: tokens of one excerpt at most
    excerpt: int = 150  # E4: tokens that an excerpt may always take
    window: int = 250  # E7: tokens that the window of a section may take where that leaves some


class Gate(Protocol):
    """What a selection policy says to a passage that is about to be printed."""

    def refusal(self, path: str, units: int) -> Reason:
        """Say why the store of `path` may not print so much more, "" where it may."""

    def twin(self, text: str) -> str:
        """Name the printed location that `text` is a spare near copy of, "" where it is none."""

    def admit(self, path: str, where: str, text: str, units: int) -> None:
        """Note what was printed; `text` is "" for a stub or a relation line."""


def _readable(_path: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Ask:
    """One budgeted lookup, ready to be expanded.

    `head` is the envelope and the table, ending in a line feed; `listed` says how many of `rows`
    the table shows; `offset` is the absolute offset of the first row; `budget` is in tokens;
    `aliases` are the authorities that mean the very store that was asked, `names` those that mean one of
    several by its name, "" for the one that was asked (H6); `hop` and `oversized` are settings (H5, E7);
    with `provenance` every excerpt tells what became of its source (E6). Where a policy chose, `places`
    gives each row's place on the store's page, None for a row that is not on it, and `gate` what it says to
    every passage. `incoming` holds what other documents declare to a row's, by its path, grouped by
    predicate (HP3), `backwards` the predicates among them that the question asks for from there (HP5).
    `words` are those of the user by which questions ask for predicates (HP4).
    """

    head: str
    rows: Sequence[Row]
    listed: int
    offset: int
    terms: tuple[str, ...]
    budget: int
    aliases: frozenset[str] = frozenset()
    readable: Callable[[str], bool] = _readable
    limits: Limits = field(default_factory=Limits)
    hop: Hop = "last"
    detail: Detail = "sections"
    oversized: Oversized = "list"
    provenance: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[int | None] | None = None
    gate: Gate | None = None
    incoming: Mapping[str, Sequence[Incoming]] = field(default_factory=dict)
    backwards: frozenset[str] = frozenset()
    words: PredicateWords = field(default_factory=PredicateWords)

    @property
    def cuts(self) -> bool:
        """Whether a row may print a window of its section, so that nothing is too large to be tried."""
        return self.detail == "excerpts" or self.oversized == "excerpt"

    def asked_for(self, declared: Sequence[Relation]) -> frozenset[str]:
        """Give the declared predicates that the question asks for (HP1, HP4)."""
        return self.words.asked_for((one.predicate for one in declared), self.terms)
