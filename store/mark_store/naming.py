"""The documents that a question calls by name, and the passage of each that stands for it.

Which names there are is `names`'; what it was worth stands in decision 0016.
"""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from mark_outline import Presence, root

from .condition import Condition, all_of, among
from .names import Mention, mentions, telling, words
from .passages import rowid
from .restriction import Restriction, Scope
from .schema import PIECE_BITS
from .words import any_of, forms

# Documents called by name that stand before all others.
MOST = 4
# A name that more documents bear says nothing.
_SHARED = 8
# Documents of one name that are taken for it.
_ALIKE = 2
# A lone word that is written like any other is a name when it is in one of so many passages at most.
_RARE = 200
# One that is written like a name, as `API`, is none when more than one in so many of the others hold it, and
# more than a few do.
_COMMON = 5
_FEW = 8
# The heading of a passage's own section.
Headings = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Named:
    """The passage of each document that a question names, in the question's order, and its other words.

    The passage is the first whose heading holds most of these; where none does, that of the document.
    """

    passages: list[int]
    rest: tuple[str, ...]


def named(
    index: sqlite3.Connection,
    query: str,
    restriction: Restriction,
    wanted: Sequence[str],
    headings: Headings,
) -> Named:
    """Find the documents that a question names; `wanted` are its terms."""
    called = _called(index, query, restriction)
    said = {word for mention, _ in called for word in mention.name.split()}
    rest = tuple(term for term in wanted if not set(words(root(term))) <= said)
    documents = [document for _, found in called for document in found]
    best = _headed(index, documents, rest, headings) if documents else {}
    passages = [best.get(document, rowid(document, 0)) for document in dict.fromkeys(documents)]
    return Named(passages[:MOST], rest)


def _called(
    index: sqlite3.Connection, query: str, restriction: Restriction
) -> list[tuple[Mention, list[int]]]:
    said = mentions(query)
    bearers = _bearers(index, {mention.name for mention in said}, restriction)
    known = [mention for mention in said if 0 < len(bearers.get(mention.name, ())) <= _SHARED]
    taken: set[int] = set()
    chosen: list[Mention] = []
    # The longest match first; what lies inside or across it is no name of its own.
    for mention in sorted(known, key=lambda one: (one.first - one.stop, one.first)):
        span = set(range(mention.first, mention.stop))
        if not span & taken and _tells(index, mention, bearers[mention.name], restriction):
            taken |= span
            chosen.append(mention)
    return [(one, bearers[one.name][:_ALIKE]) for one in sorted(chosen, key=lambda one: one.first)]


def _tells(
    index: sqlite3.Connection, mention: Mention, bearers: Sequence[int], restriction: Restriction
) -> bool:
    """Whether a mention is more than a word that stands everywhere (RK4)."""
    told = telling(mention.name)
    if mention.plain:
        return _holders(index, told, restriction) * _RARE <= _readable(index, restriction)
    if len(told) > 1 or told[0].isdigit():
        return True
    held = _holders(index, told, restriction, bearers)
    return held <= _FEW or held * _COMMON <= _readable(index, restriction)


def _bearers(
    index: sqlite3.Connection, names: Collection[str], restriction: Restriction
) -> dict[str, list[int]]:
    where = all_of([among("name", sorted(names)), restriction.documents()])
    found: dict[str, list[int]] = {}
    columns, tables = "name, id", "name JOIN document ON name.document=document.id"
    for name, document in index.execute(
        where.select(columns, tables, "ORDER BY name, path"), where.parameters
    ):
        found.setdefault(name, []).append(document)
    return found


def _holders(
    index: sqlite3.Connection, told: Sequence[str], restriction: Restriction, besides: Sequence[int] = ()
) -> int:
    """How many passages hold a word, of those that may be read: others must not show (RS1)."""
    anywhere = Restriction(Scope(), restriction.others)
    marks = ", ".join("?" * len(besides))
    elsewhere = Condition(f"(rowid >> {PIECE_BITS}) NOT IN ({marks})", tuple(besides))
    where = all_of([anywhere.passages(any_of(tuple(told))), elsewhere])
    return int(index.execute(where.select("count(*)", "passage"), where.parameters).fetchone()[0])


def _readable(index: sqlite3.Connection, restriction: Restriction) -> int:
    """How many passages may be read."""
    known = Condition("1", ())
    if restriction.others:
        inner = all_of(restriction.others)
        known = Condition(f"(id >> {PIECE_BITS}) IN ({inner.select('id')})", inner.parameters)
    where = known.select("count(*)", "passage_docsize")
    return int(index.execute(where, known.parameters).fetchone()[0])


def _headed(
    index: sqlite3.Connection, documents: Collection[int], rest: Sequence[str], headings: Headings
) -> dict[int, int]:
    """For each document the first passage of those whose own heading holds most of the words `rest`."""
    if not rest:
        return {}
    inside = among(f"(rowid >> {PIECE_BITS})", tuple(documents))
    told = Condition("passage MATCH ?", (f"{{trail}} : ({any_of(forms(rest))})",))
    where = all_of([told, inside])
    # Not by score: how rare a word is, is counted over what may not be read, too.
    found: dict[int, tuple[int, int]] = {}
    for (row,) in index.execute(where.select("rowid", "passage", "ORDER BY rowid"), where.parameters):
        held = Presence(headings(row)).count(rest)
        if held > found.get(row >> PIECE_BITS, (0, 0))[0]:
            found[row >> PIECE_BITS] = held, row
    return {document: row for document, (_, row) in found.items()}
