"""Who calls: what a surface that takes calls of several people asks of whoever knows them.

How a caller is known (a file of tokens, an issuer of signed ones) is left to the classes that keep `Callers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mark_store import EVERYTHING, Reader


@dataclass(frozen=True, slots=True)
class Caller:
    """One who may call: a name for logs and rate limits, never a token, and what may be read."""

    name: str
    reader: Reader


class CallerError(Exception):
    """No caller is known by what was presented; the text says why in one line and holds no part of it."""


class Callers(Protocol):
    """Those who may call."""

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents this bearer token; None when none was presented.

        Raises:
            CallerError: A token is missing, unknown or expired.
        """
        ...


class Anyone:
    """Every caller, with or without a token, may read everything: for loopback only."""

    async def identify(self, token: str | None) -> Caller:  # noqa: ARG002 - the protocol's own signature
        """Welcome whoever calls."""
        return Caller("anyone", EVERYTHING)
