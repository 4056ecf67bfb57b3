"""Recorded calls: a tool and its arguments a line, and where known the gold that the answer should hold.

Making the calls again is `replay`'s part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mark_server.evidence.errors import BadFile, BadLine
from mark_server.evidence.questions import Gold, Question, gold_of, json_lines


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call as a client made it."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    gold: tuple[Gold, ...] = ()


def read_calls(file: Path) -> tuple[Recorded, ...]:
    """Read recorded calls.

    Raises:
        BadFile: The file cannot be read, or holds no call.
        BadLine: A line is no call.
    """
    calls = tuple(_call(file, number, row) for number, row in json_lines(file))
    if not calls:
        raise BadFile(file, "holds no call; each line is a JSON object with tool and arguments")
    return calls


def record(
    questions: Sequence[Question], budgets: Sequence[int], arguments: Mapping[str, Any]
) -> Iterator[str]:
    """Give the lines of the lookups of a run."""
    for question in questions:
        for budget in budgets:
            call = {
                "id": f"{question.id} at {budget}",
                "tool": "mark_lookup",
                "arguments": {**arguments, "query": question.text, "budget": budget},
                "gold": [asdict(one) for one in question.gold],
            }
            yield json.dumps(call, ensure_ascii=False) + "\n"


def _call(file: Path, number: int, row: Mapping[str, Any]) -> Recorded:
    tool, arguments = row.get("tool"), row.get("arguments", {})
    if not isinstance(tool, str) or not tool:
        raise BadLine(file, number, "tool must be the name of a tool, such as mark_lookup")
    if not isinstance(arguments, dict):
        raise BadLine(file, number, 'arguments must be an object, such as {"query": …}')
    try:
        gold = gold_of(row) if "gold" in row else ()
    except ValueError as error:
        raise BadLine(file, number, str(error)) from error
    return Recorded(str(row.get("id", f"line-{number}")), tool, arguments, gold)
