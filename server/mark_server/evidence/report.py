"""A run as one JSON value: what it was made of, its figures, and every answer, so that runs can be compared.

Its format is documented in docs/evidence.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from mark_server.evidence.answers import Answer, Miss
from mark_server.evidence.errors import BadFile
from mark_server.evidence.fingerprints import Fingerprints
from mark_server.evidence.measures import figures
from mark_server.evidence.policies import Read, costs

FORMAT = 1

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Run:
    """One run: a name for its setting, when it was made (ISO 8601 UTC), and all that was measured.

    `stores` are the limits of several stores, by name.
    """

    setting: Mapping[str, Any]
    made: str
    fingerprints: Fingerprints
    answers: tuple[Answer, ...]
    reads: tuple[Read, ...] = ()
    stores: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The setting in words; `default` when nothing was set."""
        return ", ".join(f"{key}={value}" for key, value in self.setting.items()) or "default"


def to_json(runs: Sequence[Run]) -> str:
    """Give the report of one run, or of several settings run in one go."""
    value: object = _value(runs[0]) if len(runs) == 1 else {"format": FORMAT, "runs": [*map(_value, runs)]}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _value(run: Run) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "setting": dict(run.setting),
        "made": run.made,
        "stores": dict(run.stores),
        **asdict(run.fingerprints),
        "figures": [asdict(one) for one in figures(run.answers)],
        "policies": [asdict(one) for one in costs(run.reads)],
        "answers": [asdict(one) for one in run.answers],
        "reads": [asdict(one) for one in run.reads],
    }


def read_run(file: Path) -> Run:
    """Read the report of one run.

    Raises:
        BadFile: It cannot be read, or is no report of one run.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(file, error.strerror or "cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise BadFile(file, "is no JSON report") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadFile(file, f"is no report of this format ({FORMAT})")
    if "runs" in value:
        raise BadFile(file, "holds several runs; compare reports of one run each")
    try:
        return Run(
            value["setting"],
            value["made"],
            _as(Fingerprints, value),
            tuple(_answer(one) for one in value["answers"]),
            tuple(_as(Read, one) for one in value["reads"]),
            value.get("stores", {}),
        )
    except (KeyError, TypeError) as error:
        raise BadFile(file, f"is no report of this format ({FORMAT}): {error} is missing or wrong") from error


def _answer(value: Mapping[str, Any]) -> Answer:
    return _as(Answer, {**value, "misses": tuple(_as(Miss, one) for one in value["misses"])})


def _as(made: type[_Made], value: Mapping[str, Any]) -> _Made:
    # A report of an earlier build lacks what was not measured then.
    return made(**{one.name: value[one.name] for one in fields(made) if one.name in value})  # type: ignore[arg-type]  # a dataclass
