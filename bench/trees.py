"""The folders that are measured, made anew in a temporary place: a mixed tree of some files, and all of them.

Real trees are not part of this repository. Where they are missing, copies of the fixtures with changed words
stand in, and the report says so.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, zip_longest
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
FIXTURES = ("music", "decisions")
# Words that no link, anchor or front matter key is made of.
LONG_WORD = re.compile(r"(?<![\w./#*-])[a-z]{6,}(?![\w./*:-])")


@dataclass(frozen=True, slots=True)
class Tree:
    """One folder to measure; `made_of` is a line for the reader."""

    name: str
    root: Path
    made_of: str
    runs: int


def make_trees(archives: Path, place: Path, files: int) -> list[Tree]:
    """Make the trees below `place`: one of `files` files, and all of `archives` when they are there."""
    some, whole = place / "some", place / "whole"
    packed = sorted(archives.glob("*.tar.gz"))
    if not packed:
        made = _vary_fixtures(some, files)
        return [
            Tree(f"{made} files", some, f"fixtures, repeated with changed words ({archives} is not there)", 3)
        ]
    for path in packed:
        with tarfile.open(path) as archive:
            archive.extractall(whole, filter="data")
    made = _sample(whole, some, files)
    names = ", ".join(path.name.removesuffix(".tar.gz") for path in packed)
    return [
        Tree(f"{made} files", some, f"the first files of {len(packed)} trees in turn", 3),
        Tree("all trees", whole, names, 1),
    ]


def markdown_files(root: Path) -> list[Path]:
    """The text files that are markdown by their name, sorted; neither hidden ones nor links."""
    found = (
        Path(folder, name)
        for folder, folders, names in os.walk(root)
        for name in names
        if name.endswith((".md", ".markdown", ".mdx", ".mkd")) and not name.startswith(".")
        if not folders.sort()
        and not any(part.startswith(".") for part in Path(folder).relative_to(root).parts)
    )
    return sorted(path for path in found if not path.is_symlink() and b"\0" not in path.read_bytes())


def _sample(whole: Path, target: Path, files: int) -> int:
    in_turn = chain.from_iterable(zip_longest(*(markdown_files(tree) for tree in sorted(whole.iterdir()))))
    chosen = [path for path in in_turn if path is not None][:files]
    for path in chosen:
        copy = target / path.relative_to(whole)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return len(chosen)


def _vary_fixtures(target: Path, files: int) -> int:
    originals = [path for name in FIXTURES for path in markdown_files(REPO / "fixtures" / name)]
    copies = ((turn, path) for turn in count() for path in originals)
    for (turn, path), _ in zip(copies, range(files), strict=False):
        copy = target / f"copy-{turn:03}" / path.relative_to(REPO / "fixtures")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_varied(path.read_text(encoding="utf-8", errors="replace"), turn), encoding="utf-8")
    return files


def _varied(text: str, turn: int) -> str:
    return LONG_WORD.sub(partial(_turned, turn), text)


def _turned(turn: int, word: re.Match[str]) -> str:
    """Turn the letters of a word: another word for an index, of the same length."""
    at = turn % len(word[0])
    return word[0][at:] + word[0][:at]


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(_sizes(folder))


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.stat().st_size
