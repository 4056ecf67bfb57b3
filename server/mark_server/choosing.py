"""Which policy chooses among the rows of a lookup, from the settings: its object, its limits, its refusals.

How it chooses is `mark_expand`'s. One store under `rank` needs no choice at all, and gets none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from mark_expand import (
    DoesNotFit,
    Everything,
    FixedSlots,
    Policy,
    RankOrder,
    RowChoice,
    ScoredKnapsack,
    SelectionLimits,
    SourceLimits,
    Trace,
    WrongLimit,
    choose_rows,
)
from mark_outline import authority, spellings
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.settings import Settings
from mark_store import Row


def chosen(desk: Desk, rows: Sequence[Row], budget: int, scope: str) -> RowChoice | None:
    """Let the configured policy choose among the rows of a `scope`; None where they stay as they are.

    Raises:
        ArgumentError: The policy cannot keep the limits; one line.
    """
    settings = desk.settings
    if _is_plain(settings):
        return None
    limits = SelectionLimits(
        budget, _asked(desk, scope), near=settings.near, order=settings.order, counter=desk.counter
    )
    try:
        policy = _policy(settings, truncate=True)
        choice = choose_rows(rows, policy, limits, desk.counter.units(budget), authority)
    except WrongLimit as error:
        raise ArgumentError(f"policy {settings.policy}: {error}") from None
    except DoesNotFit as error:
        raise ArgumentError(f"policy {settings.policy}: {error}; give a larger budget") from None
    return choice


def check_complete(desk: Desk, trace: Trace) -> None:
    """See to it that the policy `everything` left nothing out, unless it truncates.

    Raises:
        ArgumentError: A row did not fit; one line that lists locations and tokens.
    """
    if desk.settings.policy != "everything" or desk.settings.truncate:
        return
    rows = [entry for entry in trace.entries if entry.origin == "row"]
    lacking = {entry.reason for entry in rows if entry.outcome == "omitted"} - {"empty"}
    if lacking == {"budget"}:
        sizes = [(entry.location, entry.tokens) for entry in rows if entry.outcome != "covered"]
        beside = trace.table_tokens + trace.reserve_tokens
        error = DoesNotFit(f"policy everything, beside {beside} for table and notes", sizes, trace.budget)
        # The table may take more of a larger budget (B7), and not every size is known.
        known = beside + sum(tokens or 0 for _, tokens in sizes)
        enough = max(trace.budget * 2, known * 11 // 10)
        raise ArgumentError(f"{error}; for example budget={enough}, or a smaller limit")
    if lacking:
        raise ArgumentError(
            f"policy everything: rows were left out ({', '.join(sorted(lacking))}); for example limit=5"
        )


def check_policy(settings: Settings) -> None:
    """See to it that the policy can keep the limits of the stores, before anything is opened.

    Raises:
        ArgumentError: It cannot; one line.
    """
    try:
        policy = _policy(settings, truncate=settings.truncate)
        policy.select([], SelectionLimits(1, _sources(settings), near=settings.near))
    except WrongLimit as error:
        raise ArgumentError(f"policy {settings.policy}: {error}") from None
    if settings.beta and settings.policy != "knapsack":
        raise ArgumentError(f"beta must be 0 with the policy {settings.policy}, got {settings.beta:g}")
    if settings.truncate and settings.policy != "everything":
        raise ArgumentError(f"truncate must be false with the policy {settings.policy}, got true")
    if settings.policy == "rank" and settings.calibration != "blend":
        raise ArgumentError(
            f"calibration must be left out with the policy rank, got {settings.calibration}; "
            "for example policy=knapsack"
        )


def _is_plain(settings: Settings) -> bool:
    """Tell whether rank order alone decides: no policy, no limit of a store, and near copies stay."""
    if settings.policy != "rank" or settings.near != "flag" or len(settings.stores) > 1:
        return False
    return all(source == SourceLimits(source.name, source.weight) for source in _sources(settings))


def _sources(settings: Settings) -> tuple[SourceLimits, ...]:
    return tuple(
        SourceLimits(one.name, one.weight, one.cap, one.minimum, one.floor, one.share, one.pins)
        for one in settings.stores
    )


def _asked(desk: Desk, scope: str) -> tuple[SourceLimits, ...]:
    """Give the limits of the stores; pins only of those that a scope names, and that the caller may read."""
    host = authority(scope)

    def is_open(store: str, pin: str) -> bool:
        return host in ("", store) and desk.reader.may_read(f"mark://{store}{spellings(pin)[0].path}")

    return tuple(
        replace(source, pins=tuple(pin for pin in source.pins if is_open(source.name, pin)))
        for source in _sources(desk.settings)
    )


def _policy(settings: Settings, *, truncate: bool) -> Policy:
    match settings.policy:
        case "rank":
            return RankOrder()
        case "knapsack":
            return ScoredKnapsack(settings.beta, settings.calibration)
        case "slots":
            return FixedSlots(settings.calibration)
        case "everything":
            return Everything(truncate, settings.calibration)
        case _:
            assert_never(settings.policy)
