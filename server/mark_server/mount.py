"""One of several stores, as a person names it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mount:
    """A store by its name; `deadline` is in seconds."""

    name: str
    address: str
    token_env: str | None = None
    token_file: Path | None = None
    insecure: bool = False
    ca: Path | None = None
    deadline: float = 10.0
    weight: float = 1.0
