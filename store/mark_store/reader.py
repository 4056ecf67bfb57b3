"""What a caller may read, as path patterns; stores ask it before anything is counted, listed or printed."""

import functools
import re
import unicodedata
from dataclasses import dataclass

_ADDRESS = re.compile(r"mark://([^/]*)(/.*)?", re.DOTALL)
_WILDCARD = re.compile(r"\*\*|\*")


@functools.lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)) if patterns else "(?!)", re.DOTALL)


def _expression(pattern: str) -> str:
    woven = _woven(unicodedata.normalize("NFC", "/" + pattern.strip("/")))
    return ("" if woven == "/" else woven) + "(?:/.*)?"


@functools.lru_cache(maxsize=256)
def _starts(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """What every path that a pattern names begins with."""
    rooted = (unicodedata.normalize("NFC", "/" + pattern.strip("/")) for pattern in patterns)
    return tuple(_WILDCARD.split(each)[0] for each in rooted)


def _woven(text: str) -> str:
    pieces = [re.escape(piece) for piece in _WILDCARD.split(text)]
    wildcards = [".*" if mark == "**" else "[^/]*" for mark in _WILDCARD.findall(text)]
    return "".join(piece + mark for piece, mark in zip(pieces, [*wildcards, ""], strict=True))


@dataclass(frozen=True, slots=True)
class Reader:
    """A read scope: a path may be read when any pattern names it or a folder above it.

    `*` stands for any run of characters inside one path segment, `**` for any run of characters. Paths are
    compared decoded and in NFC. No patterns at all: nothing may be read.

    Among several stores a pattern begins with the store that it is for, `mark://docs/public`, in which `*`
    may stand in the name. A pattern without one is for a store that stands alone; only `/` and `/**`,
    everything, are for each of several too. So a store that is added is read by nobody without being named.

    >>> Reader(("/public", "/teams/*/handbook.md")).may_read("/public/a/b.md")
    True
    >>> Reader(("/teams/*/handbook.md",)).may_read("/teams/a/b/handbook.md")
    False
    """

    patterns: tuple[str, ...]

    def may_read(self, path: str) -> bool:
        """Whether the document at this decoded path, or `mark://store/path`, is inside the scope."""
        if address := _ADDRESS.match(path):
            return self.within(address[1]).may_read(address[2] or "/")
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

    def within(self, store: str) -> "Reader":
        """The scope inside one of several stores, in that store's own paths.

        >>> Reader(("/notes", "mark://docs/public", "mark://team-*")).within("docs").patterns
        ('/public',)
        """
        if self.unlimited:
            return EVERYTHING
        named = [address for pattern in self.patterns if (address := _ADDRESS.match(pattern.strip()))]
        return Reader(tuple(a[2] or "/" for a in named if re.fullmatch(_woven(a[1]), store)))

    @property
    def unlimited(self) -> bool:
        """Whether the scope is known to hold every path, so that a store need not ask for each."""
        return "/" in self.patterns or "/**" in self.patterns


EVERYTHING = Reader(("/",))
