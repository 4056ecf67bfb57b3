"""Which server a `mark://host[:port]` address names, and the token that goes there and nowhere else.

How the server is reached is `quic`'s.
"""

import ipaddress
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

from mark_outline import authority

from .errors import BadAddress

SCHEME: Final = "mark://"
DEFAULT_PORT: Final = 6309
TOKEN_VARIABLE: Final = "MARKLOOKUP_TOKEN_"  # noqa: S105 - the name of a variable, not a token

_FORM: Final = "give mark://host or mark://host:port"
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]+)(?::([0-9]+))?")
_LARGEST_FILE: Final = 1 << 20


def is_mark_address(store: str) -> bool:
    """Whether a store's address is that of a Mark server."""
    return store.lower().startswith(SCHEME)


class Server(Protocol):
    """A server however it is reached: what its token is found by."""

    @property
    def authority(self) -> str:
        """The server as paths name it."""
        ...

    @property
    def place(self) -> str:
        """The server as errors name it."""
        ...

    @property
    def variable(self) -> str:
        """The environment's name for this server's token."""
        ...


@dataclass(frozen=True, slots=True)
class Address:
    """A server: `host` as it is looked up and proved (a name, or an IP address without brackets)."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Read an address.

        Raises: BadAddress.

        >>> Address.read("mark://Docs.Example/")
        Address(host='docs.example', port=6309)
        """
        inner = text[len(SCHEME) :].rstrip("/")
        if "@" in inner:
            raise BadAddress(
                SCHEME + "…", f"has a user name or token in it; {_FORM}, and the token in a variable"
            )
        found = _AUTHORITY.fullmatch(inner.lower())
        port = int(found[2] or DEFAULT_PORT) if found and len(found[2] or "") < 6 else 0
        if not is_mark_address(text) or not found or not 0 < port < 65536:
            raise BadAddress(text, f"is no address of a server; {_FORM}")
        return cls(_host(found[1].strip("[]"), text), port)

    @property
    def authority(self) -> str:
        """The server as paths name it: the default port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return authority(f"{SCHEME}{host}:{self.port}")

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return f"{SCHEME}{self.authority}"

    @property
    def variable(self) -> str:
        """The environment's name for this server's token.

        >>> Address("docs.example", 6310).variable
        'MARKLOOKUP_TOKEN_DOCS_EXAMPLE_6310'
        """
        return variable_for(self.authority)


def variable_for(authority: str) -> str:
    """The environment's name for the token of a server."""
    return TOKEN_VARIABLE + re.sub(r"[^A-Z0-9]+", "_", authority.upper()).strip("_")


def token_for(address: Server, environment: Mapping[str, str], file: Path | None) -> str:
    """Give the token of a server, "" when there is none: from the environment, else a line `host token`.

    Raises: BadAddress, when the file cannot be read, others may read it, or the token cannot be sent.
    """
    stated = environment.get(address.variable, "") or (_in_file(address, file) if file else "")
    token = stated.strip()
    if not token.isprintable() or not token.isascii():
        raise BadAddress(address.place, "its token has characters that cannot be sent")
    return token


def _in_file(address: Server, file: Path) -> str:
    for number, line in enumerate(_lines(file), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise BadAddress(str(file), f"line {number} is not `host token`")
        if authority(SCHEME + words[0]) == address.authority:
            return words[1]
    return ""


def _lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as opened:
            _expect_private(file, os.fstat(opened.fileno()))
            return opened.read(_LARGEST_FILE).decode().splitlines()
    except OSError as error:
        raise BadAddress(str(file), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadAddress(str(file), "is no UTF-8 text") from error


def _expect_private(file: Path, status: os.stat_result) -> None:
    # Windows keeps such rights elsewhere and reports none of these.
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadAddress(str(file), "holds tokens and others may read it; run: chmod 600 on it")


def _host(name: str, text: str) -> str:
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        pass
    try:
        ascii_name = name.encode("idna").decode()
    except UnicodeError as error:
        raise BadAddress(text, f"is no name of a host; {_FORM}") from error
    if not re.fullmatch(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?\.?", ascii_name):
        raise BadAddress(text, f"is no name of a host; {_FORM}")
    return ascii_name
