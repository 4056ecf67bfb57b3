"""What is written into the version log, and the hash by which each entry vouches for all before it."""

import hashlib
import json
from dataclasses import dataclass
from typing import Literal

# "version": a file had these bytes. "archived", "restored": it went, and came back with its last bytes.
# "moved": it has the bytes that `other`, which is gone, had last. "salvaged": the log was put together again.
EntryKind = Literal["version", "archived", "restored", "moved", "salvaged"]
START = bytes(32)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log; `hash` and `size` are of the file's bytes, `observed` is in ms of the Unix epoch.

    `number` is a version's own, else that of the version that was newest; `other` is the path that a document
    was moved from, "" for all but "moved".
    """

    kind: EntryKind
    path: str
    number: int
    hash: bytes
    size: int
    observed: int
    other: str = ""


def link(before: bytes, entry: Entry) -> bytes:
    """The hash of an entry that follows one with the hash `before`: SHA-256 over both.

    >>> link(START, Entry("version", "/a.md", 1, bytes(32), 0, 0)).hex()[:8]
    '4b865fab'
    """
    facts = (
        before.hex(),
        entry.kind,
        entry.path,
        entry.number,
        entry.hash.hex(),
        entry.size,
        entry.observed,
        entry.other,
    )
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True, separators=(",", ":")).encode()).digest()
