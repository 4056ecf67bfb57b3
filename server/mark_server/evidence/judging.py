"""Whether a text holds the gold: the one definition that every measure rests on.

White space is collapsed. A quote counts in a block of its own document, or anywhere in a text without
headers; a relation also counts as a line of that document's block that names every target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mark_outline import Counter, authority, decode, encode
from mark_server.evidence.blocks import RELATED, Block, blocks
from mark_server.evidence.questions import Gold

_WHITE = re.compile(r"\s+")


def collapse(text: str) -> str:
    r"""Make every run of white space one space.

    >>> collapse(" a\n  b ")
    'a b'
    """
    return _WHITE.sub(" ", text).strip()


@dataclass(frozen=True, slots=True)
class Shares:
    """Tokens of blocks: of all, and of those that `Answer` tells apart under the same names."""

    blocks: int
    idle: int
    foreign: int
    superseded: int
    stale: int


class Reading:
    """One result, read once and asked for several quotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks = blocks(text)
        self._flat = [collapse(block.text) for block in self.blocks]
        lines = text.split("\n")
        # What stands above the first header belongs to no document.
        self._loose = lines[: len(lines) - sum(len(block.lines) for block in self.blocks)]

    @cached_property
    def _whole(self) -> str:
        return collapse(self.text)

    def holds(self, gold: Gold) -> bool:
        """Tell whether the evidence is in this result at all."""
        if _names(self._loose, gold) or (not self.blocks and collapse(gold.quote) in self._whole):
            return True
        return any(self._in(place, gold) for place in range(len(self.blocks)))

    def cites(self, gold: Gold) -> bool:
        """Tell whether it stands under a header that names a version."""
        return any(
            self._in(place, gold)
            for place, block in enumerate(self.blocks)
            if block.location.version is not None
        )

    def supports(self, gold: Sequence[Gold]) -> list[bool]:
        """Tell of each block whether it holds any of the evidence."""
        return [any(self._in(place, one) for one in gold) for place in range(len(self.blocks))]

    @property
    def paths(self) -> frozenset[str]:
        """The documents whose blocks are in it."""
        return frozenset(block.location.path for block in self.blocks)

    def shares(
        self, gold: Sequence[Gold], counter: Counter, superseded: frozenset[str] = frozenset()
    ) -> Shares:
        """Count the tokens of the blocks by what they are worth; `superseded` are paths of documents."""
        costs = counter.count_many([block.shown for block in self.blocks])
        paths = [block.location.path for block in self.blocks]
        idle = [not held for held in self.supports(gold)]
        old = [path in superseded for path in paths]
        stores = {authority(decode(one.path)) for one in gold}

        def counted(wanted: Iterable[bool]) -> int:
            return counter.tokens(sum(cost for cost, one in zip(costs, wanted, strict=True) if one))

        return Shares(
            blocks=counter.tokens(sum(costs)),
            idle=counted(idle),
            foreign=counted(authority(path) not in stores for path in paths),
            superseded=counted(old),
            stale=counted(one and other for one, other in zip(old, idle, strict=True)),
        )

    def _in(self, place: int, gold: Gold) -> bool:
        block = self.blocks[place]
        if block.location.path == decode(gold.path):
            return collapse(gold.quote) in self._flat[place] or _states(block, gold)
        return _names(block.lines, gold)


def _states(block: Block, gold: Gold) -> bool:
    """Tell whether a line of the document's own block names every target."""
    return bool(gold.targets) and any(_has_all(line, gold) for line in block.lines if _may_state(line))


def _names(lines: Sequence[str], gold: Gold) -> bool:
    """Tell whether a line elsewhere names the document and every target, as incoming relations do."""
    return bool(gold.targets) and any(
        _has_all(line, gold) and _has(line, gold.path) for line in lines if _may_state(line)
    )


def _may_state(line: str) -> bool:
    """Table rows, headers and notes state nothing."""
    return not line.startswith("|") and (not line.startswith(">>>") or line.startswith(RELATED))


def _has_all(line: str, gold: Gold) -> bool:
    return all(_has(line, target) for target in gold.targets)


def _has(line: str, path: str) -> bool:
    return path in line or encode(decode(path)) in line
