"""The values that a run measures; how they come about and how they are printed is left to the others."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and greatest of several runs, in seconds."""

    median: float
    least: float
    greatest: float
    runs: int


@dataclass(frozen=True, slots=True)
class Latency:
    """How long calls took that were made one after another, in milliseconds."""

    p50: float
    p95: float
    worst: float
    calls: int


@dataclass(frozen=True, slots=True)
class Memory:
    """What a process holds, in bytes: resident pages, and those of them that it alone has written."""

    resident: int
    private_dirty: int


@dataclass(frozen=True, slots=True)
class Census:
    """What a tree consists of: files, headed sections, bytes of the files."""

    files: int
    sections: int
    size: int


@dataclass(frozen=True, slots=True)
class Indexing:
    """The index of one tree: a whole `marklookup index`, the part of it after the imports, and the result.

    `size` is what the data folder takes, in bytes; `unchanged` is `marklookup index` once more.
    """

    process: Spread
    inside: Spread
    unchanged: Spread
    size: int


@dataclass(frozen=True, slots=True)
class ColdStart:
    """From spawning a server to its answer to `tools/list`, the index being there."""

    server: Spread
    bare: Spread

    @property
    def over_bare(self) -> float:
        """Seconds that the server's median lies over that of the bare one."""
        return self.server.median - self.bare.median


@dataclass(frozen=True, slots=True)
class Lookups:
    """Budgeted lookups and fetches through one warm server.

    `tokens` is the mean size of a lookup's result, `over` counts results over the budget, `failed` the
    answers that were not `ok`.
    """

    lookup: Latency
    fetch: Latency | None
    tokens: float
    over: int
    failed: int


@dataclass(frozen=True, slots=True)
class Held:
    """Memory of one server: after its first call (and the indexing that this waited for), and after all."""

    before: Memory | None
    after: Memory | None


@dataclass(frozen=True, slots=True)
class TreeFigures:
    """All that was measured on one tree; `made_of` says where it comes from.

    `present` found its index at the start, `indexed` made it first.
    """

    name: str
    made_of: str
    census: Census
    indexing: Indexing
    cold_start: ColdStart
    lookups: Lookups
    bare_call: Latency
    bare: Held
    present: Held
    indexed: Held


@dataclass(frozen=True, slots=True)
class Words:
    """What a client reads before the first call, in o200k tokens."""

    tools: int
    instructions: int


@dataclass(frozen=True, slots=True)
class Figures:
    """One run of the bench."""

    machine: str
    budget: int
    words: Words
    help_time: Spread
    trees: tuple[TreeFigures, ...]


def spread(seconds: Sequence[float]) -> Spread:
    """Sum up the times of several runs."""
    return Spread(statistics.median(seconds), min(seconds), max(seconds), len(seconds))


def latency(seconds: Sequence[float]) -> Latency:
    """Sum up the times of several calls; at least two."""
    hundredths = statistics.quantiles(seconds, n=100, method="inclusive")
    return Latency(hundredths[49] * 1000, hundredths[94] * 1000, max(seconds) * 1000, len(seconds))
