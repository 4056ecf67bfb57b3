"""`mark_list` and `mark_versions`: what there is, and what there was."""

from __future__ import annotations

from typing import assert_never

from mark_expand import one_line
from mark_outline import Location, encode
from mark_server.arguments import ListArguments, VersionsArguments
from mark_server.desk import Desk
from mark_server.envelope import answer, envelope, indexing
from mark_store import Entry, Moved, Version


async def listing(desk: Desk, arguments: ListArguments) -> str:
    """Answer with one page of a directory.

    Raises:
        StoreError: The directory does not exist, or the cursor is not one of ours.
    """
    _, page = await desk.read(
        arguments.url,
        lambda where: desk.store.list(where.path, arguments.cursor, arguments.page_size, reader=desk.reader),
    )
    head = envelope(
        "ok",
        [
            ("entries", page.total),
            *indexing(desk.progress(), "more may be here"),
            ("next-cursor", page.cursor),
        ],
    )
    return answer(head, "".join(_entry(entry) for entry in page.entries))


def _entry(entry: Entry) -> str:
    """One line as the Mark protocol writes it, but for the path, which is rooted so that a fetch takes it."""
    path = encode(entry.path)
    name = path.rstrip("/").rpartition("/")[2]
    match entry.kind:
        case "folder":
            return f"- [{name}/]({path}) - {entry.count} {'document' if entry.count == 1 else 'documents'}\n"
        case "store":
            return f"- [{name}/]({path}) - store\n"
        case "binary":
            return f"- [{name}]({path}) - not text\n"
        case "document":
            return f"- [{name}]({path}) - {one_line(entry.title)}\n"
        case _:
            assert_never(entry.kind)


async def versions(desk: Desk, arguments: VersionsArguments) -> str:
    """Answer with a document's versions, newest first.

    Raises:
        StoreError: The document never existed.
    """
    _, history = await desk.read(
        arguments.url, lambda where: desk.store.versions(where.path, reader=desk.reader)
    )
    pairs = [
        ("total", len(history.versions)),
        ("current", history.current),
        ("archived", "true" if history.archived else ""),
        ("moved-from", _moved(history.moved_from)),
        ("moved-to", _moved(history.moved_to)),
    ]
    head = envelope("ok", pairs)
    return answer(head, "".join(_version(history.path, version) for version in history.versions))


def _version(path: str, version: Version) -> str:
    where = Location(path, version.number, "")
    pruned = " - pruned" if version.pruned else ""
    return (
        f"- [v{version.number}]({where}) - {version.time} - {version.size} bytes - "
        f"{version.content_hash}{pruned}\n"
    )


def _moved(other: Moved | None) -> str:
    return str(Location(other.path, other.version, "")) if other else ""
