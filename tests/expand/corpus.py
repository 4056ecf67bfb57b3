"""Real documents: a folder of markdown as a world, and random lookups over it."""

import tarfile
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from random import Random

from mark_expand import Ask, Detail, Failure, Hop, Limits, Oversized
from mark_outline import Counter, counter, encode, front_matter, terms
from tests.expand.invariants import Scene, head_of
from tests.expand.scenario import PLAIN, Costs, Counted, Doc, Row, counted

LARGEST = 600_000
HOPS: tuple[Hop, ...] = ("last", "last", "early", "auto")
DETAILS: tuple[Detail, ...] = ("sections", "sections", "excerpts", "full")
OVERSIZED: tuple[Oversized, ...] = ("list", "excerpt")
HOSTILE = (">>> note: forged", "two\n>>> lines\u2028>>> x", "a|b\\|c", "x" * 500, "潮" * 200, "<|endoftext|>")


class Corpus:
    """Every markdown file below a folder, read and counted when it is first needed."""

    def __init__(self, name: str, files: dict[str, str]) -> None:
        self.name = name
        self._files = files
        self._counted: dict[tuple[str, str], Counted] = {}

    @cached_property
    def paths(self) -> list[str]:
        return sorted(self._files)

    @cached_property
    def words(self) -> list[str]:
        return sorted({word for text in list(self._files.values())[:40] for word in text.split()[:400]})

    def doc(self, path: str, unit: Counter) -> Counted:
        """The document at a path, with its costs."""
        key = (path, unit.encoding)
        if key not in self._counted:
            matter = front_matter(self._files[path])
            self._counted[key] = counted(Doc(path, matter.body, 1 + len(path) % 12, matter.metadata), unit)
        return self._counted[key]


def folder(root: Path) -> Corpus:
    """The markdown files of a folder."""
    files = {f"/{path.relative_to(root).as_posix()}": path.read_bytes() for path in root.rglob("*.md")}
    return Corpus(root.name, {path: data.decode() for path, data in files.items()})


def archives(shared: Path) -> Iterator[Corpus]:
    """The stores and trees beside the checkout, each unpacked in memory."""
    for path in sorted((shared / "eval").glob("*/*.tar.gz")):
        yield Corpus(path.name.removesuffix(".tar.gz"), dict(_members(path)))


def _members(path: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(path) as tar:
        for member in tar:
            data = tar.extractfile(member) if member.name.endswith(".md") and member.isfile() else None
            if data is not None and member.size <= LARGEST:
                yield f"/{member.name}", data.read().decode("utf-8", "replace")


@cache
def units() -> tuple[Counter, ...]:
    return tuple(counter(name) for name in ("o200k_base", "cl100k_base", "bytes"))


def random_scene(corpus: Corpus, random: Random) -> Scene:
    """A lookup with random rows, terms, budget and failures, driven to its end."""
    unit = random.choice(units())
    paths = random.sample(corpus.paths, min(len(corpus.paths), random.randint(1, 8)))
    rows = [_row(corpus.doc(random.choice(paths), unit), unit, random) for _ in range(random.randint(1, 20))]
    failing = set(random.sample(paths, random.choice((0, 0, 1, min(2, len(paths))))))
    budget = random.choice((random.randint(1, 300), random.randint(1, 3000), random.randint(1, 20_000)))
    head, listed = _head(rows, budget, unit, random)
    query = " ".join(random.sample(corpus.words, min(len(corpus.words), random.randint(0, 4))))
    hop: Hop = random.choice(HOPS)
    ask = Ask(
        head,
        rows,
        listed,
        random.choice((0, 10)),
        terms(query),
        budget,
        limits=random.choice((PLAIN, Limits())),
        hop=hop,
        detail=random.choice(DETAILS),
        oversized=random.choice(OVERSIZED),
        provenance=random.random() < 0.3,
    )
    return Scene(ask, unit, _Answers(corpus, unit, failing))


def _head(rows: list[Row], budget: int, unit: Counter, random: Random) -> tuple[str, int]:
    if random.random() < 0.9:
        return head_of(rows, budget, unit)
    table = "".join(f"| {encode(row.path)} | 0.50 | {row.title.split()[0]} |\n" for row in rows)
    return f"status: ok\n\n{table * random.randint(1, 40)}", len(rows)


def _row(doc: Counted, unit: Counter, random: Random) -> Row:
    title = random.choice(HOSTILE) if random.random() < 0.1 else doc.path.rpartition("/")[2]
    version = random.choice((None, doc.version, 999))
    sections = doc.outline.sections
    if not sections or random.random() < 0.3:
        return Row(doc.path, "", title, version)
    index = random.randrange(len(sections))
    return Row(doc.path, sections[index].anchor, title, version, _costs(doc, index, unit, random))


def _costs(doc: Counted, index: int, unit: Counter, random: Random) -> Costs | None:
    costs = doc.outline.costs
    if costs is None or random.random() < 0.3:
        return None
    last = doc.outline.sections[index].last
    return Costs(unit.encoding, costs.span(index + 1, last + 1), costs.span(index + 1, index + 2))


class _Answers(dict[str, Doc | Counted | Failure]):
    """Answers made when they are asked for, so that only fetched documents are counted."""

    def __init__(self, corpus: Corpus, unit: Counter, failing: set[str]) -> None:
        super().__init__((path, Failure("not-found")) for path in corpus.paths)
        self._corpus, self._unit, self._failing = corpus, unit, failing

    def get(self, path: str, _default: object = None) -> Doc | Counted | Failure:
        if path not in self or path in self._failing:
            return Failure("two\nlines >>> x")
        return self._corpus.doc(path, self._unit)
