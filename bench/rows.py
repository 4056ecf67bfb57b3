"""The rows of the report: what each is called, how its figure reads, and what it should stay below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.figures import Held, Latency, Memory, Spread, TreeFigures

MB = 1_000_000
NOT_MEASURED = "-"


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure should be at most; on trees of over `files` files there is no aim."""

    text: str
    figure: Callable[[TreeFigures], float]
    most: float
    files: float = float("inf")

    def is_missed(self, tree: TreeFigures) -> bool:
        """Whether the tree's figure is over the aim."""
        return tree.census.files <= self.files and self.figure(tree) > self.most


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of every tree."""

    name: str
    reading: Callable[[TreeFigures], str]
    aim: Aim | None = None

    def cell(self, tree: TreeFigures) -> str:
        """The figure as it is printed, with a `!` when it misses the aim."""
        return self.reading(tree) + (" !" if self.aim and self.aim.is_missed(tree) else "")


def rows(budget: int) -> Iterator[Row]:
    """Give all rows, in the order of the report."""
    yield from _index_rows()
    yield from _start_rows()
    yield from _call_rows(budget)
    yield from _memory_rows()


def _index_rows() -> Iterator[Row]:
    aim = Aim("< 2 s (500 files)", lambda tree: tree.indexing.process.median, 2.0, files=500)
    yield Row("files, sections", lambda tree: f"{tree.census.files:,}, {tree.census.sections:,}")
    yield Row("text", lambda tree: f"{tree.census.size / MB:.2f} MB")
    yield Row("first `marklookup index`", lambda tree: seconds(tree.indexing.process), aim)
    yield Row("… without start and imports", lambda tree: seconds(tree.indexing.inside))
    yield Row("… files, sections a second", _speed)
    yield Row("… once more, nothing changed", lambda tree: seconds(tree.indexing.unchanged))
    yield Row("data folder, of the text", _disk)


def _start_rows() -> Iterator[Row]:
    aim = Aim("<= 0.15 s", lambda tree: tree.cold_start.over_bare, 0.15)
    yield Row("cold start to `tools/list`", lambda tree: seconds(tree.cold_start.server))
    yield Row("… of the bare server", lambda tree: seconds(tree.cold_start.bare))
    yield Row("… over the bare server", lambda tree: f"{tree.cold_start.over_bare:.3f} s", aim)


def _call_rows(budget: int) -> Iterator[Row]:
    half = Aim("< 10 ms", lambda tree: tree.lookups.lookup.p50, 10)
    most = Aim("< 25 ms", lambda tree: tree.lookups.lookup.p95, 25)
    none = Aim("0, 0", lambda tree: tree.lookups.over + tree.lookups.failed, 0)
    yield Row(f"lookup, budget {budget:,}: p50", lambda tree: f"{tree.lookups.lookup.p50:.1f} ms", half)
    yield Row("… p95", lambda tree: f"{tree.lookups.lookup.p95:.1f} ms", most)
    yield Row("… worst", lambda tree: f"{tree.lookups.lookup.worst:.1f} ms")
    yield Row("… tokens of a result, mean", lambda tree: f"{tree.lookups.tokens:,.0f}")
    yield Row("… over the budget, failed", lambda tree: f"{tree.lookups.over}, {tree.lookups.failed}", none)
    yield Row("fetch of its first block: p50, p95", lambda tree: _pair(tree.lookups.fetch))
    yield Row("call of the bare server: p50, p95", lambda tree: _pair(tree.bare_call))


def _memory_rows() -> Iterator[Row]:
    aim = Aim("<= 60 MB", lambda tree: more(tree.present.after, tree.bare.after) / MB, 60)
    yield Row("memory after a first lookup", lambda tree: _held(tree.present.before))
    yield Row("… after the lookups", lambda tree: _held(tree.present.after))
    yield Row("… of the bare server", lambda tree: _held(tree.bare.after))
    yield Row("… over the bare server", lambda tree: _over(tree, tree.present), aim)
    yield Row("memory after making the index first", lambda tree: _held(tree.indexed.before))
    yield Row("… after the lookups", lambda tree: _held(tree.indexed.after))
    yield Row("… over the bare server", lambda tree: _over(tree, tree.indexed))


def seconds(times: Spread) -> str:
    """Median, and least and greatest when there were several runs."""
    width = f" ({times.least:.2f}-{times.greatest:.2f})" if times.runs > 1 else ""
    return f"{times.median:.2f} s{width}"


def more(memory: Memory | None, bare: Memory | None) -> int:
    """Resident bytes over those of the bare server; 0 where none could be read."""
    return memory.resident - bare.resident if memory and bare else 0


def _speed(tree: TreeFigures) -> str:
    took = tree.indexing.inside.median
    return f"{tree.census.files / took:,.0f}, {tree.census.sections / took:,.0f}"


def _disk(tree: TreeFigures) -> str:
    return f"{tree.indexing.size / MB:.1f} MB, {tree.indexing.size / tree.census.size:.2f}"


def _pair(times: Latency | None) -> str:
    return f"{times.p50:.1f}, {times.p95:.1f} ms" if times else NOT_MEASURED


def _held(memory: Memory | None) -> str:
    if memory is None:
        return NOT_MEASURED
    return f"{memory.resident / MB:.1f} MB ({memory.private_dirty / MB:.1f} written)"


def _over(tree: TreeFigures, held: Held) -> str:
    if not held.after or not tree.bare.after:
        return NOT_MEASURED
    return f"{more(held.after, tree.bare.after) / MB:.1f} MB"
