"""How far a long run is, on standard error: a bar on a terminal, a line at each end elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType

import click

from mark_server.terminal import warn


class Progress(AbstractContextManager["Progress"]):
    """Counts `step` calls up to a total."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._started = time.monotonic()
        self._bar = (
            click.progressbar(length=total, label=name, file=sys.stderr) if sys.stderr.isatty() else None
        )

    def step(self) -> None:
        """Tell that one more is done."""
        if self._bar is not None:
            self._bar.update(1)

    def __enter__(self) -> Progress:
        if self._bar is None:
            warn(f"eval: {self._name}: {self._total} calls …")
        else:
            self._bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)
        elif error is None:
            warn(f"eval: {self._name}: done in {time.monotonic() - self._started:.1f} s")
