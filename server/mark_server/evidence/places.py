"""Where the gold of a question is, when several stores are asked at once.

A path is whole there, `mark://name/path`; a question with `store` may give bare ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from mark_outline import authority, decode
from mark_server.evidence.errors import BadFile
from mark_server.evidence.questions import Gold, Question


def placed(file: Path, questions: Sequence[Question], names: Collection[str]) -> tuple[Question, ...]:
    """Give the questions of a file with whole paths of gold; as they are where no stores have names.

    Raises:
        BadFile: A path names none of the stores.
    """
    if not names:
        return tuple(questions)
    return tuple(
        replace(question, gold=tuple(_placed(file, question, gold, names) for gold in question.gold))
        for question in questions
    )


def _placed(file: Path, question: Question, gold: Gold, names: Collection[str]) -> Gold:
    store = authority(decode(gold.path)) or question.store
    if store not in names:
        what = f"names the store {store!r}" if store else "is bare, and the question has no store"
        allowed = f"the stores are {', '.join(names)}"
        raise BadFile(file, f"{question.id}: the path {gold.path} {what}; {allowed}")
    whole = gold.path if not gold.path.startswith("/") else f"mark://{store}{gold.path}"
    return replace(gold, path=whole)
