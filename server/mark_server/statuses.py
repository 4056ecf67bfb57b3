"""How the store's errors read: a status word in an envelope, or a reason in a note.

Errors carry facts; this is where they become text.
"""

from __future__ import annotations

from collections.abc import Sequence

from mark_expand import one_line
from mark_outline import Location, encode
from mark_server.checks import shown
from mark_server.envelope import Status, answer, envelope, indexing
from mark_store import (
    AllFailed,
    Archived,
    BadAddress,
    BadQuery,
    BadRoot,
    DataFolderUnusable,
    Failed,
    NotFound,
    NotPermitted,
    Progress,
    ProtocolError,
    Pruned,
    StoreError,
    TooManyFiles,
    Unauthorized,
    Unavailable,
    Untrusted,
)

# A peer's own words stand in the envelope of a lookup; a page of them must not eat the budget.
_LONGEST_REASON = 160


def status_of(error: StoreError) -> Status:
    """The Mark status word for an error of the store."""
    match error:
        case NotFound():
            return "not-found"
        case Archived() | Pruned():
            return "archived"
        case NotPermitted():
            return "not-permitted"
        case Unauthorized():
            return "unauthorized"
        case BadQuery():
            return "bad-request"
        case _:
            return "server-error"


def failure_line(error: StoreError) -> str:
    """The reason as a note prints it (F4)."""
    status = status_of(error)
    return f"{status}: {explain(error)}" if status in {"server-error", "unauthorized"} else status


def failed_line(failed: Sequence[Failed]) -> str:
    """Which of several stores did not answer, and why; "" when all did."""
    return "; ".join(f"{one.store}: {_reason(one.error)}" for one in failed)


def _reason(error: StoreError) -> str:
    match error:
        case Unavailable(reason=text) | Untrusted(reason=text) | ProtocolError(words=text):
            line = one_line(text)
        case _:
            line = explain(error)
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def failure(error: StoreError, progress: Progress | None = None) -> str:
    """The whole result for what cannot be shown; `progress` is how far the store's indexing is."""
    status = status_of(error)
    match error:
        case Archived(path=path, last=last) if last is not None:
            return answer(envelope(status), f"last version: {Location(path, last, '')}\n")
        case Pruned(path=path, version=version):
            where = Location(path, version, "")
            return answer(envelope(status), f"{where} is kept no more, as the retention setting says\n")
        case NotFound():
            return envelope(status, indexing(progress, "it may be among the others"))
        case Archived() | NotPermitted():
            return envelope(status)
        case _:
            return answer(envelope(status), f"{explain(error)}\n")


def explain(error: StoreError) -> str:
    """One line for a person: what went wrong, and what is allowed."""
    return one_line(_sentence(error))


def _sentence(error: StoreError) -> str:
    match error:
        case BadQuery(argument=argument, value=value, allowed=allowed):
            return f"{argument} must be {allowed}, got {shown(value)}"
        case BadRoot(root=root, reason=reason):
            return f"{root}: {reason}; give a folder of markdown that can be read"
        case DataFolderUnusable(folder=folder, reason=reason):
            return f"{folder}: {reason}; name another place for the index with --data or MARKLOOKUP_DATA"
        case TooManyFiles(root=root, names=int(names)):
            return f"{root}: more than {names} files and folders; give a smaller folder, or --exclude some"
        case TooManyFiles(root=root, limit=limit):
            return f"{root}: more than {limit} markdown files; give a smaller folder, or --limit-files more"
        case AllFailed(failed=failed):
            return f"no store answers: {failed_line(failed)}"
        case NotFound(path=path) | Archived(path=path) | NotPermitted(path=path) | Pruned(path=path):
            return f"{encode(path)}: {status_of(error)}"
        case _:
            return _sentence_of_peer(error)


def _sentence_of_peer(error: StoreError) -> str:
    match error:
        case Unavailable(place=place, reason=reason):
            return f"{place}: {reason}; try again"
        case Unauthorized(place=place, variable=variable):
            return f"{place}: wants to know who asks; put a token that it knows into {variable}"
        case Untrusted(place=place, reason=text) | BadAddress(place=place, reason=text):
            return f"{place}: {text}"
        case ProtocolError(place=place, words=words):
            return f"{place}: {words}"
        case _:
            return str(error) or "the store failed"
