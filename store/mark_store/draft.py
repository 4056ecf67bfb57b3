"""A file made ready for the index: read, parsed and counted before any lock is taken."""

import hashlib
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mark_outline import Counter, FrontMatter, front_matter, outline, with_costs

from .clock import now_milliseconds, settled
from .contents import Contents, contents_of
from .databases import Session
from .disk import Stamp, Unreadable, read
from .metadata import Known, known, one_line, searched
from .paths import storable
from .port import Kind
from .source import decoded
from .versions import Content

_PACKING = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """A decoded file, parsed; `contents` is None for a binary one, `flaws` are one line each."""

    kind: Kind
    front: FrontMatter
    metadata: Mapping[str, str]
    known: Known
    contents: Contents | None
    flaws: tuple[str, ...]

    @property
    def searched(self) -> str:
        """The words of the front matter that find the document; all of its text when it is broken."""
        return self.front.raw if self.front.warning else searched(self.metadata)


@dataclass(frozen=True, slots=True)
class Draft:
    """One file at one moment: `seen` is its stamp as it was read, `trusted` the one to compare with later.

    `reading` is None when the index has these very bytes already.
    """

    path: str
    seen: Stamp
    trusted: Stamp
    observed: int
    content: Content
    reading: Reading | None


def parse(data: bytes, path: str, counter: Counter) -> Reading:
    """Parse a file's bytes; anything that is wrong with them is a flaw, never an error."""
    source = decoded(data)
    front = front_matter(source.text)
    outlined = with_costs(outline(front.body), front.body, counter) if source.kind == "text" else None
    # YAML can spell characters that no UTF-8 text holds.
    metadata = {storable(key): storable(value) for key, value in front.metadata.items()}
    meaning = known(metadata, outlined, path)
    told = (source.flaw, front.warning, *meaning.flaws)
    flaws = tuple(one_line(flaw) for flaw in told if flaw)
    return Reading(source.kind, front, metadata, meaning, contents_of(outlined) if outlined else None, flaws)


def draft(root: Path, path: str, counter: Counter, session: Session | None = None) -> Draft:
    """Read one file, and parse it unless the index has its bytes already; without a `session` it has none.

    Raises: Unreadable.
    """
    data, seen = read(root, path)
    read_at = time.time_ns()
    digest = hashlib.sha256(data).digest()
    packed = None if session and session.log.holds(digest) else zlib.compress(data, _PACKING)
    trusted = Stamp(seen.size, settled(seen.mtime_ns, read_at), seen.inode)
    content = Content(digest, len(data), packed)
    try:
        reading = None if session and _is_indexed(session, path, digest) else parse(data, path, counter)
    except RecursionError as error:
        raise Unreadable("is nested too deeply to be parsed") from error
    return Draft(path, seen, trusted, now_milliseconds(), content, reading)


def _is_indexed(session: Session, path: str, digest: bytes) -> bool:
    found = session.index.execute("SELECT 1 FROM document WHERE path=? AND hash=?", (path, digest))
    return found.fetchone() is not None
