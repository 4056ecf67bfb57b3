"""A random world of documents that name, follow and replace each other, and what its outputs may hold.

Each document has words of its own in every part that could leak: name, title, tag, front matter, headings,
text. Two worlds are made: the whole one, and one without what a scope does not name. A caller with that scope
must not be able to tell them apart.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mark_outline import encode
from mark_store import Reader

FOLDERS = ("", "/open", "/open/deep", "/secret", "/secret/open", "/ünï", "/a b")
PATTERNS = (
    "/open/**",
    "/secret",
    "/*/open",
    "/*/deep/**",
    "/ünï/**",
    "/a b/*",
    "/open/n*1.md",
    "/**/n*2.md",
    "/*.md",
    "/nowhere/**",
)
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?")
_PARTS = ["name", "title", "tag", "note", "head", "text", "later"]


@dataclass(frozen=True, slots=True)
class Page:
    """One document: where it is, where it moves to, and whether it is changed or deleted later."""

    number: int
    path: str
    targets: tuple[str, ...]
    fate: str
    moved: str

    def words(self) -> set[str]:
        """The words that stand in this document alone."""
        return {f"q{part}{self.number:03d}" for part in _PARTS[1:]}

    def text(self, *, later: bool = False) -> str:
        """The file."""
        n = f"{self.number:03d}"
        relations = "".join(
            f"rel-{'supersedes' if at % 2 else 'depends-on'}: {encode(target)}\n"
            for at, target in enumerate(self.targets[:2])
        )
        more = f"qlater{n} tide\n" if later else ""
        return (
            f"---\ntitle: qtitle{n} tide\ntags: [qtag{n}, shared]\nnote: qnote{n}\n{relations}---\n"
            f"# qtitle{n}\n\ntide qtext{n} {'kelp ' * (self.number % 4)}\n\n"
            f"## qhead{n}\n\nharbour qtext{n}\n{more}"
        )


@dataclass(slots=True)
class World:
    """Pages by the path that they begin at."""

    pages: list[Page] = field(default_factory=list)

    @classmethod
    def of(cls, seed: int, size: int = 14) -> "World":
        """A world that a seed decides."""
        chance = random.Random(seed)  # noqa: S311 - a test world is no secret
        paths = [f"{chance.choice(FOLDERS)}/n{number:03d}.md" for number in range(size)]
        pages = []
        for number, path in enumerate(paths):
            targets = tuple(chance.sample([other for other in paths if other != path] + ["/gone.md"], 2))
            fate = chance.choice(("", "", "changed", "deleted", "moved"))
            pages.append(Page(number, path, targets, fate, f"{chance.choice(FOLDERS)}/m{number:03d}.md"))
        return cls(pages)

    def paths(self) -> list[str]:
        """Every path at which there is or was a document."""
        return [page.path for page in self.pages] + [
            page.moved for page in self.pages if page.fate == "moved"
        ]

    def write(self, root: Path, readable: Reader | None = None) -> None:
        """Write the first state; with a reader only what that may read."""
        for page in self.pages:
            if readable is None or readable.may_read(page.path):
                _put(root, page.path, page.text())

    def change(self, root: Path, readable: Reader | None = None) -> None:
        """Let time pass: edit, delete and rename."""
        for page in self.pages:
            old = readable is None or readable.may_read(page.path)
            new = readable is None or readable.may_read(page.moved)
            if page.fate == "changed" and old:
                _put(root, page.path, page.text(later=True))
            if page.fate in ("deleted", "moved") and old:
                (root / page.path[1:]).unlink()
            if page.fate == "moved" and new:
                _put(root, page.moved, page.text())

    def forbidden(self, reader: Reader, *, moved: bool = True) -> set[str]:
        """Words and names that must not reach this reader, before or after documents moved."""
        hidden: set[str] = set()
        named: set[str] = set()
        for page in self.pages:
            ever = [page.path, *([page.moved] if moved and page.fate == "moved" else [])]
            seen = [path for path in ever if reader.may_read(path)]
            if not seen:
                hidden |= page.words()
            hidden |= {_stem(path) for path in ever if path not in seen}
            if seen:
                named |= {_stem(target) for target in page.targets}
        return hidden - named


def leaked(text: str, forbidden: set[str], asked: Iterable[object]) -> set[str]:
    """The forbidden words that a text holds, but for those that the caller gave."""
    given = set(re.findall(r"\w+", " ".join(map(str, asked))))
    return set(re.findall(r"\w+", text)) & forbidden - given


def timeless(text: str) -> str:
    """A result without its times, which differ between two worlds that are made one after the other."""
    return _TIMES.sub("TIME", text)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _put(root: Path, path: str, text: str) -> None:
    place = root / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
