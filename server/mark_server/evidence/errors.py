"""What can be wrong with an evaluation's files and programs; each class carries the facts.

The line that a person reads is made by `explain`.
"""

# ruff: noqa: N818 - a class says what happened, as in the rest of the project's errors

from __future__ import annotations

from pathlib import Path
from typing import assert_never


class EvidenceError(Exception):
    """An evaluation that cannot be made."""


class BadLine(EvidenceError):
    """A line of a questions file, or of recorded calls, that cannot be read."""

    def __init__(self, file: Path, line: int, problem: str) -> None:
        super().__init__(file, line, problem)
        self.file, self.line, self.problem = file, line, problem


class BadFile(EvidenceError):
    """A file that cannot be read, or is not what it should be."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(file, problem)
        self.file, self.problem = file, problem


class Taken(EvidenceError):
    """A file that is there already; nothing is ever written over."""

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.file = file


class NoPlot(EvidenceError):
    """The library that draws is not installed."""


class BadBuild(EvidenceError):
    """A build whose server does not answer."""

    def __init__(self, command: str, problem: str) -> None:
        super().__init__(command, problem)
        self.command, self.problem = command, problem


Known = BadLine | BadFile | Taken | NoPlot | BadBuild


def explain(error: Known) -> str:
    """Say on one line what is wrong and what to do."""
    match error:
        case BadLine():
            return f"{error.file}:{error.line}: {error.problem}"
        case BadFile():
            return f"{error.file}: {error.problem}"
        case Taken():
            return f"{error.file} exists and is not overwritten; choose another name"
        case NoPlot():
            return "--plot needs matplotlib; install it with the extra: marklookup[plot]"
        case BadBuild():
            return f"build {error.command!r}: {error.problem}"
        case _:
            assert_never(error)
