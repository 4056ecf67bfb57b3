"""The public keys of an issuer, fetched over HTTPS and kept for a while.

What a token signed with one of them says is `signed_tokens`'. What is fetched is bounded in size and time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from mark_server.kinds import is_url

# Algorithms with a public key alone: with a shared one, whoever can check could also sign.
ALGORITHMS: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
_LARGEST = 256_000
_SECONDS = 5.0
_MOST_KEYS = 100
_SHORTEST_RSA = 2048


class NoKeys(Exception):  # noqa: N818 - it says what is missing
    """The keys of the issuer cannot be had; the text says why in one line."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """For how long keys are believed, in seconds.

    They are asked for again when they are `old`, and for an unknown one, but not twice within `pause`; when
    the issuer does not answer they count until they are `stale`.
    """

    old: float = 3600
    pause: float = 10
    stale: float = 86_400


class KeySet:
    """The keys of one issuer, by id; `address` is where they are, None asks the issuer's metadata for it."""

    def __init__(self, issuer: str, address: str | None, freshness: Freshness = Freshness()) -> None:
        self._issuer = issuer
        self._address = address
        self._freshness = freshness
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._fetched = self._tried = -float("inf")
        self._one = anyio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """Give the key of this id for this algorithm; without an id the only one that fits.

        Raises:
            NoKeys: No keys were ever had, or those that were are stale.
        """
        key = None if self._age() > self._freshness.old else self._known(kid, algorithm)
        if key is not None:
            return key
        async with self._one:
            await self._refresh()
        return self._known(kid, algorithm)

    def _age(self) -> float:
        return time.monotonic() - self._fetched

    def _known(self, kid: str | None, algorithm: str) -> PyJWK | None:
        fitting = [key for key in self._keys if _fits(key, kid, algorithm)]
        return _made(fitting[0], algorithm) if len(fitting) == 1 else None

    async def _refresh(self) -> None:
        """Ask for the keys, unless that was just done; who waited for the lock finds them."""
        if time.monotonic() - self._tried < self._freshness.pause:
            self._expect_fresh(NoKeys("the issuer's keys cannot be had now"))
            return
        self._tried = time.monotonic()
        try:
            with anyio.fail_after(_SECONDS):
                self._keys = await self._fetch()
            self._fetched = time.monotonic()
        except NoKeys as error:
            self._expect_fresh(error)
        except TimeoutError:
            self._expect_fresh(NoKeys("the issuer does not answer"))

    def _expect_fresh(self, otherwise: NoKeys) -> None:
        if self._age() > self._freshness.stale:
            self._keys = ()
            raise otherwise

    async def _fetch(self) -> Sequence[Mapping[str, Any]]:
        async with httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client:
            address = self._address or await self._asked(client)
            listed = (await _document(client, address)).get("keys")
        if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
            raise NoKeys("the issuer's keys are no key set")
        return [key for key in listed if isinstance(key, dict)]

    async def _asked(self, client: httpx2.AsyncClient) -> str:
        """Where the keys are, by the metadata of RFC 8414 or else OpenID Connect."""
        parts = urlsplit(self._issuer)
        root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        places = (
            f"{root}/.well-known/oauth-authorization-server{path}",
            f"{root}{path}/.well-known/openid-configuration",
        )
        for place in places:
            try:
                metadata = await _document(client, place)
            except NoKeys:
                continue
            address = metadata.get("jwks_uri")
            if metadata.get("issuer") == self._issuer and self._may_ask(address):
                return str(address)
        raise NoKeys("the issuer does not tell where its keys are")

    def _may_ask(self, address: object) -> bool:
        """Whether keys may be there: at an https address, or on this machine where the issuer is, too."""
        return is_url(address) and (self._issuer.startswith("http:") or str(address).startswith("https:"))


async def _document(client: httpx2.AsyncClient, address: str) -> dict[str, Any]:
    """A JSON object; nothing of what went wrong is repeated but its kind."""
    raw = bytearray()
    try:
        async with client.stream("GET", address, headers={"Accept": "application/json"}) as response:
            if response.status_code != 200:
                raise NoKeys(f"the issuer answers with status {response.status_code}")
            async for piece in response.aiter_bytes():
                raw += piece
                if len(raw) > _LARGEST:
                    raise NoKeys("the issuer answers too much")
        found = json.loads(bytes(raw))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        raise NoKeys("the issuer cannot be reached") from None
    except (ValueError, RecursionError):
        raise NoKeys("the issuer answers no JSON") from None
    if not isinstance(found, dict):
        raise NoKeys("the issuer answers no JSON object")
    return found


def _fits(key: Mapping[str, Any], kid: str | None, algorithm: str) -> bool:
    """Whether a key is this one, is of the algorithm's kind, and is for signatures."""
    named = kid is None or key.get("kid") == kid
    kind = key.get("kty") == ALGORITHMS[algorithm] and key.get("alg", algorithm) == algorithm
    return named and kind and key.get("use", "sig") == "sig"


def _made(key: Mapping[str, Any], algorithm: str) -> PyJWK | None:
    """A key that can check; None for one that is broken or too short."""
    try:
        made = PyJWK(dict(key), algorithm)
    except PyJWTError:
        return None
    short = isinstance(made.key, RSAPublicKey) and made.key.key_size < _SHORTEST_RSA
    return None if short or hasattr(made.key, "private_bytes") else made
