"""`mark_list` and `mark_versions`: what there is, and what there was."""

from __future__ import annotations

from typing import assert_never

from mark_expand import one_line
from mark_outline import Location, encode
from mark_server.arguments import ListArguments, VersionsArguments
from mark_server.desk import Desk
from mark_server.envelope import answer, envelope
from mark_store import Entry, Version


async def listing(desk: Desk, arguments: ListArguments) -> str:
    """Answer with one page of a directory.

    Raises:
        StoreError: The directory does not exist, or the cursor is not one of ours.
    """
    _, page = await desk.read(
        arguments.url,
        lambda where: desk.store.list(where.path, arguments.cursor, arguments.page_size, reader=desk.reader),
    )
    head = envelope("ok", [("entries", page.total), ("next-cursor", page.cursor)])
    return answer(head, "".join(_entry(page.path, entry) for entry in page.entries))


def _entry(folder: str, entry: Entry) -> str:
    """One line as the Mark protocol writes it: the name twice, then what a reader would open it for."""
    name = encode(entry.path.removeprefix(folder.rstrip("/") + "/"))
    match entry.kind:
        case "folder":
            return f"- [{name}/]({name}/) - {entry.count} documents\n"
        case "binary":
            return f"- [{name}]({name}) - not text\n"
        case "document":
            return f"- [{name}]({name}) - {one_line(entry.title)}\n"
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
    ]
    head = envelope("ok", pairs)
    return answer(head, "".join(_version(history.path, version) for version in history.versions))


def _version(path: str, version: Version) -> str:
    where = Location(path, version.number, "")
    return (
        f"- [v{version.number}]({where}) - {version.time} - {version.size} bytes - {version.content_hash}\n"
    )
