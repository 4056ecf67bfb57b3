"""Locations: the address of a document or a section as it is printed, and every way a reader may write it.

Which server an address belongs to is `authority`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from mark_outline.table import unescape_cell
from mark_outline.white import WHITE

MOST_HASHES: Final = 8
"""A url is split at no more than this many of its `#`."""

_ENCODED = re.compile(f"[%#?,\\x00-\\x1f\\x7f-\\x9f\ud800-\udfff{WHITE}]")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_VERSION = re.compile(r"(.*[^/])/v([1-9][0-9]{0,17})\Z", re.DOTALL)
_ABSOLUTE = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Location:
    """A document, or one section of it: decoded `path` (or `mark://host/path`), version, canonical anchor."""

    path: str
    version: int | None = None
    anchor: str = ""

    def __str__(self) -> str:
        """Give the location as it is printed: `/a%20b.md/v3#anchor`."""
        version = "" if self.version is None else f"/v{self.version}"
        anchor = f"#{encode(self.anchor)}" if self.anchor else ""
        return f"{encode(self.path)}{version}{anchor}"


def encode(path: str) -> str:
    """Percent-encode `%`, `#`, `?`, comma, white space and control characters, nothing else (OL11).

    >>> encode("/100% é.md")
    '/100%25%20é.md'
    """
    return _ENCODED.sub(_escape, path)


def decode(path: str) -> str:
    """Undo percent-encoding; what is no valid UTF-8 stays as written.

    >>> decode("/a%20b%zz%ff.md")
    '/a b%zz%ff.md'
    """
    return _ESCAPES.sub(_unescape, path) if "%" in path else path


def plain(path: str) -> str:
    """Give a decoded path the one form in which two of them are compared, as stores do.

    >>> plain("/cafe\u0301/a.md/") == plain("/café/a.md")
    True
    """
    return unicodedata.normalize("NFC", path).rstrip("/") or path


def spellings(url: str) -> tuple[Location, ...]:
    """Give every reading of `url`, the likeliest first; the caller fetches the first that exists.

    A reading takes `#anchor` and `/vN` as such or as part of the name, the path as printed (percent-encoded),
    raw, or escaped as in a table cell, and as written or under either Unicode normalisation.
    """
    given = url if _ABSOLUTE.match(url) else f"/{url}"
    return tuple(dict.fromkeys(_readings(given)))


def _readings(url: str) -> Iterator[Location]:
    for path, anchor in _splits(url):
        found = _VERSION.match(path)
        if found:
            yield from (Location(name, int(found[2]), anchor) for name in _names(found[1]))
        yield from (Location(name, None, anchor) for name in _names(path))


def _splits(url: str) -> Iterator[tuple[str, str]]:
    places = [hit.start() for hit in re.finditer("#", url)][:MOST_HASHES]
    for place in places:
        yield url[:place], decode(url[place + 1 :])
    yield url, ""


def _names(path: str) -> Iterator[str]:
    raw = (decode(path), path, unescape_cell(path), decode(unescape_cell(path)))
    names = list(dict.fromkeys(raw))
    yield from names
    yield from (normal for name in names for normal in _normal_forms(name))


def _normal_forms(name: str) -> Iterable[str]:
    if name.isascii():
        return ()
    return (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))


def _escape(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode("utf-8", "surrogatepass"))


def _unescape(escapes: re.Match[str]) -> str:
    written = escapes[0]
    parts = []
    place = 0
    # A byte that is part of no UTF-8 sequence comes out as a lone surrogate, and stays as written.
    for character in bytes.fromhex(written.replace("%", "")).decode("utf-8", "surrogateescape"):
        stray = "\udc80" <= character <= "\udcff"
        width = 3 if stray else 3 * len(character.encode())
        parts.append(written[place : place + width] if stray else character)
        place += width
    return "".join(parts)
