"""Where a Mark server is reached over HTTPS: its address, checked, and the certificates that are believed.

Plain HTTP is for this machine alone, and an unchecked certificate for the one address that says so.
"""

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from .errors import BadQuery

ROUTE = "/mark"
_ALLOWED = "https://HOST[:PORT][/PREFIX], or http:// for this machine (127.0.0.1, ::1, localhost)"


@dataclass(frozen=True, slots=True)
class HttpsAddress:
    """A server's address: `url` is where questions are posted, `place` how it is called in messages."""

    url: str
    place: str
    host: str
    loopback: bool
    encrypted: bool


def https_address(text: str) -> HttpsAddress:
    """Read an address.

    Raises: BadQuery.

    >>> https_address("https://Docs.Example:8443/wiki/").url
    'https://docs.example:8443/wiki/mark'
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadQuery("address", _shown(text), _ALLOWED) from error
    host = (parts.hostname or "").lower()
    odd = parts.query or parts.fragment or parts.username is not None or any(part <= " " for part in text)
    loopback = _is_loopback(host)
    allowed = parts.scheme == "https" or (parts.scheme == "http" and loopback)
    if not host or not host.isascii() or odd or not allowed:
        raise BadQuery("address", _shown(text), _ALLOWED)
    shown = f"[{host}]" if ":" in host else host
    place = f"{shown}:{port}" if port else shown
    url = f"{parts.scheme}://{place}{parts.path.rstrip('/')}{ROUTE}"
    try:
        httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise BadQuery("address", _shown(text), _ALLOWED) from error
    return HttpsAddress(url, place, host, loopback, parts.scheme == "https")


def trust(ca: Path | None, insecure: bool) -> ssl.SSLContext:
    """Whom to believe: the system's authorities, those in the file `ca` alone, or (`insecure`) anybody.

    Raises: BadQuery, when the file holds no certificates.
    """
    try:
        context = ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise BadQuery("ca", str(ca), "a file of certificates (PEM) that can be read") from error
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(text: str) -> str:
    """The address without what may be a password."""
    return text.rpartition("@")[2][:200]
