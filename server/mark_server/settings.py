"""Settings: one frozen object, read once at the edge and passed down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mark_expand import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may choose; every default serves a single folder.

    `encoding` names the unit of budgets; `deadline` is in seconds (F5); `patience` is how long a call waits
    for indexing before it answers from what is there, in seconds; `data` overrides where the index
    is kept.
    """

    store: str = "."
    encoding: str = "o200k_base"
    deadline: float = 10.0
    patience: float = 1.0
    data: Path | None = None

    @property
    def limits(self) -> Limits:
        """The bounds of an expansion under these settings."""
        return Limits(deadline=self.deadline)
