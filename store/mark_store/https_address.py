"""Where a Mark server is reached over HTTPS: its address, checked, and the certificates that are believed.

Plain HTTP is for this machine alone, and an unchecked certificate for the one address that says so. What a
token is and where it comes from is `mark_server`'s; it goes to this address and nowhere else.
"""

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from .errors import BadAddress
from .mark_address import variable_for

ROUTE = "/mark"
_FORM = "give https://host, https://host:port or https://host/path; http:// is for this machine alone"
_SCHEMES = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class HttpsAddress:
    """A server's address: `url` is where requests are posted, `place` how errors name it.

    `authority` is what `mark://` addresses of the server begin with, without the port and path of HTTPS.
    """

    url: str
    place: str
    authority: str
    loopback: bool
    encrypted: bool

    @property
    def variable(self) -> str:
        """The environment's name for this server's token.

        >>> https_address("https://docs.example:8443/wiki").variable
        'MARKLOOKUP_TOKEN_DOCS_EXAMPLE_8443'
        """
        return variable_for(self.place.partition("://")[2].partition("/")[0])


def is_https_address(store: str) -> bool:
    """Whether a store's address is that of a server over HTTPS, or over HTTP."""
    return store.lower().startswith(_SCHEMES)


def https_address(text: str) -> HttpsAddress:
    """Read an address.

    Raises: BadAddress.

    >>> https_address("https://Docs.Example:8443/wiki/").url
    'https://docs.example:8443/wiki/mark'
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _bad(text) from error
    host = (parts.hostname or "").lower()
    odd = parts.query or parts.fragment or parts.username is not None or any(part <= " " for part in text)
    loopback = _is_loopback(host)
    allowed = parts.scheme == "https" or (parts.scheme == "http" and loopback)
    if not host or not host.isascii() or odd or not allowed:
        raise _bad(text)
    shown = f"[{host}]" if ":" in host else host
    authority = f"{shown}:{port}" if port else shown
    place = f"{parts.scheme}://{authority}{parts.path.rstrip('/')}"
    try:
        httpx2.URL(place)
    except httpx2.InvalidURL as error:
        raise _bad(text) from error
    return HttpsAddress(place + ROUTE, place, shown, loopback, parts.scheme == "https")


def trust(ca: Path | None, insecure: bool) -> ssl.SSLContext:
    """Whom to believe: the system's authorities, those in the file `ca` alone, or (`insecure`) anybody.

    Raises: BadAddress, when the file cannot be read or holds no certificates.
    """
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError as error:
        raise BadAddress(str(ca), "holds no certificates in PEM form") from error
    except OSError as error:
        raise BadAddress(str(ca), f"cannot be read: {error.strerror}") from error
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bad(text: str) -> BadAddress:
    if "@" in text:
        return BadAddress(
            "https://…", f"has a user name or token in it; {_FORM}, and the token in a variable"
        )
    return BadAddress(text[:200], f"is no address of a server; {_FORM}")
