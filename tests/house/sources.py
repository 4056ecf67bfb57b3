"""Reads the checkout for the house checks: python modules with their trees, and every text file."""

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

REPO = Path(__file__).resolve().parents[2]
CODE = ("outline", "store", "expand", "server", "bench")
PACKAGES = {
    "mark_outline": "outline",
    "mark_store": "store",
    "mark_expand": "expand",
    "mark_server": "server",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One python file, parsed; `path` is relative to the checkout."""

    path: PurePosixPath
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Lines of the file, blank ones included."""
        return len(self.text.splitlines())

    @property
    def is_test(self) -> bool:
        """Whether the file belongs to the tests and not to the code."""
        return self.path.parts[0] == "tests"

    def functions(self) -> Iterator[Function]:
        """Functions and methods, nested ones included."""
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                yield node

    def comments(self) -> Iterator[tuple[int, str]]:
        """Comments with their line number, each from its first `#`."""
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def parse(path: str, text: str) -> Module:
    """The module that `text` would be at `path`."""
    return Module(PurePosixPath(path), text, ast.parse(text))


@cache
def tracked() -> tuple[PurePosixPath, ...]:
    """Files that git tracks or would track, so that a file is checked before it is committed."""
    # CI may run as another user than the one that owns the checkout, which git refuses unless told.
    git = [
        "git",
        "-c",
        f"safe.directory={REPO}",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listing = subprocess.run(git, cwd=REPO, check=True, capture_output=True, text=True).stdout
    return tuple(PurePosixPath(name) for name in sorted(listing.split("\0")) if (REPO / name).is_file())


@cache
def modules() -> tuple[Module, ...]:
    """Every python file of the code and the tests."""
    return tuple(
        parse(str(path), (REPO / path).read_text(encoding="utf-8"))
        for path in tracked()
        if path.suffix == ".py" and path.parts[0] in (*CODE, "tests")
    )


def texts() -> Iterator[tuple[PurePosixPath, str]]:
    """Every tracked file that is text (UTF-8 without NUL)."""
    for path in tracked():
        data = (REPO / path).read_bytes()
        if b"\0" not in data:
            yield path, data.decode("utf-8", errors="replace")


def length(function: Function) -> int:
    """Lines from `def` to the last line of the body; decorators are not counted."""
    return (function.end_lineno or function.lineno) - function.lineno + 1
