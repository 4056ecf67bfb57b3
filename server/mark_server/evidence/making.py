"""Makes one run: opens a store once per unit, asks everything, and puts the fingerprints beside the figures.

Reading options and printing are `evaluating`'s; the benchmark makes its runs here too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from mark_server.desk import Desk
from mark_server.evidence.answers import Answer
from mark_server.evidence.asking import Plan, ask_all
from mark_server.evidence.choices import Choice
from mark_server.evidence.fingerprints import fingerprints
from mark_server.evidence.holders import unfindable
from mark_server.evidence.policies import Policy, Read, read_all
from mark_server.evidence.progress import Progress
from mark_server.evidence.questions import Question
from mark_server.evidence.report import Run
from mark_server.mount import Mount
from mark_server.opening import at_desk
from mark_server.settings import Settings
from mark_server.terminal import warn

UNITS = ("o200k_base", "bytes")


@dataclass(frozen=True, slots=True)
class Making:
    """What a run asks: in which units, with which budgets, under which reader policies.

    `misses` and `follow` are those of a `Plan`.
    """

    units: Sequence[str]
    budgets: Sequence[int]
    misses: bool = False
    policies: Sequence[Policy] = ()
    reader_budget: int = 1500
    follow: bool = True


async def make_run(making: Making, choice: Choice, file: Path, questions: Sequence[Question]) -> Run:
    """Ask the questions of `file` under one setting.

    Raises:
        ArgumentError: An argument of the setting is wrong.
        StoreError: The store cannot be opened, or cannot answer.
    """
    answers: list[Answer] = []
    reads: list[Read] = []
    plan = Plan(making.budgets, choice.arguments, misses=making.misses, follow=making.follow)

    async def measure(desk: Desk) -> None:
        unit = desk.counter.encoding
        warn(f"eval: indexing for {unit} …")
        await desk.ready(math.inf)
        # Figures over fewer stores than were asked for would be figures of something else.
        for missing in (await desk.store.lookup("any", limit=1, reader=desk.reader)).failed:
            raise missing.error
        with Progress(unit, len(questions) * len(plan.budgets)) as progress:
            answers.extend(await ask_all(desk, questions, plan, progress.step))
        # Once is enough: neither the documents nor the policies change with the unit.
        if unit == making.units[0]:
            reads.extend(await _read(desk, questions, making))

    for unit in making.units:
        await at_desk(replace(choice.settings, encoding=unit), measure)
    return Run(
        setting=choice.named,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprints=fingerprints(file, _folders(choice.settings)),
        answers=tuple(answers),
        reads=tuple(reads),
        stores={mount.name: _limits(mount) for mount in choice.settings.stores},
    )


def _folders(settings: Settings) -> dict[str, Path]:
    return {mount.name: Path(mount.address) for mount in settings.stores} or {"": Path(settings.store)}


def _limits(mount: Mount) -> dict[str, object]:
    limits = {name: getattr(mount, name) for name in ("weight", "cap", "minimum", "floor", "pins")}
    return {**limits, "share": None if mount.share is None else str(mount.share)}


async def _read(desk: Desk, questions: Sequence[Question], making: Making) -> list[Read]:
    for line in await unfindable(desk, questions):
        warn(f"warning: {line}")
    if not making.policies:
        return []
    with Progress("reader policies", len(questions) * len(making.policies)) as progress:
        return await read_all(desk, questions, making.policies, making.reader_budget, progress.step)
