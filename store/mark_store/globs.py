"""Lists of patterns as git reads them in a `.gitignore` file: which of them speaks last about a path.

Everything works on bytes, as git does, each shown as one character (Latin-1): `?` is one byte. A pattern is
translated so that no name can make its matching slow: after a `*` or `**/` the leftmost place where the next
fixed piece fits is taken for good, which within one name, or between two `**/`, loses no match.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_STAR, _SLASH, _DEEP, _ALL = "*", "/", "**/", "**"
_SPECIAL = re.compile(r"[*?\[\\]")
_CLASSES = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda one: one in " \t",
    "cntrl": lambda one: ord(one) < 32 or one == "\x7f",
    "digit": str.isdigit,
    "graph": lambda one: one.isprintable() and one != " ",
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda one: one.isprintable() and one != " " and not one.isalnum(),
    "space": str.isspace,
    "upper": str.isupper,
    "xdigit": lambda one: one in "0123456789abcdefABCDEF",
}


class _Hopeless(Exception):  # noqa: N818 - a state of a pattern, never seen outside this file
    """The pattern can match nothing: an open bracket, a backslash at its end."""


@dataclass(frozen=True, slots=True)
class _Rule:
    matcher: str
    shown: bool
    folders_only: bool
    by_name: bool


class Globs:
    """An ordered list of patterns; the last one that matches a path decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Read lines in the form that `as_bytes` gives."""
        self._rules = [rule for line in lines if (rule := _rule(line))]
        # One expression for each question: (of folders, by name alone).
        self._matchers = {
            (folder, by_name): self._joined(folder, by_name)
            for folder in (False, True)
            for by_name in (False, True)
        }

    def __len__(self) -> int:
        """How many patterns can match something."""
        return len(self._rules)

    def verdict(self, path: str, folder: bool) -> bool | None:
        """True when the last pattern that matches selects the path, False when it is a `!` one, None without.

        `path` is relative to where the list stands, without a slash at either end.

        >>> drafts = Globs(["*.draft.md", "!keep.draft.md", "/build/"])
        >>> drafts.verdict("a/b.draft.md", False), drafts.verdict("a/keep.draft.md", False)
        (True, False)
        >>> drafts.verdict("build", True), drafts.verdict("a/build", True), drafts.verdict("build", False)
        (True, None, None)
        """
        last = max(
            self._last(folder, True, path.rpartition("/")[2]),
            self._last(folder, False, path),
        )
        return self._rules[last].shown if last >= 0 else None

    def _last(self, folder: bool, by_name: bool, subject: str) -> int:
        matcher, order = self._matchers[folder, by_name]
        found = matcher.fullmatch(subject) if matcher else None
        return order[found.lastindex - 1] if found and found.lastindex else -1

    def _joined(self, folder: bool, by_name: bool) -> tuple[re.Pattern[str] | None, list[int]]:
        """One expression that tries the last pattern first, and which pattern each of its groups is."""
        order = [
            place
            for place, rule in reversed(list(enumerate(self._rules)))
            if rule.by_name == by_name and (folder or not rule.folders_only)
        ]
        joined = "|".join(f"({self._rules[place].matcher})" for place in order)
        return (re.compile(joined, re.DOTALL) if joined else None), order


def as_bytes(text: str) -> str:
    """A text with each byte of its UTF-8 (or foreign) form as one character.

    >>> as_bytes("é"), as_bytes("a")
    ('Ã©', 'a')
    """
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def lines_of(data: bytes) -> list[str]:
    r"""The lines of a `.gitignore` file, as `Globs` takes them.

    >>> lines_of(b"\xef\xbb\xbfa\r\nb\n")
    ['a', 'b', '']
    """
    text = data.removeprefix(_BOM).decode("latin-1")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _rule(line: str) -> _Rule | None:
    if line.startswith("#"):
        return None
    pattern = _without_trailing_blanks(line)
    shown = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    by_name = "/" not in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    try:
        return _Rule(_joined(_pieces(pattern, by_name)), shown, folders_only, by_name)
    except _Hopeless:
        return None


def _without_trailing_blanks(line: str) -> str:
    """The line without blanks at its end, unless a backslash keeps them; git leaves an odd end alone."""
    end = place = 0
    while place < len(line):
        if line[place] == "\\":
            if place + 1 == len(line):
                return line
            place += 1
            end = place + 1
        elif line[place] != " ":
            end = place + 1
        place += 1
    return line[:end]


def _pieces(pattern: str, by_name: bool) -> list[str]:
    """The pattern as pieces: `_STAR`, `_SLASH`, `_DEEP`, `_ALL`, or an expression for one byte."""
    pieces: list[str] = []
    place = 0
    while place < len(pattern):
        one = pattern[place]
        if one == "*":
            piece, place = _starred(pattern, place, by_name)
        elif one == "[":
            piece, place = _bracketed(pattern, place + 1)
        elif one == "?":
            piece, place = "[^/]", place + 1
        elif one == "\\":
            if place + 1 == len(pattern):
                raise _Hopeless
            piece, place = _one(pattern[place + 1]), place + 2
        else:
            piece, place = _one(one), place + 1
        pieces.append(piece)
    return pieces


def _one(character: str) -> str:
    return _SLASH if character == "/" else re.escape(character)


def _starred(pattern: str, start: int, by_name: bool) -> tuple[str, int]:
    end = start
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    # Git takes a plain beginning off before it looks at the rest, so `a**/b` is as good as `a` and `**/b`.
    alone = pattern[:start].endswith("/") or not _SPECIAL.search(pattern[:start])
    if by_name or end - start == 1 or not alone:
        return _STAR, end
    if end == len(pattern):
        return _ALL, end
    return (_DEEP, end + 1) if pattern[end] == "/" else (_STAR, end)


def _bracketed(pattern: str, start: int) -> tuple[str, int]:
    """The expression for a set of bytes that begins after its bracket, and where the pattern goes on."""
    negated = pattern[start : start + 1] in {"!", "^"}
    place = start + negated
    chosen: set[str] = set()
    before = ""
    first = True
    while first or pattern[place : place + 1] != "]":
        first = False
        one = pattern[place : place + 1]
        if one == "-" and before and pattern[place + 1 : place + 2] not in {"", "]"}:
            last, place = _plain(pattern, place + 1)
            chosen.update(chr(code) for code in range(ord(before), ord(last) + 1))
            before = ""
        elif one == "[" and (named := re.compile(r"\[:([^\]]*):\]").match(pattern, place)):
            if named[1] not in _CLASSES:
                raise _Hopeless
            chosen.update(filter(_CLASSES[named[1]], map(chr, range(128))))
            place, before = named.end(), ""
        else:
            before, place = _plain(pattern, place)
            chosen.add(before)
    chosen = (set(map(chr, range(256))) - chosen if negated else chosen) - {"/"}
    return f"[{''.join(map(re.escape, sorted(chosen)))}]" if chosen else "(?!)", place + 1


def _plain(pattern: str, place: int) -> tuple[str, int]:
    """The byte at a place inside brackets, a backslash before it taken off, and the place after it."""
    place += pattern[place : place + 1] == "\\"
    if place >= len(pattern):
        raise _Hopeless
    return pattern[place], place + 1


def _joined(pieces: list[str]) -> str:
    """One expression; what stands between two `**/` is taken where it first fits."""
    runs = _split(pieces, _DEEP)
    first, *others = ["".join(_name(name) for name in _kept(run)) for run in runs]
    for number, run in enumerate(others, 1):
        deep = f"(?:[^/]*/)*?{run}"
        first += deep if number == len(others) else f"(?>{deep})"
    return first


def _kept(run: list[str]) -> list[list[str]]:
    """A run of pieces cut after each slash."""
    names: list[list[str]] = [[]]
    for piece in run:
        names[-1].append(piece)
        if piece == _SLASH:
            names.append([])
    return names


def _name(pieces: list[str]) -> str:
    """The expression for one name; between two stars the first place that fits is taken."""
    first, *others = ["".join(".*" if one == _ALL else one for one in run) for run in _split(pieces, _STAR)]
    for number, run in enumerate(others, 1):
        first += f"[^/]*{run}" if number == len(others) else f"(?>[^/]*?{run})"
    return first


def _split(pieces: list[str], at: str) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for piece in pieces:
        if piece == at:
            runs.append([])
        else:
            runs[-1].append(piece)
    return runs
