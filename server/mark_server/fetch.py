"""`mark_fetch`: a document, a section, a window of either, or an outline.

Which of these is decided in the order that the surface promises; finding the document is the desk's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mark_expand import one_line, window_end
from mark_outline import Location, Outline, encode, unescape_cell
from mark_server.arguments import FetchArguments
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.envelope import Pair, answer, declared, envelope
from mark_server.statuses import explain
from mark_store import Document, Unavailable

# A whole body from this many bytes on is shown as its outline first.
LARGE_BODY = 8192
_MOST_ANCHORS = 40
_MOST_SHOWN = 120  # characters of what was asked for

Pairs = Sequence[Pair]


@dataclass(frozen=True, slots=True)
class Text:
    """The text that a url names, under the envelope keys that go with it."""

    pairs: Pairs
    text: str


async def fetch(desk: Desk, arguments: FetchArguments) -> str:
    """Answer a fetch.

    Raises:
        ArgumentError: The section does not exist, or the window is out of the text.
        StoreError: The document does not exist or cannot be read.
    """
    location, document = await desk.read(
        arguments.url, lambda where: desk.store.fetch(where.path, where.version, reader=desk.reader)
    )
    pairs = [*_pairs(document, verbose=arguments.verbose), *await _fate(desk, location)]
    if document.kind == "binary":
        return answer(envelope("ok", [*pairs, ("mode", "binary")]), f"{encode(document.path)} is not text\n")
    made = desk.outlines.of(document)
    text = _section(document, made, location.anchor) if location.anchor else document.body
    if arguments.budget or arguments.start is not None:
        return _window(desk, Text(pairs, text), arguments)
    if not location.anchor and made.size >= LARGE_BODY and not arguments.force:
        return answer(envelope("ok", [*pairs, ("mode", "outline")]), made.render_body(encode(document.path)))
    return answer(envelope("ok", pairs), text)


async def text_at(desk: Desk, url: str) -> str:
    """Give the whole text of a document or section, without an envelope.

    Raises:
        ArgumentError: The section does not exist, or the document is not text.
        StoreError: The document does not exist or cannot be read.
    """
    location, document = await desk.read(
        url, lambda where: desk.store.fetch(where.path, where.version, reader=desk.reader)
    )
    if document.kind == "binary":
        raise ArgumentError(f"{encode(document.path)} is not text")
    made = desk.outlines.of(document)
    return _section(document, made, location.anchor) if location.anchor else document.body


def _pairs(document: Document, *, verbose: bool) -> Pairs:
    lean: list[Pair] = [("version", document.version)]
    if not verbose:
        # An address may name the version that an excerpt came from: whoever pages on must see that it is old.
        newer = document.current if document.current != document.version else None
        return [*lean, ("current-version", newer)]
    return [
        *lean,
        ("current-version", document.current),
        ("content-hash", document.content_hash),
        ("etag", document.etag),
        ("modified", document.modified),
        *declared(document.metadata),
    ]


async def _fate(desk: Desk, location: Location) -> Pairs:
    """Say of a fixed version when there is no current one; whoever reads on from an excerpt must know."""
    if location.version is None:
        return []
    try:
        history = await desk.store.versions(location.path, reader=desk.reader)
    except Unavailable as error:
        # A version that is kept here can be read while its server cannot be asked.
        return [("note", f"whether this is the current version is not known; {explain(error)}")]
    return [("archived", "true")] if history.archived else []


def _section(document: Document, made: Outline, anchor: str) -> str:
    index = made.find(anchor)
    if index is None:  # a table escapes what would end its cell
        index = made.find(unescape_cell(anchor))
    if index is None:
        raise ArgumentError(_missing_section(document.path, made, anchor))
    section = made.sections[index]
    return document.body[section.char_start : section.char_end]


def _missing_section(path: str, made: Outline, anchor: str) -> str:
    anchors = made.anchors()
    shown = ", ".join(anchors[:_MOST_ANCHORS]) or "none, the document has no headings"
    more = f" +{len(anchors) - _MOST_ANCHORS} more" if len(anchors) > _MOST_ANCHORS else ""
    wanted = one_line(anchor)[:_MOST_SHOWN]
    return f"section #{wanted} not found in {encode(path)}; available anchors: {shown}{more}"


def _window(desk: Desk, whole: Text, arguments: FetchArguments) -> str:
    text, start = whole.text, arguments.start or 0
    last = max(0, len(text) - 1)
    if start > last:
        raise ArgumentError(
            f"start must be from 0 to {last}, where the last character is, got {start}; for example start=0"
        )
    page_size = desk.settings.page
    budget = arguments.budget or page_size
    counter, limit = desk.counter, desk.counter.units(budget)

    def page(end: int) -> str:
        following = f"start={end}" if end < len(text) else None
        return answer(envelope("ok", [*whole.pairs, ("next", following)]), text[start:end])

    def fits(end: int) -> bool:
        return counter.count(page(end)) <= limit

    end = window_end(text, start, fits)
    if not fits(end) or (end == start and text):
        least = counter.tokens(counter.count(page(min(len(text), start + 1))))
        raise ArgumentError(
            f"budget must leave room for text, got {budget}: envelope and one character take {least} tokens; "
            f"for example budget={max(page_size, 2 * least)}"
        )
    return page(end)
