"""The account of one lookup: its pieces, what each cost, what is left, and what became of every candidate.

Figures come from the trace as they are; how they are shown is left to `screen` and `page`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from string import ascii_uppercase
from typing import Any, Literal, assert_never

from mark_expand import Entry, Part, Scored, Trace
from mark_server.arguments import LookupArguments
from mark_server.envelope import Pair

ItemKind = Literal["head", "block", "stub", "note", "stop", "omissions", "count", "overspend"]
_PRINTED = ("printed", "stub")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the account, in tokens: a block with all that belongs to it, or a line of the frame.

    `mark` is a letter by which bar and tables name it. Outside of blocks everything is `text`.
    """

    mark: str
    kind: ItemKind
    location: str = ""
    header: int = 0
    text: int = 0
    notes: int = 0
    related: int = 0

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.header + self.text + self.notes + self.related


@dataclass(frozen=True, slots=True)
class Decision:
    """One entry of the trace; `mark` is that of the block that it printed, else "".

    `within` is the mark of the block that says the same, its location where no block has it.
    """

    mark: str
    entry: Entry
    within: str

    @property
    def scored(self) -> Scored | None:
        """The scores of a policy, where one decided."""
        return self.entry if isinstance(self.entry, Scored) else None


@dataclass(frozen=True, slots=True)
class Account:
    """All that is known of one lookup; `told` is what its envelope says."""

    asked: LookupArguments
    trace: Trace
    told: tuple[Pair, ...]
    items: tuple[Item, ...]
    decisions: tuple[Decision, ...]

    @property
    def budget(self) -> int:
        """What there was, in tokens."""
        return self.trace.budget

    @property
    def used(self) -> int:
        """What the result costs, in tokens."""
        return self.trace.tokens

    @property
    def left(self) -> int:
        """What was not spent; below zero where the table alone was too large (B4)."""
        return self.budget - self.used

    @property
    def is_scored(self) -> bool:
        """Whether a policy decided, whose scores there are to show."""
        return any(decision.scored for decision in self.decisions)

    def as_dict(self) -> dict[str, Any]:
        """Give the account as plain values that serialise to JSON."""
        return {
            "asked": asdict(self.asked),
            "encoding": self.trace.encoding,
            "budget": self.budget,
            "used": self.used,
            "left": self.left,
            "told": dict(self.told),
            "items": [asdict(item) | {"tokens": item.tokens} for item in self.items],
            "trace": self.trace.as_dict(),
        }


def account(asked: LookupArguments, trace: Trace, told: Iterable[Pair] = ()) -> Account:
    """Make the account of a lookup."""
    items = tuple(_items(trace.parts))
    return Account(asked, trace, tuple(told), items, tuple(_decisions(trace.entries, items)))


def shares(values: Sequence[int], cells: int) -> list[int]:
    """Divide cells in proportion; what is not zero has one cell at least, where there are enough.

    >>> shares([1, 0, 97, 2], 10)
    [1, 0, 8, 1]
    """
    whole = sum(values)
    if not whole or cells <= 0:
        return [0 for _ in values]
    made = [max(1, value * cells // whole) if value else 0 for value in values]
    while (spare := cells - sum(made)) != 0:
        step = 1 if spare > 0 else -1
        place = max(range(len(made)), key=lambda at: step * (values[at] * cells - made[at] * whole))
        if step < 0 and made[place] <= 1:
            place = max(range(len(made)), key=lambda at: made[at])
        made[place] += step
    return made


def _items(parts: Iterable[Part]) -> Iterator[Item]:
    """Gather what belongs to a block; its relation line may stand below a note on another text."""
    made: list[Item] = []
    block = 0
    for part in parts:
        match part.kind:
            case "header":
                block = len(made)
                made.append(Item("", "block", part.location, header=part.tokens))
            case "text":
                made[block] = replace(made[block], text=part.tokens)
            case "stub":
                made[block] = replace(made[block], text=part.tokens, kind="stub")
            case "remark":
                made[block] = replace(made[block], notes=part.tokens)
            case "relations":
                made[block] = replace(made[block], related=made[block].related + part.tokens)
            case "head" | "note" | "stop" | "omissions" | "count" | "overspend":
                made.append(Item("", part.kind, part.location, text=part.tokens))
            case _:
                assert_never(part.kind)
    yield from (replace(item, mark=mark) for item, mark in zip(made, _marks(), strict=False))


def _marks() -> Iterator[str]:
    """Give A to Z, then A1 to Z1, and so on."""
    yield from ascii_uppercase
    for round_ in count(1):
        yield from (f"{letter}{round_}" for letter in ascii_uppercase)


def _decisions(entries: Iterable[Entry], items: Sequence[Item]) -> Iterator[Decision]:
    """Match the blocks with the entries that printed them: both stand in the order of printing."""
    blocks = [item for item in items if item.kind in ("block", "stub")]
    marks = {item.location: item.mark for item in reversed(blocks)}
    following = iter(blocks)
    for entry in entries:
        mark = next(following).mark if entry.outcome in _PRINTED else ""
        yield Decision(mark, entry, marks.get(entry.within, entry.within))
