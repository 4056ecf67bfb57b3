"""Resolving a reference against the document that makes it (RFC 3986, section 5.2).

Targets come out in one spelling: percent-encoded as paths are printed, `mark://` URLs with a lower-case
host, without the default port, user and query.
"""

import re

from mark_outline.authority import SCHEME, split_mark
from mark_outline.location import decode, encode

_PARTS = re.compile(r"((?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?)([^?#]*)(\??[^#]*)", re.DOTALL)


def resolve(source: str, reference: str) -> str:
    """Give the target that `reference` (without fragment) names in the document at `source`.

    An empty reference gives the document itself, without query.

    >>> resolve("mark://Host:6309/a/b.md", "../c d.md")
    'mark://host/c%20d.md'
    """
    if SCHEME.match(reference):
        return _absolute(reference)
    prefix, path = _base(source)
    if reference.startswith("//"):
        return _absolute(prefix.partition("//")[0] + reference)
    name, question, query = reference.partition("?")
    target = _without_dots(_merged(path, name))
    kept = "" if _is_mark(prefix) else question + query
    return f"{prefix}{_printed(target)}{kept}"


def _absolute(url: str) -> str:
    mark = split_mark(url)
    if mark is None:
        return url
    host, rest = mark
    path = rest.partition("?")[0]
    return f"mark://{host}{_printed(_without_dots(path or '/'))}"


def _base(source: str) -> tuple[str, str]:
    """Give what stands before the path (empty for a bare one) and the path of the document at `source`."""
    if mark := split_mark(source):
        host, rest = mark
        return f"mark://{host}", re.split(r"[?#]", rest, maxsplit=1)[0] or "/"
    if not SCHEME.match(source):
        path = re.split(r"[?#]", source, maxsplit=1)[0]
        return "", path if path.startswith("/") else f"/{path}"
    parts = _PARTS.match(source)
    return (parts[1], parts[2]) if parts else ("", source)


def _is_mark(prefix: str) -> bool:
    return prefix.startswith("mark:")


def _merged(path: str, name: str) -> str:
    if not name or name.startswith("/"):
        return name or path
    return path[: path.rfind("/") + 1] + name


def _without_dots(path: str) -> str:
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def _printed(path: str) -> str:
    return encode(decode(path))
