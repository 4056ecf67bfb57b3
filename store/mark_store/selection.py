"""Which of the visible names of a root are served: `.gitignore` files, and patterns of whoever serves it.

Hidden names are `paths`' business, how a pattern is read is `globs`'. Git's own rules hold but for two: files
that git tracks although a pattern names them are left out too (git's index is not read), and the user's own
list (`core.excludesFile`) is not asked.
"""

import hashlib
import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from .clock import settled
from .disk import Stamp, stamp_of
from .errors import BadQuery
from .globs import Globs, as_bytes, lines_of
from .paths import folders_above

IGNORE_FILE = ".gitignore"
_LARGEST_LIST = 1 << 20


@dataclass(frozen=True, slots=True)
class _List:
    """Patterns that hold from some folder on: `start` characters of a rooted path give way to `prefix`."""

    globs: Globs
    start: int
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds inside one folder: lists, the outermost first, and whether all of it is included."""

    lists: tuple[_List, ...]
    included: bool


class Selection:
    """The choice of documents of one root; safe to use from several threads."""

    def __init__(
        self,
        root: Path,
        ignore: bool = True,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        own: Path | None = None,
    ) -> None:
        """Choose among what lies in `root`, a real path; `own` is a folder of ours that is never content.

        Raises: BadQuery, for a pattern that can match nothing.
        """
        self._root = root
        self._ignore = ignore
        self._include = _globs("include", include)
        self._exclude = _globs("exclude", exclude)
        self._own = _rooted_in(root, own)
        self._read: dict[str, tuple[Stamp, Globs]] = {}
        chosen = (ignore, include, exclude)
        named = hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:8]
        self.name = "" if chosen == (True, (), ()) else f"-{named}"

    def at_root(self) -> Rules:
        """What holds for the names of the root."""
        lists = self._lists_above() if self._ignore else ()
        return self._with_list(Rules(lists, not self._include), "/")

    def inside(self, rules: Rules, folder: str) -> Rules | None:
        """What holds for the names of a folder (with its closing slash) below one that has `rules`.

        None when the folder is not served.
        """
        if folder == self._own:
            return None
        plain = as_bytes(folder[1:-1])
        if self._leaves_out(rules, plain, True):
            return None
        included = rules.included or self._include.verdict(plain, True) is True
        return self._with_list(replace(rules, included=included), folder)

    def serves(self, rules: Rules, path: str) -> bool:
        """Whether a document of a folder that has `rules` is served."""
        plain = as_bytes(path[1:])
        if self._leaves_out(rules, plain, False):
            return False
        return rules.included or self._include.verdict(plain, False) is True

    def rules_in(self, folder: str) -> Rules | None:
        """What holds for the names of any folder, None when it is not served."""
        rules: Rules | None = self.at_root()
        for inner in folders_above(folder):
            rules = self.inside(rules, inner) if rules else None
        return rules

    def serves_now(self, path: str) -> bool:
        """Whether a document at a rooted path is served, as the `.gitignore` files are at this moment."""
        rules = self.rules_in(path.rpartition("/")[0] + "/")
        return rules is not None and self.serves(rules, path)

    def may_serve(self, path: str) -> bool:
        """Whether the patterns of whoever serves allow a path, whatever `.gitignore` files say."""
        rules = Rules((), not self._include)
        for folder in folders_above(path.rpartition("/")[0] + "/"):
            plain = as_bytes(folder[1:-1])
            if self._exclude.verdict(plain, True):
                return False
            if self._include.verdict(plain, True):
                rules = replace(rules, included=True)
        return self.serves(rules, path)

    def _leaves_out(self, rules: Rules, plain: str, folder: bool) -> bool:
        if self._exclude.verdict(plain, folder):
            return True
        for innermost in reversed(rules.lists):
            verdict = innermost.globs.verdict(innermost.prefix + plain[innermost.start :], folder)
            if verdict is not None:
                return verdict
        return False

    def _with_list(self, rules: Rules, folder: str) -> Rules:
        globs = self._list(f"{self._root}{folder}{IGNORE_FILE}") if self._ignore else None
        if not globs:
            return rules
        return replace(rules, lists=(*rules.lists, _List(globs, len(as_bytes(folder[1:])))))

    def _lists_above(self) -> tuple[_List, ...]:
        """The lists of the work tree that the root lies in, unless they leave out the root itself."""
        above = [self._root, *self._root.parents]
        top = next((number for number, place in enumerate(above) if (place / ".git").exists()), None)
        if top is None:
            return ()
        prefixes = [_prefix(self._root, place) for place in above[: top + 1]]
        found = [(self._list(str(_exclude_file(above[top]))), prefixes[top])]
        found += [
            (self._list(str(place / IGNORE_FILE)), prefix)
            for place, prefix in reversed(list(zip(above[1 : top + 1], prefixes[1:], strict=False)))
        ]
        lists = tuple(_List(globs, 0, prefix) for globs, prefix in found if globs)
        return () if _leave_out_root(lists) else lists

    def _list(self, file: str) -> Globs | None:
        """The patterns of a file, read again when it changed; None when there is none or nothing in it."""
        try:
            seen = stamp_of(os.lstat(file))
            known = self._read.get(file)
            if known and known[0] == seen:
                return known[1] or None
            read_at = time.time_ns()
            descriptor = os.open(
                file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            )
            with os.fdopen(descriptor, "rb") as opened:
                globs = Globs(lines_of(opened.read(_LARGEST_LIST)))
        except OSError:
            return None
        self._read[file] = (replace(seen, mtime_ns=settled(seen.mtime_ns, read_at)), globs)
        return globs or None


def _globs(argument: str, patterns: tuple[str, ...]) -> Globs:
    for pattern in patterns:
        useless = argument == "include" and pattern.startswith("!")
        if useless or len(Globs([as_bytes(pattern)])) != 1 or "\n" in pattern:
            raise BadQuery(
                argument, pattern, "a pattern as in a .gitignore file, such as drafts/ or *.draft.md"
            )
    return Globs(as_bytes(pattern) for pattern in patterns)


def _rooted_in(root: Path, place: Path | None) -> str | None:
    if place is None or root == place or not place.is_relative_to(root):
        return None
    return f"/{place.relative_to(root).as_posix()}/"


def _prefix(root: Path, above: Path) -> str:
    """What stands before a path of the root where it is seen from a folder above."""
    inner = root.relative_to(above).as_posix()
    return "" if inner == "." else as_bytes(inner + "/")


def _leave_out_root(lists: tuple[_List, ...]) -> bool:
    """Whether lists from above leave out the root: who serves it wants it all the same."""
    for innermost in reversed(lists):
        parts = innermost.prefix.split("/")[:-1]
        steps = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        if any(innermost.globs.verdict(step, True) for step in steps):
            return True
    return False


def _exclude_file(top: Path) -> Path:
    """The work tree's own list; `.git` is a file in linked work trees and submodules."""
    git = top / ".git"
    if git.is_file():
        git = top / _line(git).removeprefix("gitdir:").strip()
        common = _line(git / "commondir")
        git = git / common if common else git
    return git / "info" / "exclude"


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
