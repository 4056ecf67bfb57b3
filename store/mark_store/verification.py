"""Whether the version log holds what it says: numbers without gaps, sound bytes, an unbroken chain."""

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from .chain import START, Entry, link


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: about a version, or about a whole log ("/", 0); `text` is one line."""

    path: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at, and everything that is wrong with it.

    `pruned` counts versions whose bytes were let go as the retention setting says. `head` is the hash of the
    newest entry, which vouches for all others: who notes it down can tell later that none was taken away.
    """

    documents: int
    versions: int
    pruned: int
    head: str
    findings: tuple[Finding, ...]


def verified(log: sqlite3.Connection) -> Verification:
    """Read the whole log, one entry and one content at a time."""
    chained, head = _chain(log)
    findings = [*chained, *_gaps(log), *_bytes(log)]
    documents, versions, kept = log.execute(
        "SELECT count(DISTINCT document), count(*), coalesce(sum(kept<>0), 0) FROM entry WHERE kind='version'"
    ).fetchone()
    return Verification(documents, versions, versions - kept, head.hex(), tuple(findings))


def _chain(log: sqlite3.Connection) -> tuple[list[Finding], bytes]:
    before = START
    found: list[Finding] = []
    rows = log.execute(
        "SELECT kind, coalesce(own.path, ''), number, hash, size, observed, coalesce(far.path, ''), link"
        " FROM entry LEFT JOIN document AS own ON own.id=document LEFT JOIN document AS far ON far.id=other"
        " ORDER BY entry.id"
    )
    for *facts, written in rows:
        entry = Entry(*facts)
        if link(before, entry) != written:
            what = "" if entry.kind == "version" else f" ({entry.kind})"
            found.append(Finding(entry.path or "/", entry.number, f"the chain is broken at this entry{what}"))
        # Go on from what is written, so that one change is one finding.
        before = bytes(written)
    return found, before


def _gaps(log: sqlite3.Connection) -> Iterator[Finding]:
    rows = log.execute(
        "SELECT path, count(*), max(number) FROM entry JOIN document ON document.id=entry.document"
        " WHERE kind='version' GROUP BY entry.document HAVING count(*)<>max(number)"
    )
    for path, count, last in rows:
        yield Finding(path, last, f"{last - count} of {last} versions are missing")


def _bytes(log: sqlite3.Connection) -> Iterator[Finding]:
    sound: dict[bytes, bool] = {}
    for digest, size, packed in log.execute("SELECT hash, size, packed FROM content"):
        sound[bytes(digest)] = _is_sound(digest, size, packed)
    rows = log.execute(
        "SELECT path, number, hash FROM entry JOIN document ON document.id=entry.document"
        " WHERE kind='version' AND kept<>0 ORDER BY path, number"
    )
    for path, number, digest in rows:
        match sound.get(bytes(digest)):
            case None:
                yield Finding(path, number, "the bytes are lost")
            case False:
                yield Finding(path, number, "the bytes do not have the hash that was logged")


def _is_sound(digest: bytes, size: int, packed: bytes) -> bool:
    try:
        data = zlib.decompress(packed)
    except zlib.error:
        return False
    return len(data) == size and hashlib.sha256(data).digest() == digest
