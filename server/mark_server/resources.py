"""Documents as resources: one template that reads a document or a section, and the completion of its path.

Nothing is listed: a store may hold a hundred thousand documents, and clients show every resource that is.
The text is the one that `mark_fetch` gives, without the envelope.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_types import ResourceTemplate

from mark_outline import decode, encode
from mark_server.desk import Desk
from mark_server.fetch import text_at
from mark_store import NotFound, StoreError

SCHEME = "mark://"
URI_TEMPLATE = "mark://{+path}"
TEMPLATE = ResourceTemplate(
    name="document",
    title="Document or section",
    uri_template=URI_TEMPLATE,
    description="A markdown document (mark:///path.md), a section of it (#anchor) or an old version (/vN).",
    mime_type="text/markdown",
)

# What the protocol allows in one answer.
MOST_VALUES = 100
# A folder is read so far for a completion: entries of one page, and pages.
_PAGE_SIZE = 1000
_MOST_PAGES = 10


@dataclass(frozen=True, slots=True)
class Completions:
    """Values that go on from what was typed; `more` when there are others."""

    values: list[str]
    more: bool


async def read_resource(desk: Desk, uri: str) -> str:
    """Give the text of the document or section that a `mark://` URI names.

    Raises:
        ArgumentError: The section does not exist, or the document is not text.
        StoreError: The document does not exist or cannot be read.
    """
    await desk.ready(desk.settings.patience)
    try:
        return await text_at(desk, uri)
    except NotFound:
        if not uri.startswith(SCHEME) or not desk.is_alone:
            raise
    return await text_at(desk, "/" + uri.removeprefix(SCHEME).lstrip("/"))


async def complete_path(desk: Desk, typed: str) -> Completions:
    """Complete a path, one level at a time; after a `#` an anchor. What may not be read does not exist."""
    await desk.ready(desk.settings.patience)
    try:
        if "#" in typed:
            return await _anchors(desk, typed)
        return await _paths(desk, typed.removeprefix(SCHEME).lstrip("/"))
    except StoreError:
        return Completions([], more=False)


async def _paths(desk: Desk, typed: str) -> Completions:
    above, _, start = decode(typed).rpartition("/")
    # Of several stores the first part is a store's name, and there is nothing above it.
    root = "/" if desk.is_alone else SCHEME
    folder = root + above
    found: list[str] = []
    cursor: str | None = ""
    for _ in range(_MOST_PAGES):
        page = await desk.store.list(folder, cursor or "", _PAGE_SIZE, reader=desk.reader)
        names = [entry.path for entry in page.entries if entry.kind != "binary"]
        fitting = [name for name in names if name[len(folder) :].lstrip("/").startswith(start)]
        found += [encode(name.removeprefix(SCHEME)) for name in fitting]
        cursor = page.cursor
        if cursor is None or len(found) > MOST_VALUES:
            break
    return Completions(found[:MOST_VALUES], more=cursor is not None or len(found) > MOST_VALUES)


async def _anchors(desk: Desk, typed: str) -> Completions:
    path, _, start = typed.partition("#")
    shown = ("/" if desk.is_alone else "") + path.removeprefix(SCHEME).lstrip("/")
    where = shown if desk.is_alone else SCHEME + shown
    _, document = await desk.read(
        where, lambda place: desk.store.fetch(place.path, place.version, reader=desk.reader)
    )
    made = desk.outlines.of(document)
    found = [f"{shown}#{encode(anchor)}" for anchor in made.anchors() if anchor.startswith(decode(start))]
    return Completions(found[:MOST_VALUES], more=len(found) > MOST_VALUES)
