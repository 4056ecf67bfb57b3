"""A document as the index has it: everything that was worked out when its file was read."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .condition import Condition, among
from .contents import Contents, unpack
from .databases import Session, Unsound
from .disk import Stamp
from .paths import nfc
from .port import Kind
from .source import decoded

_COLUMNS = (
    "id, path, size, mtime_ns, inode, hash, version, kind, archived, title, tags, importance, modified,"
    " metadata, body_start, outline"
)
_TABLES = "document JOIN detail ON detail.document=document.id"


@dataclass(frozen=True, slots=True)
class Shelved:
    """One row of the index; `modified` is in milliseconds of the Unix epoch, `outline` is packed contents."""

    id: int
    path: str
    stamp: Stamp
    hash: bytes
    version: int
    kind: Kind
    archived: bool
    title: str
    tags: tuple[str, ...]
    importance: float
    modified: int
    metadata: str
    body_start: int
    outline: bytes | None

    def contents(self) -> Contents | None:
        """What is in the body; None for a binary document."""
        return unpack(self.outline) if self.outline else None

    def body(self, session: Session) -> str:
        """The body of the version that the index knows, from the log's bytes.

        Raises: Unsound, when the log has no such version.
        """
        stored = session.log.read(self.path, self.version)
        if not stored or stored.hash != self.hash:
            raise Unsound
        return decoded(stored.data).text[self.body_start :]


def at_path(index: sqlite3.Connection, path: str) -> Shelved | None:
    """The document at a rooted path, in whichever Unicode form its file is named."""
    found = index.execute(Condition("nfc=?").select(_COLUMNS, _TABLES), (nfc(path),)).fetchone()
    return _shelved(*found) if found else None


def with_ids(index: sqlite3.Connection, ids: Collection[int]) -> dict[int, Shelved]:
    """Documents by their ids."""
    where = among("id", ids)
    found = (_shelved(*row) for row in index.execute(where.select(_COLUMNS, _TABLES), where.parameters))
    return {document.id: document for document in found}


def _shelved(
    number: int, path: str, size: int, mtime_ns: int, inode: int, digest: bytes, *rest: Any
) -> Shelved:
    version, kind, archived, title, tags, importance, modified, metadata, body_start, outline = rest
    stamp = Stamp(size, mtime_ns, inode)
    return Shelved(
        number,
        path,
        stamp,
        digest,
        version,
        kind,
        bool(archived),
        title,
        tuple(json.loads(tags)),
        importance,
        modified,
        metadata,
        body_start,
        outline,
    )
