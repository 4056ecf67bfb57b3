"""Declared relations: what the `rel-<predicate>` keys of a document's metadata point at (R1).

Links and wiki links in the text are navigation and no evidence. How a reference becomes a target is
`reference`; following a relation is the expansion's part.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mark_outline.location import decode
from mark_outline.reference import resolve
from mark_outline.white import WHITE

PREFIX: Final = "rel-"
"""How the metadata keys of relations start."""

_BLANK = re.compile(f"[{WHITE}]")


@dataclass(frozen=True, slots=True)
class Relation:
    """One declared relation: `target` as it is printed (percent-encoded), `fragment` without `#`."""

    predicate: str
    target: str
    fragment: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A declaration that is none, with the metadata `key`, the `value` as written and the `reason`."""

    key: str
    value: str
    reason: str


def relations(source: str, metadata: Mapping[str, str]) -> tuple[tuple[Relation, ...], tuple[Rejected, ...]]:
    """Give the relations that `metadata` of the document at `source` declares, and what was dropped (R1).

    `source` is a location as printed (percent-encoded). Predicates are sorted, references keep their order.

    >>> relations("/docs/a.md", {"rel-by": "/b.md, ../c.md#top"})[0][1]
    Relation(predicate='by', target='/c.md', fragment='top')
    """
    itself = decode(resolve(source, ""))
    entries = [_read(source, itself, key, value) for key, value in _references(metadata)]
    found = tuple(entry for entry in entries if isinstance(entry, Relation))
    return found, tuple(entry for entry in entries if isinstance(entry, Rejected))


def _references(metadata: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in sorted(metadata):
        if key.startswith(PREFIX):
            references = (reference.strip(WHITE) for reference in metadata[key].split(","))
            yield from ((key, reference) for reference in references if reference)


def _read(source: str, itself: str, key: str, value: str) -> Relation | Rejected:
    predicate = key.removeprefix(PREFIX)
    if not predicate.strip(WHITE):
        return Rejected(key, value, "empty predicate")
    if _BLANK.search(value):
        return Rejected(key, value, "whitespace in reference")
    reference, _, fragment = value.partition("#")
    target = resolve(source, reference)
    if decode(target) == itself:
        return Rejected(key, value, "self reference")
    return Relation(predicate, target, fragment)
