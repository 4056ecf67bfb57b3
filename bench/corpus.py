"""Folders of any number of sections, made of real trees that are repeated with changed words.

A repetition exchanges words for others of about the same frequency, and turns the letters of rare ones: so
the lists of an index grow with the text, and its vocabulary more slowly, as in a folder that somebody wrote.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, zip_longest
from pathlib import Path

from bench.trees import markdown_files
from mark_outline import front_matter, outline

# Words that no link, anchor or front matter key is made of.
WORD = re.compile(r"(?<![\w./#*-])[a-z]{4,}(?![\w./*:-])")
RARE = 3
BAND = 16


def make_corpora(trees: Path, place: Path, sizes: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """Make a folder for each number of sections, below `place`; the trees are folders of `trees`.

    Every file is written once: a larger folder shares none with a smaller one, but has all of its text.
    """
    files = _in_turn(trees)
    texts = {path: path.read_bytes().decode("utf-8", errors="replace") for path in files}
    sections = {path: len(outline(front_matter(text).body).sections) for path, text in texts.items()}
    words = Counter(chain.from_iterable(map(WORD.findall, texts.values())))
    for size in sizes:
        root = place / str(size)
        _fill(root, size, [(path.relative_to(trees), texts[path], sections[path]) for path in files], words)
        yield size, root


def _fill(root: Path, size: int, files: Sequence[tuple[Path, str, int]], words: Mapping[str, int]) -> None:
    made = 0
    for turn in count():
        others = exchanged(words, turn)
        for path, text, sections in files:
            if made >= size:
                return
            target = root / f"turn-{turn}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(WORD.sub(lambda word: others.get(word[0], word[0]), text), encoding="utf-8")  # noqa: B023 - used at once
            made += sections


def exchanged(words: Mapping[str, int], turn: int) -> dict[str, str]:
    """What each word becomes in one repetition; the first one changes nothing."""
    if not turn:
        return {}
    chance = random.Random(turn)  # noqa: S311 - the same words every time is the point
    ranked = sorted(words, key=lambda word: (-words[word], word))
    frequent = [word for word in ranked if words[word] > RARE]
    found = {word: _turned(word, turn) for word in ranked[len(frequent) :]}
    for start in range(0, len(frequent), BAND):
        band = frequent[start : start + BAND]
        found |= dict(zip(band, chance.sample(band, len(band)), strict=True))
    return found


def _turned(word: str, turn: int) -> str:
    at = turn % len(word) or 1
    return word[at:] + word[:at]


def _in_turn(trees: Path) -> list[Path]:
    """The files of all trees, one of each tree in turn."""
    folders = (markdown_files(tree) for tree in sorted(trees.iterdir()) if tree.is_dir())
    return [path for path in chain.from_iterable(zip_longest(*folders)) if path is not None]
