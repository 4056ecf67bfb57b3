"""One level of the folder tree, a page at a time."""

import base64
import binascii
import sqlite3
from dataclasses import dataclass

from .condition import Condition, all_of
from .errors import BadQuery, NotFound
from .paths import below, nfc, rooted
from .port import Entry, EntryKind, Page
from .reader import Reader
from .restriction import readable


@dataclass(slots=True)
class _Level:
    folders: dict[str, int]
    documents: list[tuple[str, EntryKind, str]]

    def entries(self) -> list[Entry]:
        """Folders, then documents; each by path."""
        folders = [Entry(path, "folder", "", count) for path, count in sorted(self.folders.items())]
        return folders + [Entry(path, kind, title, 1) for path, kind, title in sorted(self.documents)]


def level(index: sqlite3.Connection, path: str, cursor: str, page_size: int, reader: Reader) -> Page:
    """One page of what is directly inside a folder; folders in which nothing may be read are not there.

    Raises: NotFound, BadQuery.
    """
    if page_size < 1:
        raise BadQuery("page_size", str(page_size), "1 or more")
    folder = _folder(index, path, reader)
    entries = _level(index, folder, reader).entries()
    if not entries and folder != "/":
        raise NotFound(path)
    after = _after(cursor)
    rest = [entry for entry in entries if _place(entry) > after]
    page = rest[:page_size]
    following = _cursor(page[-1]) if len(rest) > page_size else None
    return Page(folder, tuple(page), len(entries), following)


def _level(index: sqlite3.Connection, folder: str, reader: Reader) -> _Level:
    level = _Level({}, [])
    live = Condition("path>=? AND path<? AND NOT archived", below(folder))
    where = all_of([live, *readable(index, reader)])
    rows = index.execute(where.select("path, kind, title"), where.parameters)
    for path, kind, title in rows:
        name, slash, _ = path[len(folder) :].partition("/")
        if slash:
            inner = f"{folder}{name}/"
            level.folders[inner] = level.folders.get(inner, 0) + 1
        else:
            level.documents.append((path, "binary" if kind == "binary" else "document", title))
    return level


def _folder(index: sqlite3.Connection, path: str, reader: Reader) -> str:
    name = rooted(path)
    if name == "/":
        return "/"
    if name is None or not reader.may_enter(name):
        raise NotFound(path)
    found = index.execute(
        "SELECT path FROM folder WHERE nfc=? ORDER BY path<>?", (nfc(name) + "/", name + "/")
    ).fetchone()
    if not found:
        raise NotFound(path)
    return str(found[0])


def _place(entry: Entry) -> tuple[bool, str]:
    return (entry.kind != "folder", entry.path)


def _cursor(entry: Entry) -> str:
    return base64.urlsafe_b64encode(f"{int(entry.kind != 'folder')}{entry.path}".encode()).decode()


def _after(cursor: str) -> tuple[bool, str]:
    if not cursor:
        return (False, "")
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise BadQuery("cursor", cursor[:80], "the cursor of the page before, as it was given") from error
    if text[:2] not in {"0/", "1/"}:
        raise BadQuery("cursor", cursor[:80], "the cursor of the page before, as it was given")
    return (text[0] == "1", text[1:])
