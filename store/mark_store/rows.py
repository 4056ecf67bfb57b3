"""Hits as the rows that a caller gets: read from stored outlines and stored text, nothing is parsed."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from .contents import Contents
from .databases import Session
from .passages import place, shown_trail
from .port import Row
from .ranking import Hit
from .shelved import Shelved, with_ids
from .snippet import snippet

_BETWEEN = " › "


def section_rows(
    session: Session, hits: Sequence[Hit], terms: Sequence[str], called: Collection[int]
) -> tuple[list[Row], list[Shelved]]:
    """A row for each passage hit, and the documents that they are in."""
    documents = with_ids(session.index, {hit.document for hit in hits})
    read = {number: _read(session, document) for number, document in documents.items()}
    rows = []
    for hit in hits:
        number, piece = place(hit.rowid)
        contents, body = read[number]
        start, end = contents.span(piece)
        line = snippet(body[start:end], terms)
        row = _row(documents[number], contents, piece, line, hit.score)
        rows.append(replace(row, named=hit.rowid in called))
    return rows, list(documents.values())


def document_rows(session: Session, scores: Sequence[tuple[int, float]]) -> tuple[list[Row], list[Shelved]]:
    """A bare row for each document id with its score, in order, and the documents."""
    documents = with_ids(session.index, [number for number, _ in scores])
    rows = []
    for number, score in scores:
        contents = documents[number].contents()
        assert contents is not None, "binary documents are no rows"
        rows.append(_row(documents[number], contents, 0, "", score))
    return rows, list(documents.values())


def headings(session: Session) -> Callable[[int], str]:
    """A function that gives the heading of a passage, "" for the text before the first one."""
    known: dict[int, Contents | None] = {}

    def heading(row: int) -> str:
        number, piece = place(row)
        if number not in known:
            known[number] = with_ids(session.index, [number])[number].contents()
        contents = known[number]
        return contents.titles[piece - 1] if contents and piece else ""

    return heading


def _read(session: Session, document: Shelved) -> tuple[Contents, str]:
    contents = document.contents()
    assert contents is not None, "a passage is of a text"
    return contents, document.body(session)


def _row(document: Shelved, contents: Contents, piece: int, line: str, score: float) -> Row:
    return Row(
        path=document.path,
        anchor=contents.anchor(piece),
        title=_BETWEEN.join(shown_trail(document.title, contents.trail(piece))),
        tags=document.tags,
        importance=document.importance,
        snippet=line,
        score=score,
        version=document.version,
        costs=contents.costs(piece),
    )
