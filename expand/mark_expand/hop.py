"""The targets of one hop: in which order, and which are never tried (H1, H2, H3, H5, H6).

What a target prints, and whether it fits, is left to `related`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mark_expand.ask import Ask
from mark_expand.frame import reference
from mark_expand.trace import Reason
from mark_outline import Relation, authority, decode, encode, plain, same_authority

# H2: these first, as one tier.
_FIRST_TIER = frozenset({"supersedes", "superseded-by", "depends-on", "implements", "derived-from"})


@dataclass(frozen=True, slots=True)
class Target:
    """One declared target: the path to fetch (decoded), the fragment, and its printed spelling.

    `skip` says why it is never fetched, "" when it may be; `aside`: the question does not ask for it, but for
    another that the same document declares (HP1).
    """

    path: str
    fragment: str
    where: str
    skip: Reason = ""
    aside: bool = False


def targets(relations: Sequence[Relation], source: str, ask: Ask, *, early: bool = False) -> list[Target]:
    """Order and sift the relations that the document `source` declares; each target once a fragment."""
    names = {**ask.names, **dict.fromkeys(ask.aliases, "")}
    rows = {plain(home(row.path, names)): row.path for row in ask.rows}
    here = plain(home(source, names))
    found: dict[tuple[str, str], Target] = {}
    paths: dict[str, str] = {}
    asked = ask.asked_for(relations) if early else frozenset()

    def place(relation: Relation) -> tuple[bool, bool, bool]:
        unasked, later = _tier(relation, asked)
        return unasked, early and plain(home(decode(relation.target), names)) not in rows, later

    for relation in sorted(relations, key=place):
        path = home(decode(relation.target), names)
        one = plain(path)
        barred = {here} if early else rows
        skip: Reason = "is_row" if one in barred else _skip(path, here, ask)
        where = reference(relation.target, relation.fragment)
        # A document is fetched under one spelling, a row's under the row's own, so that it is fetched once.
        spelt = paths.setdefault(one, rows.get(one, path))
        aside = bool(asked) and relation.predicate not in asked
        target = Target(spelt, relation.fragment, where, skip, aside)
        found.setdefault((one, relation.fragment), target)
    return list(found.values())


def sources(target: str, ask: Ask) -> list[Target]:
    """The documents that declare what a question asks for backwards, in the order of their line (HP5)."""
    told = [source for predicate, source in ask.incoming.get(target, ()) if predicate in ask.backwards]
    return [Target(source, "", encode(source), _skip(source, target, ask)) for source in dict.fromkeys(told)]


def foremost(relations: Sequence[Relation], asked: frozenset[str], most: int) -> tuple[Relation, ...]:
    """Give those that are wanted first, at most so many, in the order of the line (R2)."""
    order = sorted(range(len(relations)), key=lambda place: _tier(relations[place], asked))
    return tuple(relations[place] for place in sorted(order[:most]))


def _tier(relation: Relation, asked: frozenset[str]) -> tuple[bool, bool]:
    return relation.predicate not in asked, relation.predicate not in _FIRST_TIER


def home(path: str, names: Mapping[str, str]) -> str:
    """Give a path its one spelling: host in lower case, no default port, the store's own name (H6).

    `names` gives it to the authorities that have another one; the name "" makes a path bare.

    >>> home("mark://Isle:6309/a.md", {})
    'mark://isle/a.md'
    >>> home("mark://isle/a.md", {"isle": ""}), home("mark://isle.example/a.md", {"isle.example": "isle"})
    ('/a.md', 'mark://isle/a.md')
    """
    host = authority(path)
    # What is no server's URL, `mailto:` or `https:`, has no other spelling.
    if not host or not same_authority(path, path):
        return path
    rest = "/" + path.split("://", 1)[1].partition("/")[2]
    name = names.get(host, host)
    return f"mark://{name}{rest}" if name else rest


def _skip(path: str, here: str, ask: Ask) -> Reason:
    if not same_authority(path, here):
        return "other_authority"
    return "" if ask.readable(path) else "out_of_scope"
