"""Answers of Mark servers as the store's values, and their status words as its errors.

Which keys are the protocol's and which are a publisher's is said here, for the server's side too.
"""

import re
from typing import Final

from .errors import (
    Archived,
    BadFilter,
    BadQuery,
    NotFound,
    NotPermitted,
    ProtocolError,
    Pruned,
    StoreError,
    Unauthorized,
    Unavailable,
)
from .naming import MOST
from .port import Document, History, Match, Moved, Page, Progress, Row
from .wire_fields import Fields
from .wire_listing import read_entries, read_versions
from .wire_response import Response
from .wire_table import read_table

OWN: Final = frozenset(
    ("status", "version", "current-version", "etag", "modified", "content-hash", "body-start", "kind")
)
"""Keys of a FETCH answer that are not the publisher's."""
DECLARED: Final = "metadata-"
"""Stands before a publisher's key that would be taken for one of those."""

_INDEXING = re.compile(r"([0-9]{1,12})/([0-9]{1,12})", re.ASCII)
_MOVED = re.compile(r"(/.*)/v([1-9][0-9]{0,14})", re.DOTALL)
_WORDS = 200


def failure(response: Response, path: str, place: str, variable: str) -> StoreError:
    """Give the error that a status other than `ok` stands for; `path` is what was asked about.

    Raises: ProtocolError, when the status is no word of the protocol.
    """
    word = response.status(place)
    match word:
        case "not-found":
            return NotFound(path)
        case "archived":
            return _archived(response, path, place)
        case "unauthorized":
            return Unauthorized(place, variable)
        case "not-permitted":
            return NotPermitted(path)
        case "bad-request":
            return _bad(response.fields) or ProtocolError(place, f"bad-request: {words(response)}")
        case "unavailable" | "server-error":
            return Unavailable(place, f"{word}: {words(response)}")
        case _:
            return ProtocolError(place, f"answered {word}: {words(response)}")


def document(response: Response, path: str, place: str) -> Document:
    """Give the document of a FETCH answer.

    Raises: ProtocolError.
    """
    fields = response.fields
    version = response.number("version", place)
    binary = fields.get("kind") == "binary"
    return Document(
        path=path,
        version=version,
        body="" if binary else response.text(place),
        metadata=published(fields),
        etag=fields.get("etag", ""),
        modified=fields.get("modified", ""),
        content_hash=fields.get("content-hash", ""),
        body_start=response.number("body-start", place) or 0,
        outline=None,
        kind="binary" if binary else "text",
        current=response.number("current-version", place) or version,
    )


def published(fields: Fields) -> dict[str, str]:
    """Give the publisher's own keys of a FETCH answer.

    >>> published({"status": "ok", "owner": "Ann", "metadata-status": "accepted"})
    {'owner': 'Ann', 'status': 'accepted'}
    """
    return {_bare(key): value for key, value in fields.items() if key not in OWN}


def publishing(metadata: Fields) -> dict[str, str]:
    """Give a publisher's keys as a FETCH answer has them; `published` undoes it.

    >>> publishing({"owner": "Ann", "status": "accepted"})
    {'owner': 'Ann', 'metadata-status': 'accepted'}
    """
    return {
        f"{DECLARED}{key}" if key in OWN or key.startswith(DECLARED) else key: value
        for key, value in metadata.items()
    }


def rows(response: Response, place: str) -> tuple[tuple[Row, ...], int, Match]:
    """Give rows, matches and the match that was used of a LOOKUP answer.

    Raises: ProtocolError.
    """
    match: Match = "body" if response.fields.get("match") == "body" else "catalog"
    matches = response.number("matches", place)
    if matches == 0:
        return (), 0, match
    found = tuple(read_table(response.text(place), match, place))
    return found, max(len(found), matches or 0), match


def named(response: Response, place: str) -> int:
    """Give how many rows, at the beginning of all, are documents that the question calls by name.

    Raises: ProtocolError.
    """
    return min(response.number("named", place) or 0, MOST)


def indexing(response: Response) -> Progress | None:
    """Give how far the server's index is, where it says that it is not complete."""
    found = _INDEXING.fullmatch(response.fields.get("indexing", ""))
    return Progress(int(found[1]), int(found[2])) if found else None


def page(response: Response, folder: str, place: str) -> Page:
    """Give the page of a LIST answer.

    Raises: ProtocolError.
    """
    entries = read_entries(response.text(place), folder, place)
    total = response.number("entries", place) or 0
    return Page(folder, entries, max(total, len(entries)), response.fields.get("next-cursor") or None)


def history(response: Response, path: str, place: str) -> History:
    """Give the history of a VERSIONS answer.

    Raises: ProtocolError, also when it has no versions.
    """
    found = read_versions(response.text(place), place)
    if not found:
        raise ProtocolError(place, "the answer lists no version")
    return History(
        path=path,
        current=response.number("current", place) or found[0].number,
        archived=response.fields.get("archived") == "true",
        versions=found,
        moved_from=_moved(response.fields.get("moved-from", "")),
        moved_to=_moved(response.fields.get("moved-to", "")),
    )


def words(response: Response) -> str:
    """Give the peer's own words: the beginning of a body, on one line."""
    text = response.body[: 4 * _WORDS].decode(errors="replace")
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line[:_WORDS] or "it says no more"


def _bare(key: str) -> str:
    inner = key.removeprefix(DECLARED)
    return inner if inner in OWN or inner.startswith(DECLARED) else key


def _archived(response: Response, path: str, place: str) -> StoreError:
    number = response.number("version", place)
    if response.fields.get("pruned") == "true" and number is not None:
        return Pruned(path, number)
    return Archived(path, number)


def _bad(fields: Fields) -> StoreError | None:
    argument, value, allowed = (fields.get(key, "") for key in ("argument", "value", "allowed"))
    if not argument or not allowed:
        return None
    return BadFilter(value, allowed) if argument == "filter" else BadQuery(argument, value, allowed)


def _moved(text: str) -> Moved | None:
    found = _MOVED.fullmatch(text)
    return Moved(found[1], int(found[2])) if found else None
