"""The authority of a location: which server a path belongs to (H6)."""

import re
from typing import Final

DEFAULT_PORT: Final = 6309
"""The Mark protocol's port, which is dropped wherever it is written out."""

SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""What an absolute URL starts with (RFC 3986, section 3.1)."""

_MARK = re.compile(r"(?i:mark)://(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^:/?#]*)(?::([0-9]*))?(?=[/?#]|\Z)")
_NAME = re.compile(r"[^:]+:(?://[^/?#]*)?")


def authority(location: str) -> str:
    """Give the authority of `location`: empty for a bare path, else `host` or `host:port`, lower-cased (H6).

    What is no `mark://` URL of a server keeps its scheme in front, and so shares none with a document here.

    >>> authority("mark://Isle.Example:6309/a.md"), authority("/a.md")
    ('isle.example', '')
    """
    if mark := split_mark(location):
        return mark[0]
    name = _NAME.match(location) if SCHEME.match(location) else None
    return name[0].lower() if name else ""


def same_authority(one: str, other: str) -> bool:
    """Tell whether two locations are on one server: two bare paths, or two `mark://` URLs of one host (H6).

    >>> same_authority("mark://isle/a.md", "mark://ISLE:6309/b.md")
    True
    """
    first, second = authority(one), authority(other)
    is_server = split_mark(one) is not None or not SCHEME.match(one)
    return is_server and first == second


def split_mark(location: str) -> tuple[str, str] | None:
    """Split a `mark://` URL into its authority and the rest (path, query, fragment), or give None.

    None also where the port is no port, because such a URL names no server.
    """
    mark = _MARK.match(location)
    host = _host(mark[1].lower(), mark[2]) if mark else None
    return (host, location[mark.end() :]) if mark and host is not None else None


def _host(name: str, port: str | None) -> str | None:
    if not port:
        return name
    if len(port) > 9 or not 0 < int(port) < 65536:
        return None
    return name if int(port) == DEFAULT_PORT else f"{name}:{int(port)}"
