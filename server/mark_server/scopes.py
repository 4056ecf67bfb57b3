"""Read scopes as people write them: patterns of paths in a token file, and in the scopes of a signed token.

What a pattern means is `mark_store.Reader`'s; here it is only checked, so that one that can match nothing, or
takes long to match, is refused where it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from mark_store import Reader

ALLOWED = "a pattern of paths that begins with / (or mark://STORE/), without .., with at most four wildcards"
# The scope of a signed token: everything, or with a pattern what that names.
READ = "mark:read"

_LONGEST = 1000
_MOST_PATTERNS = 100
# Each wildcard may multiply the time of a comparison by the length of a path.
_MOST_WILDCARDS = 4
_WILDCARD = re.compile(r"\*+")
# Among several stores a pattern begins with the one that it is for.
_STORE = re.compile(r"mark://[a-z0-9_*-]{1,63}(?=/|$)", re.ASCII)


def is_pattern(value: object) -> bool:
    """Whether a text may be a pattern of a read scope.

    >>> is_pattern("/teams/*/handbook.md"), is_pattern("teams/**"), is_pattern("/a/../b"), is_pattern("/a//b")
    (True, False, False, False)
    >>> is_pattern("mark://docs/public/**"), is_pattern("mark://docs"), is_pattern("mark://a.b/c")
    (True, True, False)
    """
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        return False
    path = _STORE.sub("", value, count=1) if _STORE.match(value) else value
    names = path.split("/")[1:]
    sound = all(name not in (".", "..") for name in names) and "" not in names[:-1]
    rooted = path.startswith("/") or (path == "" and value != "")
    return rooted and sound and len(_WILDCARD.findall(value)) <= _MOST_WILDCARDS


def granted(scopes: Iterable[str]) -> Reader | None:
    """Give what the scopes of a signed token let read; None when one is no pattern, or none is about reading.

    `mark:read` is everything, `mark:read:/docs/**` what the pattern names, percent-encoded where OAuth allows
    no such character; scopes of other servers mean nothing here.

    >>> granted(["openid", "mark:read:/my%20docs/**"])
    Reader(patterns=('/my docs/**',))
    >>> granted(["mark:read:docs"]), granted(["mark:write"])
    (None, None)
    """
    patterns: list[str] = []
    for scope in scopes:
        name, _, pattern = scope.partition(f"{READ}:")
        if scope == READ:
            patterns.append("/")
        elif not name and pattern:
            patterns.append(unquote(pattern))
        elif scope.startswith(READ):
            return None
    if not patterns or len(patterns) > _MOST_PATTERNS or not all(map(is_pattern, patterns)):
        return None
    return Reader(tuple(patterns))
