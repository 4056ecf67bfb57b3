"""One lookup against one state of the index: which rows, in which order, of how many."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mark_outline import fold, terms

from .databases import Session
from .errors import BadQuery
from .filters import Condition, conditions
from .metadata import compared
from .paths import storable
from .port import Match, Row
from .ranking import ranked
from .reader import Reader
from .restriction import Restriction, readable, resolved
from .rows import document_rows, section_rows
from .schema import WEIGHTS
from .shelved import Shelved
from .words import MOST_TERMS, any_of


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
        if self.limit < 1:
            raise BadQuery("limit", str(self.limit), "1 or more")
        if self.offset < 0:
            raise BadQuery("offset", str(self.offset), "0 or more")
        if self.match not in {"body", "catalog"}:
            raise BadQuery("match", str(self.match), "body or catalog")

    @property
    def terms(self) -> tuple[str, ...]:
        """What to look for; nothing means every document."""
        query = storable(self.query)
        return () if query.strip() == "*" else terms(query)[:MOST_TERMS]


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of one page, how many there are in all, and the documents whose files the page speaks of."""

    rows: list[Row]
    total: int
    documents: list[Shelved]


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


def _passages(session: Session, question: Question, restriction: Restriction, wanted: tuple[str, ...]) -> Answer:
    index = session.index
    where = restriction.passages(any_of(wanted))
    found = index.execute(
        f"SELECT bm25(passage, {WEIGHTS}), rowid FROM passage WHERE {where.sql}",  # noqa: S608 - our own conditions
        where.parameters,
    ).fetchall()
    importance = dict(index.execute("SELECT id, importance FROM document WHERE importance <> 0.5"))
    last = question.offset + question.limit
    hits = ranked(found, importance, question.offset, last, lambda ids: _paths(index, ids))
    rows, documents = section_rows(session, hits, wanted)
    return Answer(rows, len(found), documents)


def _documents(session: Session, question: Question, restriction: Restriction, wanted: tuple[str, ...]) -> Answer:
    """Documents by how many terms are in their title or are their tag, then by importance and path; all if no terms."""
    where = restriction.documents()
    points = _points(wanted, question.query) if wanted else Condition("1", ())
    scored = f"SELECT id, {points.sql} AS points, importance, path FROM document WHERE {where.sql}"  # noqa: S608 - our own conditions
    parameters = (*points.parameters, *where.parameters)
    run = session.index.execute
    total = run(f"SELECT count(*) FROM ({scored}) WHERE points > 0", parameters).fetchone()[0]  # noqa: S608
    page = run(
        f"SELECT id, points FROM ({scored}) WHERE points > 0"  # noqa: S608 - our own conditions
        " ORDER BY points DESC, importance DESC, path LIMIT ? OFFSET ?",
        (*parameters, question.limit, question.offset),
    ).fetchall()
    rows, documents = document_rows(session, [(number, float(score)) for number, score in page])
    return Answer(rows, int(total), documents)


def _points(wanted: tuple[str, ...], query: str) -> Condition:
    tagged = "EXISTS(SELECT 1 FROM field WHERE key='tag' AND value=? AND document=document.id)"
    parts = [Condition(f"(instr(folded, ?) > 0 OR {tagged})", (fold(term), compared(term))) for term in wanted]
    parts.append(Condition(tagged, (compared(storable(query)),)))
    return Condition(
        "(" + " + ".join(part.sql for part in parts) + ")",
        tuple(parameter for part in parts for parameter in part.parameters),
    )


def _paths(index: sqlite3.Connection, ids: Collection[int]) -> Mapping[int, str]:
    marks = ",".join("?" * len(ids))
    found = index.execute(f"SELECT id, path FROM document WHERE id IN ({marks})", tuple(ids))  # noqa: S608 - only marks
    return dict(found.fetchall())
