"""What a caller may read, as path patterns; stores ask it before anything is counted, listed or printed."""

import functools
import re
import unicodedata
from dataclasses import dataclass

_WILDCARD = re.compile(r"\*\*|\*")


@functools.lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)) if patterns else "(?!)", re.DOTALL)


def _expression(pattern: str) -> str:
    rooted = unicodedata.normalize("NFC", "/" + pattern.strip("/"))
    pieces = [re.escape(piece) for piece in _WILDCARD.split(rooted)]
    wildcards = [".*" if mark == "**" else "[^/]*" for mark in _WILDCARD.findall(rooted)]
    woven = "".join(piece + mark for piece, mark in zip(pieces, [*wildcards, ""], strict=True))
    return ("" if woven == "/" else woven) + "(?:/.*)?"


@functools.lru_cache(maxsize=256)
def _starts(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """What every path that a pattern names begins with."""
    rooted = (unicodedata.normalize("NFC", "/" + pattern.strip("/")) for pattern in patterns)
    return tuple(_WILDCARD.split(each)[0] for each in rooted)


@dataclass(frozen=True, slots=True)
class Reader:
    """A read scope: a path may be read when any pattern names it or a folder above it.

    `*` stands for any run of characters inside one path segment, `**` for any run of characters. Paths are
    compared decoded and in NFC. No patterns at all: nothing may be read.

    >>> Reader(("/public", "/teams/*/handbook.md")).may_read("/public/a/b.md")
    True
    >>> Reader(("/teams/*/handbook.md",)).may_read("/teams/a/b/handbook.md")
    False
    """

    patterns: tuple[str, ...]

    def may_read(self, path: str) -> bool:
        """Whether the document at this decoded path is inside the scope."""
        plain = path if path.isascii() else unicodedata.normalize("NFC", path)
        return _compiled(self.patterns).fullmatch(plain) is not None

    def may_enter(self, folder: str) -> bool:
        """Whether the scope can hold anything at or below this decoded path, as far as patterns alone tell.

        Asked before a store is searched, so that the time of an answer does not tell what is there.

        >>> scope = Reader(("/teams/*/handbook.md",))
        >>> [scope.may_enter(path) for path in ("/", "/teams", "/teams/a", "/te", "/secret")]
        [True, True, True, False, False]
        """
        here = unicodedata.normalize("NFC", folder.rstrip("/") + "/")
        return any(here.startswith(start) or start.startswith(here) for start in _starts(self.patterns))

    @property
    def unlimited(self) -> bool:
        """Whether the scope is known to hold every path, so that a store need not ask for each."""
        return "/" in self.patterns or "/**" in self.patterns


EVERYTHING = Reader(("/",))
