"""Makes the callers that the settings name: of a token file, of an issuer, or both.

What each of them does is in files of their own; that nobody is needed on loopback is the HTTP surface's.
"""

from __future__ import annotations

from mark_server.callers import Anyone, Callers, Together
from mark_server.checks import ArgumentError
from mark_server.key_set import KeySet
from mark_server.settings import Settings
from mark_server.signed_tokens import SignedTokens
from mark_server.token_entries import TokenFileError
from mark_server.token_file import Tell, TokenFile


def known_callers(settings: Settings, tell: Tell) -> Callers:
    """Give those who may call; `Anyone` when nobody is configured. `tell` is given lines for the log.

    Raises:
        ArgumentError: The token file cannot be used, or an issuer has no audience.
    """
    kinds: list[Callers] = []
    if settings.tokens is not None:
        try:
            kinds.append(TokenFile(settings.tokens, tell))
        except TokenFileError as error:
            raise ArgumentError(f"{settings.tokens}: {error}") from None
    if settings.issuer is not None:
        if settings.audience is None:
            raise ArgumentError(
                "issuer needs an audience, the name that its tokens are made for; give --audience"
            )
        keys = KeySet(settings.issuer, settings.jwks)
        kinds.append(SignedTokens(settings.issuer, settings.audience, keys))
    if not kinds:
        return Anyone()
    return Together(kinds)
