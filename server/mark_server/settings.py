"""Settings: one frozen object, read once at the edge and passed down."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mark_expand import Calibration, Hop, Limits, Near, Order, Oversized, PolicyName, PredicateWords
from mark_server.checks import ArgumentError, shown
from mark_server.keys import KEYS
from mark_server.mount import Mount

Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may choose; every default serves a single folder.

    A field that is a row of `keys` means what its help says. Besides: `patience` is how long a call waits for
    indexing before it answers from what is there, in seconds; `ignore` heeds .gitignore files; `stores`,
    when there are any, stand in place of `store`; `predicates` are words by which questions ask for them.
    `page` is in tokens: a page of a fetch without a budget, a lookup for excerpts without one, and the
    largest excerpt.

    Raises:
        ArgumentError: A value is not allowed.
    """

    store: str = "."
    stores: tuple[Mount, ...] = ()
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
    page: int = 1000
    oversized: Oversized = "excerpt"
    hop: Hop = "early"
    predicates: PredicateWords = field(default_factory=PredicateWords)
    ca: Path | None = None
    insecure: tuple[str, ...] = ()
    store_tokens: Path | None = None
    policy: PolicyName = "rank"
    beta: float = 0.0
    calibration: Calibration = "blend"
    near: Near = "flag"
    order: Order = "rank"
    truncate: bool = False
    log_level: Level = "info"
    http: str | None = None
    mark: str | None = None
    cert: Path | None = None
    key: Path | None = None
    allow_host: tuple[str, ...] = ()
    allow_origin: tuple[str, ...] = ()
    public_url: str | None = None
    limit_rate: int | None = None
    limit_calls: int = 256
    limit_body: int = 1 << 20
    limit_seconds: float = 60.0
    tokens: Path | None = None
    issuer: str | None = None
    audience: str | None = None
    jwks: str | None = None

    def __post_init__(self) -> None:
        for key in KEYS:
            value = getattr(self, key.parameter, key.default)
            if not key.takes(value):
                raise ArgumentError(key.kind.wrong(key.name, shown(value)))

    @property
    def limits(self) -> Limits:
        """The bounds of an expansion under these settings."""
        return Limits(deadline=self.deadline, page=self.page)
