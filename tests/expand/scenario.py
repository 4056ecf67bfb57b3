"""Rows and documents as plain values, and a way to drive an expansion without any I/O."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mark_expand import Ask, Expansion, Failure, Hop, Limits, Result, thin_table
from mark_outline import Counter, Outline, counter, outline, with_costs

BYTES = counter("bytes")
# Without what came later: one seed, no chains, related documents whole, no opening of the strongest.
PLAIN = Limits(seeds=1, chain=False, glance=False, leading=0, read_on=False)


@dataclass(frozen=True, slots=True)
class Costs:
    encoding: str
    whole: int
    own: int


@dataclass(frozen=True, slots=True)
class Row:
    path: str
    anchor: str = ""
    title: str = "Row"
    version: int | None = None
    costs: Costs | None = None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Doc:
    path: str
    body: str
    version: int | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    outline: Outline = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outline", outline(self.body))


@dataclass(frozen=True, slots=True)
class Counted:
    """A document whose outline carries costs, as a store keeps it."""

    path: str
    body: str
    version: int | None
    metadata: Mapping[str, str]
    outline: Outline


def counted(doc: Doc, unit: Counter) -> Counted:
    """The same document with token costs."""
    return Counted(doc.path, doc.body, doc.version, doc.metadata, with_costs(doc.outline, doc.body, unit))


Answers = Mapping[str, Doc | Counted | Failure]


def counted_all(docs: Answers, unit: Counter) -> Answers:
    """The same answers, every document with token costs."""
    return {path: counted(doc, unit) if isinstance(doc, Doc) else doc for path, doc in docs.items()}


def world(*docs: Doc) -> dict[str, Doc | Failure]:
    """Documents by path; what is not there fails with `not-found`."""
    return {doc.path: doc for doc in docs}


def drive(expansion: Expansion, docs: Answers, stop_after: int | None = None) -> Result:
    """Answer one fetch after the other as asked; a deadline stops after `stop_after` fetches."""
    fetched = 0
    while not expansion.done:
        if fetched == stop_after:
            expansion.stop()
            break
        path = expansion.wanted[0]
        fetched += 1
        expansion.receive(path, docs.get(path, Failure("not-found")))
    return expansion.result


def expand(
    rows: Sequence[Row],
    docs: Answers,
    budget: int = 4000,
    *,
    terms: tuple[str, ...] = (),
    unit: Counter = BYTES,
    head: str = "",
    listed: int | None = None,
    offset: int = 0,
    limits: Limits | None = None,
    aliases: frozenset[str] = frozenset(),
    unreadable: frozenset[str] = frozenset(),
    stop_after: int | None = None,
    hop: Hop = "last",
) -> Result:
    """Expand rows over documents; `head` is a thin table of them unless given."""
    if not head:
        table, shown = thin_table(rows, budget, unit)
        head, listed = f"status: ok\nmatches: {len(rows)}\n\n{table}", shown if listed is None else listed
    ask = Ask(
        head,
        rows,
        listed or 0,
        offset,
        terms,
        budget,
        aliases,
        lambda path: path not in unreadable,
        limits or PLAIN,
        hop,
    )
    return drive(Expansion(ask, unit), docs, stop_after)


def frame(text: str) -> list[str]:
    """The frame lines of a result, in order, without their `>>> `."""
    return [line.removeprefix(">>> ") for line in text.split("\n") if line.startswith(">>> ")]


def shown(text: str) -> list[str]:
    """The frame lines, a stub with the location that it names: `/b.md = /a.md`."""
    stubs = re.sub(r"^(>>> .*)\n\nsame text as (.*)$", r"\1 = \2", text, flags=re.MULTILINE)
    return frame(stubs)


def blocks(text: str) -> list[str]:
    """The locations of blocks and stubs, in order."""
    return [line for line in frame(text) if not line.startswith(("note: ", "related: "))]


def notes(text: str) -> list[str]:
    """The notes, in order, without their prefix."""
    return [line.removeprefix("note: ") for line in frame(text) if line.startswith("note: ")]
