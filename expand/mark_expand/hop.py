"""The targets of one hop: in which order, and which are never tried (H1, H2, H3, H6).

What a target prints, and whether it fits, is left to the expansion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mark_outline import Location, Relation, authority, decode

from mark_expand.ask import Ask
from mark_expand.frame import reference
from mark_expand.trace import Reason

# H2: these first, as one tier.
_FIRST_TIER = frozenset({"supersedes", "superseded-by", "depends-on", "implements", "derived-from"})


@dataclass(frozen=True, slots=True)
class Target:
    """One declared target: the path to fetch (decoded), the fragment, and its printed spelling.

    `skip` says why it is never fetched, "" when it may be.
    """

    path: str
    fragment: str
    where: str
    skip: Reason = ""


def targets(relations: Sequence[Relation], source: str, ask: Ask) -> list[Target]:
    """Order and sift the relations that the document `source` declares; each target once a fragment."""
    rows = {home(row.path, ask.aliases) for row in ask.rows}
    origin = authority(home(source, ask.aliases))
    found: dict[tuple[str, str], Target] = {}
    for relation in sorted(relations, key=lambda r: r.predicate not in _FIRST_TIER):
        path = home(decode(relation.target), ask.aliases)
        skip = _skip(path, origin, rows, ask)
        target = Target(path, relation.fragment, reference(relation.target, relation.fragment), skip)
        found.setdefault((path, relation.fragment), target)
    return list(found.values())


def home(path: str, aliases: frozenset[str]) -> str:
    """Give a path its one spelling: host in lower case, no default port, bare where the host is an alias (H6).

    >>> home("mark://Isle:6309/a.md", frozenset())
    'mark://isle/a.md'
    >>> home("mark://isle/a.md", frozenset({"isle"}))
    '/a.md'
    """
    host = authority(path)
    if not host:
        return path
    rest = "/" + path.split("://", 1)[1].partition("/")[2]
    return rest if host in aliases else f"mark://{host}{rest}"


def _skip(path: str, origin: str, rows: set[str], ask: Ask) -> Reason:
    if path in rows:
        return "is_row"
    if authority(path) != origin:
        return "other_authority"
    return "" if ask.readable(path) else "out_of_scope"


def target_location(target: Target, version: int | None) -> str:
    """Spell a target before it was fetched."""
    return str(Location(target.path, version, target.fragment))
