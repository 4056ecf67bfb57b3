"""One lookup against one state of the index: which rows, in which order, of how many."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mark_outline import fold, terms

from .condition import Condition, all_of, among, how_many
from .databases import Session
from .errors import BadQuery
from .filters import conditions
from .metadata import compared
from .naming import named
from .paths import storable
from .port import Match, Row
from .ranking import HEAD, ranked
from .reader import Reader
from .restriction import Restriction, readable, resolved
from .rows import document_rows, headings, section_rows
from .scoring import best
from .shelved import Shelved
from .weight import weighty
from .words import MOST_TERMS, any_of, asked, forms

# No index has more rows, and SQLite's numbers end somewhere.
MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments of a lookup."""

    query: str
    scope: str
    filter: str
    limit: int
    offset: int
    match: Match
    reader: Reader

    def check(self) -> None:
        """Refuse a page that cannot be.

        Raises: BadQuery.
        """
        if not 1 <= self.limit <= MOST:
            raise BadQuery("limit", str(self.limit), f"1 to {MOST}")
        if not 0 <= self.offset <= MOST:
            raise BadQuery("offset", str(self.offset), f"0 to {MOST}")
        if self.match not in {"body", "catalog"}:
            raise BadQuery("match", str(self.match), "body or catalog")

    @property
    def terms(self) -> tuple[str, ...]:
        """What to look for; nothing means every document."""
        query = storable(self.query)
        return () if query.strip() == "*" else terms(asked(query))[:MOST_TERMS]


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of one page, how many there are in all, and the documents whose files the page speaks of.

    `named` are the rows at the beginning of all pages that the query calls by name.
    """

    rows: list[Row]
    total: int
    documents: list[Shelved]
    named: int = 0


def answered(session: Session, question: Question) -> Answer:
    """Answer from what the index holds now.

    Raises: NotFound, BadFilter.
    """
    index = session.index
    others = (*conditions(question.filter), *readable(index, question.reader))
    restriction = Restriction(resolved(index, question.scope, question.reader), others)
    wanted = question.terms
    if wanted and question.match == "body":
        return _passages(session, question, restriction, wanted)
    return _documents(session, question, restriction, wanted)


def _passages(
    session: Session, question: Question, restriction: Restriction, wanted: tuple[str, ...]
) -> Answer:
    index = session.index
    importance = dict(index.execute("SELECT id, importance FROM document WHERE importance <> 0.5"))
    last = question.offset + question.limit
    called = named(index, question.query, restriction, wanted, headings(session))
    heavy = weighty(question.query, called.rest)
    found, total = best(index, restriction, forms(wanted), forms(heavy), max(HEAD, last), importance)
    total += _beside(index, restriction, wanted, called.passages)
    hits = ranked(found, called.passages, question.offset, last, lambda ids: _paths(index, ids))
    rows, documents = section_rows(session, hits, wanted, frozenset(called.passages))
    return Answer(rows, total, documents, len(called.passages))


def _beside(
    index: sqlite3.Connection, restriction: Restriction, wanted: tuple[str, ...], called: Collection[int]
) -> int:
    """How many rows of named documents do not match, so that they are not among those counted."""
    if not called:
        return 0
    where = all_of([restriction.passages(any_of(forms(wanted))), among("rowid", tuple(called))])
    held = index.execute(where.select("count(*)", "passage"), where.parameters).fetchone()[0]
    return len(called) - int(held)


def _documents(
    session: Session, question: Question, restriction: Restriction, wanted: tuple[str, ...]
) -> Answer:
    """Documents by how many terms their title holds or their tags equal, then by importance and path.

    Without terms all of them.
    """
    where = restriction.documents()
    total, page = (_catalogued if wanted else _listed)(session.index, question, where)
    rows, documents = document_rows(session, page)
    return Answer(rows, total, documents)


def _listed(
    index: sqlite3.Connection, question: Question, where: Condition
) -> tuple[int, list[tuple[int, float]]]:
    total = index.execute(where.select("count(*)"), where.parameters).fetchone()[0]
    page = index.execute(
        where.select("id, 1.0", then="ORDER BY importance DESC, path LIMIT ? OFFSET ?"),
        (*where.parameters, question.limit, question.offset),
    )
    return int(total), page.fetchall()


def _catalogued(
    index: sqlite3.Connection, question: Question, where: Condition
) -> tuple[int, list[tuple[int, float]]]:
    tagged = "id IN (SELECT document FROM field WHERE key='tag' AND value=?)"
    told = [
        Condition(f"instr(folded, ?) > 0 OR {tagged}", (fold(term), compared(term)))
        for term in question.terms
    ]
    points = how_many([*told, Condition(tagged, (compared(storable(question.query)),))])
    inner = where.select(f"id, importance, path, {points.sql} AS points")
    scored = index.execute(
        # Only words of this package are in it; documents without a point never leave SQLite.
        f"SELECT id, points FROM ({inner}) WHERE points ORDER BY points DESC, importance DESC, path",  # noqa: S608 - see above
        (*points.parameters, *where.parameters),
    )
    found = [(int(number), float(score)) for number, score in scored]
    return len(found), found[question.offset : question.offset + question.limit]


def _paths(index: sqlite3.Connection, ids: Collection[int]) -> Mapping[int, str]:
    where = among("id", ids)
    return dict(index.execute(where.select("id, path"), where.parameters).fetchall())
