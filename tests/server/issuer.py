"""A real issuer of signed tokens on loopback, with real keys, that answers as a test tells it to."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "https://marks.example.org/mcp"

Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


def public(key: Private, kid: str, **more: str) -> dict[str, Any]:
    """A public key as a key set lists it."""
    match key:
        case rsa.RSAPrivateKey():
            found = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        case ec.EllipticCurvePrivateKey():
            found = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
        case ed25519.Ed25519PrivateKey():
            found = OKPAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**{name: value for name, value in found.items() if name != "key_ops"}, "kid": kid, **more}


def pem(key: Private) -> bytes:
    """A public key as a text, which a careless server would take for a shared secret."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def segment(value: object) -> str:
    """One part of a token, unsigned."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@dataclass
class Issuer:
    """What the issuer lists and how it answers; `asked` counts the requests for its keys."""

    url: str = ""
    keys: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: int = 0
    silent: threading.Event | None = None

    def claims(self, **more: object) -> dict[str, Any]:
        """The claims of a token that reads everything for a minute."""
        now = int(time.time())
        made = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ada",
            "iat": now,
            "exp": now + 60,
            "scope": "openid mark:read",
        }
        return {name: value for name, value in {**made, **more}.items() if value is not None}

    def token(self, key: Any, algorithm: str, kid: str | None = "one", **more: Any) -> str:
        """A signed token; a claim that is None is left out."""
        headers = {} if kid is None else {"kid": kid}
        return jwt.encode(self.claims(**more), key, algorithm, headers=headers)

    def answer(self, path: str) -> tuple[int, bytes]:
        """Status and body for a path."""
        if path == "/keys.json":
            self.asked += 1
            if self.silent is not None:
                self.silent.wait(30)
        if path in self.answers:
            return self.answers[path]
        if path == "/keys.json":
            return 200, json.dumps({"keys": self.keys}).encode()
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys.json"}).encode()
        return 404, b"no such page"


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer for as long as the block lasts."""
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = issuer.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if status == 302:
                self.send_header("Location", body.decode())
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        if issuer.silent is not None:
            issuer.silent.set()
        server.shutdown()
        server.server_close()
        thread.join()
