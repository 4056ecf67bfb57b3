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

    @property
    def unlimited(self) -> bool:
        """Whether the scope is known to hold every path, so that a store need not ask for each."""
        return "/" in self.patterns or "/**" in self.patterns


EVERYTHING = Reader(("/",))
