"""Who calls: what a surface that takes calls of several people asks of whoever knows them.

How a caller is known is left to the classes that keep `Callers`: `token_file` and `signed_tokens`.
"""

from __future__ import annotations

from collections.abc import Sequence
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


class UnknownToken(CallerError):  # noqa: N818 - it says what happened, as the errors of the stores do
    """The token is none of those that are known here; somebody else may know it."""


class ScopeMissing(CallerError):  # noqa: N818 - as above
    """The caller is known, and the token lets read nothing here."""


class Callers(Protocol):
    """Those who may call."""

    @property
    def issuers(self) -> Sequence[str]:
        """The issuers whose signed tokens are taken, for the metadata of the resource."""
        ...

    @property
    def scopes(self) -> Sequence[str]:
        """The scopes that a signed token may name, for the metadata of the resource."""
        ...

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents this bearer token; None when none was presented.

        Raises:
            CallerError: A token is missing, unknown or expired.
        """
        ...


class Anyone:
    """Every caller, with or without a token, may read everything: for loopback only."""

    issuers: Sequence[str] = ()
    scopes: Sequence[str] = ()

    async def identify(self, token: str | None) -> Caller:  # noqa: ARG002 - the protocol's own signature
        """Welcome whoever calls."""
        return Caller("anyone", EVERYTHING)


class Together:
    """Callers of several kinds: each is asked in turn until one knows the token."""

    def __init__(self, kinds: Sequence[Callers]) -> None:
        self._kinds = tuple(kinds)

    @property
    def issuers(self) -> Sequence[str]:
        """The issuers of all kinds."""
        return [issuer for kind in self._kinds for issuer in kind.issuers]

    @property
    def scopes(self) -> Sequence[str]:
        """The scopes of all kinds."""
        return [scope for kind in self._kinds for scope in kind.scopes]

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents this token.

        Raises:
            CallerError: A token is missing, known to nobody, or refused by who knows it.
        """
        *others, last = self._kinds
        for kind in others:
            try:
                return await kind.identify(token)
            except UnknownToken:
                continue
        return await last.identify(token)
