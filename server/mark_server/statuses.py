"""How the store's errors read: a status word in an envelope, or a reason in a note.

Errors carry facts; this is where they become text.
"""

from __future__ import annotations

from mark_expand import one_line
from mark_outline import Location
from mark_server.envelope import Status, answer, envelope
from mark_store import (
    Archived,
    BadQuery,
    BadRoot,
    DataFolderUnusable,
    NotFound,
    NotPermitted,
    ProtocolError,
    StoreError,
    TooManyFiles,
    Unavailable,
)


def status_of(error: StoreError) -> Status:
    """The Mark status word for an error of the store."""
    match error:
        case NotFound():
            return "not-found"
        case Archived():
            return "archived"
        case NotPermitted():
            return "not-permitted"
        case ProtocolError() | Unavailable():
            return "server-error"
        case _:
            return "bad-request"


def failure_line(error: StoreError) -> str:
    """The reason as a note prints it (F4)."""
    status = status_of(error)
    return f"{status}: {explain(error)}" if status == "server-error" else status


def failure(error: StoreError) -> str:
    """The whole result for a document that cannot be shown."""
    status = status_of(error)
    match error:
        case Archived(path=path, last=last) if last is not None:
            return answer(envelope(status), f"last version: {Location(path, last, '')}\n")
        case NotFound() | Archived():
            return envelope(status)
        case _:
            return answer(envelope(status), f"{explain(error)}\n")


def explain(error: StoreError) -> str:
    """One line for a person: what went wrong, and what is allowed."""
    match error:
        case BadQuery(argument=argument, value=value, allowed=allowed):
            return f"{argument} must be {allowed}, got {one_line(value)}"
        case BadRoot(root=root, reason=reason):
            return f"{root}: {reason}; give a folder of markdown that can be read"
        case DataFolderUnusable(folder=folder, reason=reason):
            return f"{folder}: {reason}; name another place for the index with --data or MARKLOOKUP_DATA"
        case TooManyFiles(root=root, limit=limit):
            return f"{root}: more than {limit} markdown files; give a smaller folder"
        case Unavailable(place=place, reason=reason):
            return f"{place}: {reason}"
        case ProtocolError(place=place, words=words):
            return f"{place}: {words}"
        case _:
            return one_line(str(error))
