"""Questions with their gold: what a questions file holds, and the one line that a wrong one gets.

The format is documented in docs/evidence.md. Whether a gold quote really stands in the store is `corpus`'
business, whether it was found `judging`'s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mark_server.arguments import lookup_arguments
from mark_server.checks import ArgumentError
from mark_server.evidence.errors import BadFile, BadLine

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence: a quote of a document, or a relation of it that names every target."""

    path: str
    quote: str
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question, what kind it is, and all that its answer needs; `store` has the gold with bare paths."""

    id: str
    text: str
    category: str
    gold: tuple[Gold, ...]
    store: str = ""


class _WrongValueError(Exception):
    """What is wrong with a value; the file and the line are known further out."""


def read_questions(file: Path) -> tuple[Question, ...]:
    """Read a questions file, a JSON object a line.

    Raises:
        BadFile: It cannot be read, or holds no question.
        BadLine: A line is no question, or has the id of an earlier one.
    """
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for number, row in json_lines(file):
        try:
            question = _question(row, number)
        except _WrongValueError as problem:
            raise BadLine(file, number, str(problem)) from problem
        if question.id in lines:
            raise BadLine(file, number, f"id {question.id!r} was used in line {lines[question.id]}")
        lines[question.id] = number
        questions.append(question)
    if not questions:
        raise BadFile(file, "holds no question; each line is a JSON object with question and gold")
    return tuple(questions)


def json_lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Read the objects of a file of JSON lines with their line numbers, blank lines left out.

    Raises:
        BadFile: It cannot be read.
        BadLine: A line is no JSON object.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(file, error.strerror or "cannot be read") from error
    except UnicodeDecodeError as error:
        raise BadFile(file, f"is not UTF-8 (byte {error.start})") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadLine(file, number, f"is no JSON: {_first_words(error)}") from error
        if not isinstance(row, dict):
            raise BadLine(file, number, 'must be a JSON object, such as {"question": …, "gold": […]}')
        yield number, row


def gold_of(row: Mapping[str, Any]) -> tuple[Gold, ...]:
    """Read the gold of a row.

    Raises:
        ValueError: It is not what it should be; the text says what is.
    """
    try:
        return _all_gold(row)
    except _WrongValueError as problem:
        raise ValueError(str(problem)) from problem


def _question(row: Mapping[str, Any], number: int) -> Question:
    named = row.get("id", f"line-{number}")
    if isinstance(named, bool) or not isinstance(named, str | int):
        raise _WrongValueError("id must be a text")
    text = _text(row, "question")
    try:
        lookup_arguments({"query": text})
    except ArgumentError as error:
        raise _WrongValueError(f"question: {error}") from error
    store = _text(row, "store") if "store" in row else ""
    return Question(str(named), text, _text(row, "category", "other"), _all_gold(row), store)


def _all_gold(row: Mapping[str, Any]) -> tuple[Gold, ...]:
    gold = row.get("gold")
    if not isinstance(gold, list) or not gold:
        raise _WrongValueError('gold must be a list of at least one {"path": …, "quote": …}')
    return tuple(_gold(entry, place) for place, entry in enumerate(gold, 1))


def _gold(entry: object, place: int) -> Gold:
    if not isinstance(entry, dict):
        raise _WrongValueError(f"gold {place} must be an object with path and quote")
    try:
        path, quote = _text(entry, "path"), _text(entry, "quote")
    except _WrongValueError as problem:
        raise _WrongValueError(f"gold {place}: {problem}") from problem
    if not path.startswith(("/", "mark://")):
        raise _WrongValueError(f"gold {place}: path must start with / (the store's root), got {_cut(path)!r}")
    targets = entry.get("targets", [])
    if not isinstance(targets, list) or not all(isinstance(one, str) and one.strip() for one in targets):
        raise _WrongValueError(f"gold {place}: targets must be a list of paths")
    return Gold(path, quote, tuple(targets))


def _text(row: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = row.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise _WrongValueError(f"{key} must be a text that is not empty")
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _first_words(error: Exception) -> str:
    return str(error).splitlines()[0]
