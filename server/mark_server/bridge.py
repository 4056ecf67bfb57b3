"""A second look, for questions that lead over a bridge: the best row names what the answer stands under.

"Where was the founder of the label born?" finds the label, whose text names the founder; the question does
not. So the names in the best row's text are looked up, with the words of the question that it leaves open.
What is found is tried after the two best rows and takes none of them away (RK5, decision 0016).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mark_outline import Presence, encode, fold, relations, terms
from mark_server.arguments import LookupArguments
from mark_server.desk import Desk
from mark_store import Document, Row, StoreError

# After so many rows, so many documents; of so many names in so many characters of text.
_AFTER = 2
_FOUND = 2
_NAMES = 8
_CHARACTERS = 1500
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NEW_SENTENCE = re.compile(r"(?:[.!?…:]|\n)\s*$|^\s*$")

Placed = tuple[Row, int | None]


async def bridged(desk: Desk, arguments: LookupArguments, scope: str, rows: Sequence[Row]) -> list[Placed]:
    """Give the rows of a page in the order in which they are tried, each with its place on the page.

    A row without a place was found by the second look alone. There is none for a page further on, for a
    store that does not know what its rows cost (each look is a question to another machine), where the best
    row is none that the question names or answers all of its words, and where its document declares
    relations, which the hop follows.
    """
    placed: list[Placed] = [(row, place) for place, row in enumerate(rows)]
    plain = arguments.match == "body" and arguments.detail == "sections" and not arguments.offset
    if not (plain and rows and rows[0].named and rows[0].costs):
        return placed
    asked = terms(arguments.query)
    try:
        document = await desk.store.fetch(rows[0].path, reader=desk.reader)
        query = _further(document, rows[0], asked)
        if not query:
            return placed
        page = await desk.store.lookup(
            query, scope=scope, filter=arguments.filter, limit=2 * _FOUND + 1, reader=desk.reader
        )
    except StoreError:
        # The document of a row says why it cannot be had when the row's turn comes (F4).
        return placed
    return _with(placed, page.rows)


def _further(document: Document, row: Row, asked: Sequence[str]) -> str:
    """What to look up besides; nothing where the document answers, or declares relations to follow."""
    declared, _ = relations(encode(document.path), document.metadata)
    if declared:
        return ""
    text = _told(document, row.anchor)
    present = Presence(f"{row.title}\n{text}")
    left_open = [term for term in asked if not present.holds_akin(term)]
    known = {fold(word) for term in asked for word in _WORD.findall(term)}
    found = list(dict.fromkeys(_names(text, known)))[:_NAMES] if left_open else []
    return " ".join([*left_open, *found]) if found else ""


def _told(document: Document, anchor: str) -> str:
    """The beginning of a section's own text, or of the document's."""
    start, end = 0, len(document.body)
    if document.outline and (index := document.outline.find(anchor) if anchor else None) is not None:
        section = document.outline.sections[index]
        start, end = section.char_start, section.char_own_end
    return document.body[start : min(end, start + _CHARACTERS)]


def _names(text: str, known: Iterable[str]) -> Iterator[str]:
    """Runs of capitalised words inside sentences, without words that are known.

    >>> list(_names("The Isle opened in June. Its Old Mill was built by Ada Finch.", {"june"}))
    ['Isle', 'Old Mill', 'Ada Finch']
    """
    run: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        between, word = text[end : match.start()], match[0]
        end = match.end()
        if run and between != " ":
            yield " ".join(run)
            run = []
        if word[0].isupper() and not _NEW_SENTENCE.search(text[max(0, match.start() - 4) : match.start()]):
            run += [] if fold(word) in known else [word]
        elif run:
            yield " ".join(run)
            run = []
    if run:
        yield " ".join(run)


def _with(placed: list[Placed], found: Iterable[Row]) -> list[Placed]:
    """Put what was found behind the best rows, one row a document; a row of the page moves up."""
    places = {(row.path, row.anchor): place for row, place in placed}
    best: dict[str, Row] = {}
    for row in found:
        if row.path != placed[0][0].path:
            best.setdefault(row.path, row)
    early = placed[:_AFTER]
    kept = {(row.path, row.anchor) for row, _ in early}
    bridge: list[Placed] = [
        (row, places.get((row.path, row.anchor)))
        for row in list(best.values())[:_FOUND]
        if (row.path, row.anchor) not in kept
    ]
    moved = {place for _, place in bridge}
    return [*early, *bridge, *(one for one in placed[_AFTER:] if one[1] not in moved)]
