"""Reads a tree once: how large it is, and questions that somebody could put to it.

The same tree always gives the same questions: words of a heading and of prose, often of another section of
the document, among function words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.figures import Census
from bench.trees import markdown_files
from mark_outline import front_matter, outline, pieces

SEED = 20
WARM_SEED = 21
OPENINGS = ("what is the", "how does the", "why was", "which of the", "when did", "where is", "who made the")
JOINTS = ("of the", "and", "for", "in the", "with", "to", "from", "after the", "that is", "or", "by", "on a")
# Scripts without spaces give runs; a person would type a few characters of one.
WORD = re.compile(r"[a-zA-Z][\w-]{3,}|[^\W\d_a-zA-Z]{2,}")
RUN_CHARACTERS = 6
LEAST, MOST = 6, 12


@dataclass(frozen=True, slots=True)
class Passage:
    """One section as a source of words; `document` is the number of its document."""

    document: int
    heading: tuple[str, ...]
    prose: tuple[str, ...]


def survey(root: Path) -> tuple[Census, list[Passage]]:
    """Count a tree, and give the sections that have words in heading and prose."""
    sections = size = 0
    passages: list[Passage] = []
    paths = markdown_files(root)
    for number, path in enumerate(paths):
        data = path.read_bytes()
        body = front_matter(data.decode("utf-8", errors="replace")).body
        made = outline(body)
        size += len(data)
        sections += len(made.sections)
        texts = pieces(made, body)[1:]
        found = (
            Passage(number, _words(section.title), _words(_prose(text)))
            for section, text in zip(made.sections, texts, strict=True)
        )
        passages += [passage for passage in found if passage.heading and passage.prose]
    return Census(len(paths), sections, size), passages


def questions(passages: Sequence[Passage], number: int, seed: int = SEED) -> list[str]:
    """Make `number` questions of 6 to 12 words."""
    chance = random.Random(seed)  # noqa: S311 - the same questions every time is the point
    return [_question(passages, chance) for _ in range(number)]


def _question(passages: Sequence[Passage], chance: random.Random) -> str:
    at = chance.randrange(len(passages))
    near = passages[min(at + chance.randrange(3), len(passages) - 1)]
    other = near if near.document == passages[at].document else passages[at]
    topics = [*_some(passages[at].heading, chance, 2), *_some(other.prose, chance, 3)]
    words = [*chance.choice(OPENINGS).split(), topics[0]]
    for _, topic in pairwise(topics):
        words += [*chance.choice(JOINTS).split(), topic]
    while len(words) < LEAST:
        words += [*chance.choice(JOINTS).split(), chance.choice(other.prose)]
    return " ".join(words[:MOST]) + "?"


def _some(words: Sequence[str], chance: random.Random, most: int) -> list[str]:
    return chance.sample(words, min(len(words), chance.randint(1, most)))


def _words(text: str) -> tuple[str, ...]:
    found = (word[0] for word in WORD.finditer(text))
    return tuple(dict.fromkeys(word if word.isascii() else word[:RUN_CHARACTERS] for word in found))


def _prose(text: str) -> str:
    """The lines below the heading that are neither code fences nor tables, without link targets."""
    lines = [line for line in text.split("\n")[1:] if not line.lstrip().startswith(("```", "~~~", "|", "<"))]
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", "\n".join(lines))
