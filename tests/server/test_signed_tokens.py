"""Signed tokens of an issuer: real keys, a real endpoint, and everything that a forger may try."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from mark_server.callers import Caller, CallerError, UnknownToken
from mark_server.key_set import Freshness, KeySet
from mark_server.signed_tokens import SignedTokens
from mark_store import Reader
from tests.server.issuer import AUDIENCE, Issuer, issuing, pem, public, rsa_key, segment
from tests.waiting import until

KEY = rsa_key()
OTHER = rsa_key()
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()
CALM = Freshness()
HURRIED = Freshness(old=3600, pause=0, stale=86_400)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An issuer with a key of each kind."""
    with issuing() as found:
        found.keys = [public(KEY, "one"), public(CURVE, "curve"), public(EDWARDS, "edwards", use="sig")]
        yield found


def callers(issuer: Issuer, freshness: Freshness = CALM, address: str | None = None) -> SignedTokens:
    return SignedTokens(issuer.url, AUDIENCE, KeySet(issuer.url, address, freshness))


async def refused(known: SignedTokens, token: str | None) -> str:
    """The reason that a token gets, which repeats nothing of it."""
    with pytest.raises(CallerError) as caught:
        await known.identify(token)
    reason = str(caught.value)
    assert "\n" not in reason
    for part in (token or "").split("."):
        assert len(part) < 9 or part not in reason
    return reason


@pytest.mark.proves("CA6")
async def test_a_token_of_the_issuer_says_who_calls_and_what_may_be_read(issuer: Issuer) -> None:
    known = callers(issuer)
    host = issuer.url.removeprefix("http://")
    token = issuer.token(KEY, "RS256", scope="mark:read:/docs/** email mark:read:/my%20notes/*.md")
    assert await known.identify(token) == Caller(f"ada@{host}", Reader(("/docs/**", "/my notes/*.md")))
    for key, algorithm, kid in (
        (CURVE, "ES256", "curve"),
        (EDWARDS, "EdDSA", "edwards"),
        (KEY, "PS384", "one"),
    ):
        assert (await known.identify(issuer.token(key, algorithm, kid))).reader == Reader(("/",))
    for scp in ("mark:read", ["x", "mark:read"]):
        claims: dict[str, Any] = {"scope": None, "scp": scp}
        assert (await known.identify(issuer.token(KEY, "RS256", **claims))).reader == Reader(("/",))
    assert issuer.asked == 1
    assert (list(known.issuers), list(known.scopes)) == ([issuer.url], ["mark:read"])


@pytest.mark.proves("CA7")
@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"exp": -31.0}, "the token has expired"),
        ({"exp": None}, "the token lacks one of exp, iss, aud, sub"),
        ({"exp": "soon"}, "the token cannot be read"),
        ({"nbf": 120.0}, "the token is not valid yet"),
        ({"iat": 120.0}, "the token is not valid yet"),
        ({"aud": "https://other.example"}, "the token is made for another audience"),
        ({"aud": None}, "the token lacks one of exp, iss, aud, sub"),
        ({"aud": []}, "the token lacks one of exp, iss, aud, sub"),
        ({"iss": "https://other.example"}, "the token is another issuer's"),
        ({"iss": None}, "the token lacks one of exp, iss, aud, sub"),
        ({"sub": None}, "the token lacks one of exp, iss, aud, sub"),
        ({"sub": 1}, "the token cannot be read"),
        ({"scope": ""}, "the token lets read nothing; it needs a scope mark:read or mark:read:/PATTERN"),
        ({"scope": "mark:readers"}, "the token lets read nothing; "),
        ({"scope": "mark:read:"}, "the token lets read nothing; "),
        ({"scope": "mark:read:docs"}, "the token lets read nothing; "),
        ({"scope": "mark:read:/a mark:read:/../b"}, "the token lets read nothing; "),
        ({"scope": "mark:read:/%2e%2e/b"}, "the token lets read nothing; "),
        ({"scope": 7, "scp": "mark:read"}, "the token lets read nothing; "),
        ({"scope": " ".join(f"mark:read:/{n}" for n in range(101))}, "the token lets read nothing; "),
        ({"scope": "mark:read:/" + "*a" * 5}, "the token lets read nothing; "),
    ],
)
async def test_a_token_that_does_not_say_what_it_must_is_refused(
    issuer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    now = time.time()  # a time of the table counts from here
    claims = {name: int(now + value) if isinstance(value, float) else value for name, value in claims.items()}
    try:
        token = issuer.token(KEY, "RS256", **claims)
    except TypeError:
        # The library does not sign such claims; a hostile issuer does not ask it.
        token = jwt.PyJWS().encode(
            json.dumps(issuer.claims(**claims)).encode(), KEY, "RS256", headers={"kid": "one"}
        )
    assert (await refused(callers(issuer), token)).startswith(reason)


@pytest.mark.proves("CA7")
async def test_a_clock_may_differ_by_half_a_minute(issuer: Issuer) -> None:
    now = int(time.time())
    token = issuer.token(KEY, "RS256", exp=now - 10, nbf=now + 10, iat=now + 10, aud=["x", AUDIENCE])
    assert (await callers(issuer).identify(token)).reader == Reader(("/",))


@pytest.mark.proves("CA7")
async def test_only_signatures_with_a_key_of_the_issuer_count(issuer: Issuer) -> None:
    known, claims = callers(issuer), issuer.claims()
    sound = issuer.token(KEY, "RS256")
    head, body, signature = sound.split(".")
    forged = segment({**claims, "sub": "root"})
    unsigned = f"{segment({'alg': 'none', 'kid': 'one'})}.{body}."
    # `encode` refuses to use a public key as a secret, so the forger signs by hand.
    secret = jwt.encode(claims, "x" * 64, "HS256", headers={"kid": "one"})
    assert await refused(known, f"{head}.{forged}.{signature}") == "the token's signature is wrong"
    assert await refused(known, issuer.token(OTHER, "RS256")) == "the token's signature is wrong"
    assert await refused(known, unsigned) == "the token's algorithm is not allowed"
    assert await refused(known, secret) == "the token's algorithm is not allowed"
    assert await refused(known, _signed_with_the_public_key(issuer)) == "the token's algorithm is not allowed"
    assert (
        await refused(known, issuer.token(KEY, "RS256", "curve")) == "the token's key is none of the issuer's"
    )
    assert (
        await refused(known, issuer.token(KEY, "RS256", "two")) == "the token's key is none of the issuer's"
    )
    for alg in (None, 5, ["RS256"], "rs256", "RS256 "):
        header = segment({"alg": alg, "kid": "one"})
        assert await refused(known, f"{header}.{body}.{signature}") == "the token's algorithm is not allowed"


def _signed_with_the_public_key(issuer: Issuer) -> str:
    import hashlib
    import hmac
    from base64 import urlsafe_b64encode

    signed = f"{segment({'alg': 'HS256', 'kid': 'one'})}.{segment(issuer.claims())}"
    mac = hmac.new(pem(KEY), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


@pytest.mark.proves("CA7")
async def test_what_is_no_token_at_all_is_refused(issuer: Issuer) -> None:
    known = callers(issuer)
    with pytest.raises(UnknownToken):
        await known.identify("mlk_plain")
    head, body, signature = issuer.token(KEY, "RS256").split(".")
    deep = f"{'[' * 3000}"
    critical = segment({"alg": "RS256", "kid": "one", "crit": ["b64"], "b64": True})
    for token in (
        *("..", "a.b.c", f"{head}.{body}.é", f"{head}.{body}.{signature}\x00", "a" * 20_000 + ".b.c"),
        *(f"{segment(5)}.{body}.{signature}", f"{segment({'alg': 'RS256', 'kid': 5})}.{body}.{signature}"),
        *(f"{critical}.{body}.{signature}", f"{segment(deep)}.{body}.{signature}"),
    ):
        assert await refused(known, token) in (
            "the token cannot be read",
            "the token's key is none of the issuer's",
        )
    assert await refused(known, None) == "a bearer token is required"


@pytest.mark.proves("CA7")
async def test_a_key_that_is_weak_private_or_for_encryption_is_not_used(issuer: Issuer) -> None:
    weak = rsa_key(1024)
    whole = jwt.algorithms.RSAAlgorithm.to_jwk(KEY, as_dict=True)
    issuer.keys = [
        public(weak, "weak"),
        {**whole, "kid": "private"},
        public(KEY, "enc", use="enc"),
        public(KEY, "fixed", alg="RS512"),
        {"kty": "oct", "kid": "oct", "k": "c2VjcmV0"},
        {"kty": "RSA", "kid": "broken", "n": "%", "e": 5},
    ]
    known = callers(issuer)
    for kid in ("private", "enc", "fixed", "broken", None):
        reason = await refused(known, issuer.token(KEY, "RS256", kid))
        assert reason == "the token's key is none of the issuer's"
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        token = issuer.token(weak, "RS256", "weak")
    assert await refused(known, token) == "the token's key is none of the issuer's"
    assert (await known.identify(issuer.token(KEY, "RS512", "fixed"))).reader == Reader(("/",))
    assert issuer.asked == 1


@pytest.mark.proves("CA8")
async def test_a_new_key_is_fetched_when_it_is_first_used_and_not_too_often(issuer: Issuer) -> None:
    known = callers(issuer, Freshness(pause=0.3))
    await known.identify(issuer.token(KEY, "RS256"))
    issuer.keys = [public(OTHER, "two")]
    token = issuer.token(OTHER, "RS256", "two")

    async def taken() -> bool:
        try:
            await known.identify(token)
        except CallerError:
            return False
        return True

    assert not await taken()
    assert issuer.asked == 1
    await until(taken)
    assert issuer.asked == 2
    assert await refused(known, issuer.token(KEY, "RS256")) == "the token's key is none of the issuer's"


@pytest.mark.proves("CA8")
async def test_many_callers_at_once_ask_the_issuer_once(issuer: Issuer) -> None:
    known, token = callers(issuer), issuer.token(KEY, "RS256")
    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(known.identify, token)
    assert issuer.asked == 1


@pytest.mark.proves("CA8")
async def test_a_key_that_the_issuer_no_longer_lists_stops_to_count(issuer: Issuer) -> None:
    known, token = callers(issuer, Freshness(old=0, pause=0)), issuer.token(KEY, "RS256")
    await known.identify(token)
    issuer.answers["/keys.json"] = (500, b"")
    await known.identify(token)
    issuer.answers.clear()
    issuer.keys = []
    assert await refused(known, token) == "the token's key is none of the issuer's"
    gone = callers(issuer, Freshness(old=0, pause=0, stale=0))
    issuer.answers["/keys.json"] = (500, b"")
    assert await refused(gone, token) == "the issuer answers with status 500"


@pytest.mark.proves("CA8")
@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"/keys.json": (503, b"")}, "the issuer answers with status 503"),
        ({"/keys.json": (302, b"/other.json")}, "the issuer answers with status 302"),
        ({"/keys.json": (200, b"x")}, "the issuer answers no JSON"),
        ({"/keys.json": (200, b"[" * 5000)}, "the issuer answers no JSON"),
        ({"/keys.json": (200, b"[]")}, "the issuer answers no JSON object"),
        ({"/keys.json": (200, b'{"keys": 5}')}, "the issuer's keys are no key set"),
        (
            {"/keys.json": (200, json.dumps({"keys": [{}] * 101}).encode())},
            "the issuer's keys are no key set",
        ),
        ({"/keys.json": (200, b" " * 300_000)}, "the issuer answers too much"),
        ({"/.well-known/openid-configuration": (404, b"")}, "the issuer does not tell where its keys are"),
        (
            {"/.well-known/openid-configuration": (200, b'{"issuer": "https://x", "jwks_uri": "https://x"}')},
            "the issuer does not tell where its keys are",
        ),
    ],
)
async def test_an_issuer_that_answers_wrong_is_one_reason(
    issuer: Issuer, answers: dict[str, tuple[int, bytes]], reason: str
) -> None:
    issuer.answers = answers
    known, token = callers(issuer), issuer.token(KEY, "RS256")
    assert await refused(known, token) == reason
    assert await refused(known, token) == "the issuer's keys cannot be had now"
    assert issuer.asked <= 1


@pytest.mark.proves("CA8")
async def test_the_metadata_of_oauth_is_asked_first_and_an_address_that_is_given_in_its_place(
    issuer: Issuer,
) -> None:
    token = issuer.token(KEY, "RS256")
    issuer.answers["/.well-known/openid-configuration"] = (404, b"")
    about = {"issuer": issuer.url, "jwks_uri": f"{issuer.url}/keys.json"}
    issuer.answers["/.well-known/oauth-authorization-server"] = (200, json.dumps(about).encode())
    assert (await callers(issuer).identify(token)).name.startswith("ada@")
    issuer.answers["/.well-known/oauth-authorization-server"] = (404, b"")
    known = callers(issuer, address=f"{issuer.url}/keys.json")
    assert (await known.identify(token)).name.startswith("ada@")


@pytest.mark.proves("CA8")
async def test_an_issuer_that_is_away_or_silent_is_one_reason(issuer: Issuer) -> None:
    token = issuer.token(KEY, "RS256")
    nowhere = KeySet(issuer.url, "http://127.0.0.1:9/keys.json")
    assert await refused(SignedTokens(issuer.url, AUDIENCE, nowhere), token) == "the issuer cannot be reached"
    issuer.silent = threading.Event()
    started = time.monotonic()
    reason = await refused(callers(issuer, HURRIED), token)
    assert reason in ("the issuer does not answer", "the issuer cannot be reached")
    assert time.monotonic() - started < 8


@pytest.mark.proves("CA8")
async def test_a_token_without_a_key_s_id_is_that_of_the_only_one(issuer: Issuer) -> None:
    issuer.keys = [public(KEY, "one"), public(CURVE, "curve")]
    known = callers(issuer, HURRIED)
    await known.identify(issuer.token(KEY, "RS256", None))
    issuer.keys.append(public(OTHER, "two"))
    fresh = callers(issuer, HURRIED)
    assert await refused(fresh, issuer.token(KEY, "RS256", None)) == "the token's key is none of the issuer's"
