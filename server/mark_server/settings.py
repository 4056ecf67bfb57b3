"""Settings: one frozen object, read once at the edge and passed down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mark_expand import Hop, Limits, Oversized
from mark_server.checks import Whole

PAGE = Whole("page", "a whole number of tokens from 300 to 3000", "page=1000", 1000, 300, 3000)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may choose; every default serves a single folder.

    `encoding` names the unit of budgets; `deadline` is in seconds (F5); `patience` is how long a call waits
    for indexing before it answers from what is there, in seconds; `data` overrides where the index
    is kept. `ignore` heeds .gitignore files, `include` and `exclude` are patterns of rooted paths, `poll` is
    seconds between looks at a folder that tells of no changes, `keep` how many versions of a document stay,
    `most_files` from how many on a folder is refused.
    `page` is in tokens: a page of a fetch without a budget, a lookup for excerpts without one, and
    the largest excerpt; `oversized` says what becomes of a section that does not fit (E7); `hop`
    when related documents print (H5).

    Raises:
        ArgumentError: `page` is out of its range.
    """

    store: str = "."
    encoding: str = "o200k_base"
    deadline: float = 10.0
    patience: float = 1.0
    data: Path | None = None
    ignore: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    poll: float | None = None
    keep: int | None = None
    most_files: int = 100_000
    page: int = PAGE.default
    oversized: Oversized = "excerpt"
    hop: Hop = "early"

    def __post_init__(self) -> None:
        PAGE.read({"page": self.page})

    @property
    def limits(self) -> Limits:
        """The bounds of an expansion under these settings."""
        return Limits(deadline=self.deadline, page=self.page)
