"""The same questions under several policies: the settings of each, from those that are configured.

What a policy does is `mark_expand`'s, what was measured `measures`'.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import get_args

from mark_expand import PolicyName
from mark_server.checks import ArgumentError, shown
from mark_server.choosing import check_policy
from mark_server.evidence.choices import Choice
from mark_server.mount import Mount

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


def contestants(names: str, choice: Choice) -> list[Choice]:
    """Give a setting for each of the policies, divided by commas.

    Weights, caps, floors and minimums are those of the stores. Shares are for `slots` alone, equal ones where
    none are configured; `everything` prints as far as it fits; `beta` is for `knapsack` alone.

    Raises:
        ArgumentError: There is no such policy, or it cannot keep the limits of the stores.
    """
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",")))
    known = [policy for name in wanted for policy in POLICIES if policy == name]
    if len(known) < len(wanted):
        raise ArgumentError(
            f"--policies must be some of {', '.join(POLICIES)}, divided by commas, got {shown(names)}; "
            "for example --policies rank,knapsack"
        )
    return [under(policy, choice) for policy in known]


def under(policy: PolicyName, choice: Choice) -> Choice:
    """Give a setting under another policy.

    Raises:
        ArgumentError: The policy cannot keep the limits of the stores.
    """
    settings = choice.settings
    changed = replace(
        settings,
        policy=policy,
        stores=_shared(settings.stores) if policy == "slots" else _unshared(settings.stores),
        truncate=policy == "everything",
        beta=settings.beta if policy == "knapsack" else 0.0,
        calibration="blend" if policy == "rank" else settings.calibration,
    )
    check_policy(changed)
    return replace(choice, named={**choice.named, "policy": policy}, settings=changed)


def _shared(stores: tuple[Mount, ...]) -> tuple[Mount, ...]:
    if any(store.share for store in stores):
        return stores
    return tuple(replace(store, share=Fraction(1, len(stores))) for store in stores)


def _unshared(stores: tuple[Mount, ...]) -> tuple[Mount, ...]:
    return tuple(replace(store, share=None) for store in stores)
