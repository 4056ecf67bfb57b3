"""A second look, for questions that the best row answers in part.

"Where was the founder of the label born?" finds the label, whose text names the founder; the question does
not. So the names in the text of a document that the question names are looked up, with the words that it
leaves open (RK5). Where the best row is of another document, the rows below often hold the same words once
more, and those that are left open are looked up alone (RK6). What is found is tried after the best rows and
takes none of them away; decision 0016.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import anyio

from mark_outline import Presence, decode, encode, fold, plain, relations, terms
from mark_server.arguments import LookupArguments
from mark_server.desk import Desk
from mark_store import Document, Row, StoreError

# After so many rows, after more where the hop follows what the best document declares, so many documents
# over a bridge, and one for words left open: at least so many of them.
_AFTER = 2
_AFTER_HOP = 4
_FOUND = 2
# Of one document so many rows stand before those of others (ST4).
_ROWS = 3
_OPEN = 3
# Of so many names in so many characters of text.
_NAMES = 8
_CHARACTERS = 1500
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NEW_SENTENCE = re.compile(r"(?:[.!?…:]|\n)\s*$|^\s*$")

Placed = tuple[Row, int | None]
# What came of a document that was read: it is not read again (F1).
Read = dict[str, Document | StoreError]


async def bridged(
    desk: Desk, arguments: LookupArguments, scope: str, rows: Sequence[Row]
) -> tuple[list[Placed], Read]:
    """Give the rows of a page in the order in which they are tried, each with its place on the page, and what
    was read for it.

    A row without a place was found by the second look alone. There is none for a page further on, for a
    store that does not know what its rows cost (each look is a question to another machine), and where the
    best row answers the question or too little of it. What the hop will print of what the best document
    declares is left to it. It takes half of the deadline at most.
    """
    placed: list[Placed] = [(row, place) for place, row in enumerate(rows)]
    plain = arguments.match == "body" and arguments.detail == "sections" and not arguments.offset
    read: Read = {}
    if plain and rows and rows[0].costs and (rows[0].named or len(terms(arguments.query)) >= 2 * _OPEN):
        with anyio.move_on_after(desk.settings.deadline / 2):
            placed = await _looked_again(desk, arguments, scope, placed, read)
    return placed, read


async def _looked_again(
    desk: Desk, arguments: LookupArguments, scope: str, placed: list[Placed], read: Read
) -> list[Placed]:
    best = placed[0][0]
    try:
        document = read[best.path] = await desk.store.fetch(best.path, reader=desk.reader)
    except StoreError as error:
        # It says so when the row's turn comes (F4).
        read[best.path] = error
        return placed
    query = (_further if best.named else _complement)(document, best, terms(arguments.query))
    if not query:
        return placed
    declared, followed = _declared(document, desk.settings.limits.related)
    known = {plain(document.path), *followed}
    try:
        page = await desk.store.lookup(
            query,
            scope=scope,
            filter=arguments.filter,
            limit=_FOUND + _ROWS * len(known),
            reader=desk.reader,
        )
    except StoreError:
        # The rows are there all the same; what else they need says so (F4).
        return placed
    found = [row for row in page.rows if plain(row.path) not in known]
    return _with(placed, _AFTER_HOP if declared else _AFTER, found, _FOUND if best.named else 1)


def _declared(document: Document, most: int) -> tuple[bool, set[str]]:
    """Whether a document declares anything, and the documents that the hop tells of: all, or none is sure."""
    declared, _ = relations(encode(document.path), document.metadata)
    followed = {plain(decode(relation.target)) for relation in declared if not relation.fragment}
    return bool(declared), followed if len({relation.target for relation in declared}) <= most else set()


def _further(document: Document, row: Row, asked: Sequence[str]) -> str:
    """What to look up besides; nothing where the document answers."""
    text = _told(document, row.anchor)
    left_open = _left_open(row, text, asked)
    known = {fold(word) for term in asked for word in _WORD.findall(term)}
    found = list(dict.fromkeys(_names(text, known)))[:_NAMES] if left_open else []
    # In small letters no name weighs more than the words left open, and no common word is taken for one.
    # They come first: of very many words the last are not looked up.
    return " ".join([*found, *left_open]).lower() if found else ""


def _complement(document: Document, row: Row, asked: Sequence[str]) -> str:
    """What the row leaves open: three words or more, and no more than half of them, or it answers little."""
    left_open = _left_open(row, _told(document, row.anchor), asked)
    return " ".join(left_open) if _OPEN <= len(left_open) <= len(asked) // 2 else ""


def _left_open(row: Row, text: str, asked: Sequence[str]) -> list[str]:
    """The words that neither a text nor the name of its document holds: `adr 7` is `/adr/0007-queues.md`."""
    present = Presence(f"{row.title}\n{row.path}\n{text}")
    numbers = _numbers(row.path) if row.named else set()
    called = [bool(_numbers(term)) and _numbers(term) <= numbers for term in (*asked, "")]
    return [
        term
        for place, term in enumerate(asked)
        if not (called[place] or called[place + 1] or present.holds_akin(term))
    ]


def _numbers(text: str) -> set[str]:
    return {number.lstrip("0") for number in _NUMBER.findall(text)}


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


def _with(placed: list[Placed], after: int, found: Iterable[Row], most: int) -> list[Placed]:
    """Put `most` of what was found behind the best rows, one row a document; a row of the page moves up."""
    places = {(row.path, row.anchor): place for place, (row, _) in enumerate(placed)}
    best: dict[str, Row] = {}
    for row in found:
        best.setdefault(row.path, row)
    early = placed[:after]
    kept = {(row.path, row.anchor) for row, _ in early}
    # That the second query calls a document by its name does not mean that the question did.
    bridge = [
        placed[places[key]]
        if (key := (row.path, row.anchor)) in places
        else (replace(row, named=False), None)
        for row in list(best.values())[:most]
        if (row.path, row.anchor) not in kept
    ]
    moved = {place for _, place in bridge}
    return [*early, *bridge, *(one for one in placed[after:] if one[1] not in moved)]
