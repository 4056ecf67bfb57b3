"""One question asked of all stores at once, and their rows put into one page.

A store is asked for the part of its own ranking that the page needs. How many rows the others have is known
only once they answered, so a page far down may take a second round. What fails is noted; the rest answers.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import anyio

from .errors import AllFailed, BadQuery, Failed, StoreError
from .interleave import headed_spans, interleaved
from .mounted import Mounted
from .port import LookupPage, Match, Progress, Row

Ask = Callable[[Mounted, int], Awaitable[LookupPage]]
"""Asks a store for the rows from an offset on, as many as the page has."""


@dataclass(slots=True)
class _Part:
    """What one store has answered so far: rows from `start` on, how many there are in all, or why none."""

    mount: Mounted
    until: float
    start: int = 0
    rows: tuple[Row, ...] = ()
    page: LookupPage | None = None
    failure: StoreError | None = None
    tried: set[int] = field(default_factory=set)

    @property
    def length(self) -> int | None:
        if self.failure:
            return 0
        return self.page.total if self.page else None

    @property
    def head(self) -> int:
        """How many of its first rows are documents that the query names: they come before all others."""
        return self.page.named if self.page else 0

    def lacks(self, start: int, end: int) -> bool:
        """Whether the store has to be asked for these rows, and was not yet."""
        if self.failure or start in self.tried:
            return False
        return self.page is None or (start < end and not self._has(start, end))

    def among(self, start: int, end: int) -> tuple[int, tuple[Row, ...]]:
        """The rows that there are of these, and the index of the first."""
        begin = max(start, self.start)
        return begin, self.rows[begin - self.start : max(0, end - self.start)]

    def _has(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.start + len(self.rows)

    async def ask(self, ask: Ask, start: int) -> None:
        self.tried.add(start)
        try:
            self.page = await self.mount.asked(lambda: ask(self.mount, start), self.until)
        except StoreError as error:
            self.page, self.failure = None, error
        else:
            self.start = start
            self.rows = tuple(replace(row, path=self.mount.address(row.path)) for row in self.page.rows)


async def gathered(mounts: Sequence[Mounted], ask: Ask, offset: int, limit: int, match: Match) -> LookupPage:
    """Ask each store within its deadline, and interleave what they answer.

    Raises: StoreError, when none of the stores answers.
    """
    now = anyio.current_time()
    parts = [_Part(mount, now + mount.deadline) for mount in mounts]
    weights = [mount.weight for mount in mounts]
    while True:
        heads = [part.head for part in parts]
        wanted = headed_spans(weights, heads, [part.length for part in parts], offset, limit)
        lacking = [
            (part, start) for part, (start, end) in zip(parts, wanted, strict=True) if part.lacks(start, end)
        ]
        if not lacking:
            break
        async with anyio.create_task_group() as group:
            for part, start in lacking:
                group.start_soon(part.ask, ask, start)
    _refuse_when_none_answered(parts)
    pieces = [part.among(start, end) for part, (start, end) in zip(parts, wanted, strict=True)]
    pages = [part.page for part in parts if part.page]
    return LookupPage(
        rows=tuple(interleaved(weights, pieces, heads)),
        total=sum(page.total for page in pages),
        match=match if not pages or any(page.match == match for page in pages) else pages[0].match,
        indexing=together([_named(part) for part in parts]),
        failed=tuple(Failed(part.mount.name, part.failure) for part in parts if part.failure),
        asked=_asked(parts),
        named=sum(heads),
    )


def together(progresses: Sequence[Progress | None]) -> Progress | None:
    """How far several stores are; None when all of them are complete."""
    unfinished = [progress for progress in progresses if progress]
    if not unfinished:
        return None
    return Progress(
        sum(progress.done for progress in unfinished),
        sum(progress.total for progress in unfinished),
        "; ".join(f"{progress.store}: {progress.trouble}" for progress in unfinished if progress.trouble),
        ", ".join(progress.store for progress in unfinished),
    )


def _asked(parts: Sequence[_Part]) -> str:
    """What was asked of stores that had nothing for the whole query, each with its name among several."""
    asked = [(part.mount.name, part.page.asked) for part in parts if part.page and part.page.asked]
    return asked[0][1] if len(parts) == 1 and asked else "; ".join(f"{name}: {text}" for name, text in asked)


def _named(part: _Part) -> Progress | None:
    indexing = part.page.indexing if part.page else None
    return replace(indexing, store=part.mount.name) if indexing else None


def _refuse_when_none_answered(parts: Sequence[_Part]) -> None:
    """Raise what is wrong when nobody answered: an argument that no store understands, or all that failed."""
    failures = [Failed(part.mount.name, part.failure) for part in parts if part.failure]
    if not failures or len(failures) < len(parts):
        return
    for failed in failures:
        if isinstance(failed.error, BadQuery):
            raise failed.error
    raise failures[0].error if len(failures) == 1 else AllFailed(tuple(failures))
