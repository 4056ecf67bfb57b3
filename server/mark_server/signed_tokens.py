"""Callers with a signed token (a JWT, RFC 9068) of one issuer: what it must say, and what it lets read.

The issuer's keys are `key_set`'s, what a scope means is `scopes`'. PyJWT checks signature and claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import jwt
from jwt import PyJWTError

from mark_expand import one_line
from mark_server.callers import Caller, CallerError, ScopeMissing, UnknownToken
from mark_server.key_set import ALGORITHMS, KeySet, NoKeys
from mark_server.scopes import READ, granted

# Clocks of two machines differ.
_LEEWAY_SECONDS = 30
_LONGEST = 16_384
_LONGEST_NAME = 100
_REQUIRED = ["exp", "iss", "aud", "sub"]
_REASONS: tuple[tuple[type[PyJWTError], str], ...] = (
    (jwt.ExpiredSignatureError, "the token has expired"),
    (jwt.ImmatureSignatureError, "the token is not valid yet"),
    (jwt.InvalidAudienceError, "the token is made for another audience"),
    (jwt.InvalidIssuerError, "the token is another issuer's"),
    (jwt.MissingRequiredClaimError, "the token lacks one of exp, iss, aud, sub"),
    (jwt.InvalidSignatureError, "the token's signature is wrong"),
    (PyJWTError, "the token cannot be read"),
)


class SignedTokens:
    """Callers by the tokens that an issuer signs for an audience."""

    scopes: Sequence[str] = (READ,)

    def __init__(self, issuer: str, audience: str, keys: KeySet) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys
        self._host = urlsplit(issuer).netloc

    @property
    def issuers(self) -> Sequence[str]:
        """The one issuer."""
        return (self._issuer,)

    async def identify(self, token: str | None) -> Caller:
        """Tell who presents this token.

        Raises:
            UnknownToken: It is no signed token.
            ScopeMissing: It is sound, and none of its scopes lets read anything.
            CallerError: It is missing, or does not say what it must; or the issuer's keys cannot be had.
        """
        if token is None:
            raise CallerError("a bearer token is required")
        claims = await self._claims(token)
        reader = granted(_scopes(claims))
        if reader is None:
            raise ScopeMissing(f"the token lets read nothing; it needs a scope {READ} or {READ}:/PATTERN")
        name = one_line(str(claims["sub"]))[:_LONGEST_NAME]
        return Caller(f"{name}@{self._host}", reader)

    async def _claims(self, token: str) -> dict[str, Any]:
        kid, algorithm = _header(token)
        try:
            key = await self._keys.find(kid, algorithm)
        except NoKeys as error:
            raise CallerError(str(error)) from None
        if key is None:
            raise CallerError("the token's key is none of the issuer's")
        try:
            return jwt.decode(
                token,
                key,
                [algorithm],
                options={"require": _REQUIRED},
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
            )
        except PyJWTError as error:
            raise CallerError(next(text for kind, text in _REASONS if isinstance(error, kind))) from None


def _header(token: str) -> tuple[str | None, str]:
    """The key's id and the algorithm that a token names, of those that are allowed."""
    if token.count(".") != 2:
        raise UnknownToken("the token is not known here")
    if len(token) > _LONGEST or not token.isascii():
        raise CallerError("the token cannot be read")
    try:
        header = jwt.get_unverified_header(token)
    except PyJWTError:
        raise CallerError("the token cannot be read") from None
    kid, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise CallerError("the token's algorithm is not allowed")
    if not (kid is None or isinstance(kid, str)) or "crit" in header:
        raise CallerError("the token cannot be read")
    return kid, algorithm


def _scopes(claims: dict[str, Any]) -> list[str]:
    """The scopes of RFC 9068's `scope`, a text, or of `scp`, a text or a list, that others use."""
    found = claims.get("scope", claims.get("scp", ""))
    if isinstance(found, str):
        return found.split(" ")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
