"""One of several stores, as the file's `[stores.NAME]` describes it, and the table of its keys.

Values only; who opens stores reads them (`opening`), and so do the policies that divide a budget among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from mark_server import kinds
from mark_server.kinds import Kind

# Of lower case, since the host of an address has no case, and without dot or port, which make a host's name.
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_REMOTE = re.compile(
    r"((mark|https)://[^\s/?#@]+|http://(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?)(/[^\s?#]*)?", re.ASCII
)
# More digits than any budget has tokens; an exponent without end would be a fraction without end.
_DIGITS = 30


@dataclass(frozen=True, slots=True)
class Mount:
    """A store by its name: `address` is an absolute folder, `mark://host[:port]` or `https://host`.

    `token_env` names a variable, `token_file` a file with the token for this host alone; `insecure` skips
    the check of its certificate, `ca` is a file of authorities; `deadline` is in seconds. The rest is for
    policies: `cap` and `minimum` in tokens, `floor` a calibrated score from 0 to 1, `share` an exact part of
    the budget, `pins` locations.
    """

    name: str
    address: str
    token_env: str | None = None
    token_file: Path | None = None
    insecure: bool = False
    ca: Path | None = None
    deadline: float = 10.0
    weight: float = 1.0
    cap: int | None = None
    minimum: int = 0
    floor: float = 0.0
    share: Fraction | None = None
    pins: tuple[str, ...] = ()

    @property
    def remote(self) -> bool:
        """Whether it is reached over the network."""
        return _SCHEME.match(self.address) is not None


def _address(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError
    if _SCHEME.match(value) and not _REMOTE.fullmatch(value):
        raise ValueError
    return value


def _share(value: object) -> Fraction:
    """An exact part: `0.3`, which the file gives in its decimals, `1`, or "1/3"."""
    if isinstance(value, str):
        part = _quotient(value)
    elif isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        part = _exact(Decimal(value))
    else:
        raise ValueError
    if not 0 < part <= 1:
        raise ValueError
    return part


def _quotient(value: str) -> Fraction:
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value, re.ASCII)
    if not found or not int(found[2]):
        raise ValueError
    return Fraction(int(found[1]), int(found[2]))


def _exact(value: Decimal) -> Fraction:
    if not value.is_finite() or abs(value.adjusted()) > _DIGITS or len(value.as_tuple().digits) > _DIGITS:
        raise ValueError
    return Fraction(value)


_ADDRESS = "a folder, mark://HOST[:PORT] or https://HOST[:PORT][/PATH]"
_VARIABLE = kinds.text("the name of a variable", "MARKLOOKUP_TOKEN_WIKI", "NAME")
_WEIGHT = kinds.number("a finite number over 0", "2", 0)
_FLOOR = kinds.number("a number from 0 to 1", "0.2", 0, 1, open_=False)
_TOKENS = kinds.whole("a whole number of tokens from 1", "500", 1)

MOUNT_KEYS: dict[str, Kind] = {
    "address": Kind(_ADDRESS, "docs", _address, place=True),
    "token-env": _VARIABLE,
    "token-file": kinds.path("a file with a token", "wiki.token", "FILE"),
    "insecure": kinds.flag(),
    "ca": kinds.path("a file of certificates", "ca.pem", "FILE"),
    "deadline": kinds.seconds("10"),
    "weight": _WEIGHT,
    "cap": _TOKENS,
    "minimum": kinds.whole("a whole number of tokens from 0", "200", 0),
    "floor": _FLOOR,
    "share": Kind('a part of the budget over 0, up to 1, as 0.25 or "1/3"', "0.25", _share),
    "pins": kinds.text("locations", "/index.md", "LOCATION", several=True),
}
