"""Declared relations as the store keeps them: read from a document's metadata, and found from their target.

What a document declares is in its metadata; the index keeps the other direction. Which keys and references
are relations is `mark_outline`'s part, printing and following them the expansion's.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mark_outline import authority, decode, encode, relations, same_authority

from .condition import Condition, all_of, among
from .disk import Stamp
from .errors import BadQuery
from .paths import is_storable, nfc, rooted
from .port import Link
from .reader import Reader
from .restriction import readable

MOST_LINKS = 1_000_000
_IN_ORDER = "ORDER BY predicate, path, fragment LIMIT ?"
# SQLite allows 32,766 values in a statement; a few at a time are as quick.
_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The arguments of `related`; `own` are the authorities that mean this very store (H6)."""

    path: str
    predicates: tuple[str, ...]
    incoming: bool
    limit: int
    reader: Reader
    own: frozenset[str]

    def check(self) -> None:
        """Refuse a limit that cannot be.

        Raises: BadQuery.
        """
        if not 1 <= self.limit <= MOST_LINKS:
            raise BadQuery("limit", str(self.limit), f"1 to {MOST_LINKS}")

    @property
    def place(self) -> str | None:
        """What is asked about, in the spelling of the index; None when this reader can see nothing there."""
        given = self.path
        if "\0" in given or not is_storable(given):
            return None
        if not given.startswith("/") and "://" in given:
            given = place(given, self.own)
        if not given.startswith("/") and "://" in given:
            return given
        name = rooted(given)
        return nfc(name) if name and self.reader.may_read(name) else None


def place(location: str, own: Collection[str] = ()) -> str:
    """The one spelling in which decoded targets are compared: NFC, and bare for what is in this store.

    >>> place("mark://Isle:6309/a.md"), place("mark://Isle/a.md", ("isle",)), place("mark:///a.md")
    ('mark://isle/a.md', '/a.md', '/a.md')
    """
    if location.startswith("/"):
        return nfc(location)
    if not same_authority(location, location):
        # What is on no Mark server, `mailto:` or `https:`, has no other spelling.
        return location
    host = authority(location)
    path = nfc("/" + location.partition("://")[2].partition("/")[2])
    return path if not host or host in own else f"mark://{host}{path}"


def declared(path: str, metadata: Mapping[str, str]) -> tuple[Link, ...]:
    """What the document at a path declares, each once, predicates sorted and references in their order (R1).

    >>> declared("/a b.md", {"rel-by": "c%20d.md#e, mark://isle/f.md, a%20b.md"})[0]
    Link(source='/a b.md', predicate='by', target='/c d.md', fragment='e')
    """
    found = dict.fromkeys(
        Link(path, relation.predicate, _target(relation.target), relation.fragment)
        for relation in relations(encode(path), metadata)[0]
    )
    return tuple(link for link in found if link.target != nfc(path))


def linked(index: sqlite3.Connection, asked: Inquiry) -> tuple[tuple[Link, ...], dict[str, Stamp]]:
    """The links of a document as the index knows them, and the stamps of the files that say so."""
    here = asked.place
    if here is None:
        return (), {}
    links = (_incoming if asked.incoming else _outgoing)(index, asked, here)[: asked.limit]
    sources = _stamps(index, sorted({link.source for link in links})) if asked.incoming else {}
    return tuple(links), sources or _stamps(index, [here], "nfc")


def _stamps(index: sqlite3.Connection, paths: Sequence[str], column: str = "path") -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    for first in range(0, len(paths), _AT_A_TIME):
        where = among(column, paths[first : first + _AT_A_TIME])
        rows = index.execute(where.select("path, size, mtime_ns, inode"), where.parameters)
        found |= {path: Stamp(*stamp) for path, *stamp in rows}
    return found


def _outgoing(index: sqlite3.Connection, asked: Inquiry, source: str) -> list[Link]:
    live = Condition("nfc=? AND NOT archived", (source,))
    tables = "document JOIN detail ON detail.document=document.id"
    row = index.execute(live.select("path, metadata", tables), live.parameters).fetchone()
    found: dict[Link, None] = {}
    for link in declared(row[0], json.loads(row[1])) if row else ():
        target = place(link.target, asked.own) if link.target.startswith("mark://") else link.target
        hidden = target.startswith("/") and not asked.reader.may_read(target)
        if target != source and not hidden and (not asked.predicates or link.predicate in asked.predicates):
            found[replace(link, target=target)] = None
    return list(found)


def _incoming(index: sqlite3.Connection, asked: Inquiry, target: str) -> list[Link]:
    spelled = [target, *(f"mark://{host}{target}" for host in asked.own if target.startswith("/"))]
    others = Condition("path IS NOT (SELECT path FROM document WHERE nfc=?)", (target,))
    seen = (others, *readable(index, asked.reader))
    found: set[Link] = set()
    for name in spelled:
        for wanted in _among_predicates(asked.predicates):
            where = all_of([Condition("target=?", (name,)), wanted, *seen])
            rows = index.execute(
                where.select("path, predicate, fragment", "relation", _IN_ORDER),
                (*where.parameters, asked.limit),
            )
            found |= {Link(path, predicate, target, fragment) for path, predicate, fragment in rows}
    return sorted(found, key=lambda link: (link.predicate, link.source, link.fragment))


def _among_predicates(predicates: tuple[str, ...]) -> list[Condition]:
    """One condition for each predicate, so that each is read in the order of the table and no further."""
    if not predicates:
        return [Condition("1")]
    return [Condition("predicate=?", (each,)) for each in sorted(set(filter(is_storable, predicates)))]


def _target(printed: str) -> str:
    """A target of a relation, decoded where it names a document."""
    return place(decode(printed)) if same_authority(printed, printed) else printed
