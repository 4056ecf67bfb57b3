"""Whether a text holds the gold: the one definition that every measure rests on.

White space is collapsed. A quote counts in a block of its own document, or anywhere in a text without
headers; a relation also counts as a line of that document's block that names every target.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from mark_outline import Counter, decode, encode
from mark_server.evidence.blocks import RELATED, Block, blocks
from mark_server.evidence.questions import Gold

_WHITE = re.compile(r"\s+")


def collapse(text: str) -> str:
    r"""Make every run of white space one space.

    >>> collapse(" a\n  b ")
    'a b'
    """
    return _WHITE.sub(" ", text).strip()


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

    def shares(self, gold: Sequence[Gold], counter: Counter) -> tuple[int, int]:
        """Count the tokens of all blocks, and of those that hold none of the evidence."""
        costs = counter.count_many([block.shown for block in self.blocks])
        idle = (cost for cost, held in zip(costs, self.supports(gold), strict=True) if not held)
        return counter.tokens(sum(costs)), counter.tokens(sum(idle))

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
