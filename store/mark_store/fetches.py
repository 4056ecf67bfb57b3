"""One document, as it is or as it was: the logged bytes of a version, never a file that may be changing."""

import json

from mark_outline import Counter

from .clock import iso_milliseconds
from .databases import Session
from .draft import parse
from .errors import Archived, NotFound, Pruned
from .paths import is_markdown, rooted
from .port import Document, History
from .reader import Reader
from .shelved import Shelved, at_path

# SQLite has no larger numbers.
_LAST = (1 << 63) - 1


def named(path: str, reader: Reader) -> str:
    """The rooted form of a path that can name a document and that this reader may read.

    Raises: NotFound.
    """
    name = rooted(path)
    if name is None or not is_markdown(name.rpartition("/")[2]) or not reader.may_read(name):
        raise NotFound(path)
    return name


def current(session: Session, path: str) -> Document:
    """The document at a rooted path as the index knows it.

    Raises: NotFound, Archived.
    """
    shelved = at_path(session.index, path)
    if shelved and not shelved.archived:
        return _document(session, shelved)
    spelled = shelved.path if shelved else session.log.spelled(path)
    newest = session.log.head(spelled) if spelled else None
    if spelled and newest:
        raise Archived(spelled, newest.number)
    raise NotFound(path)


def version(session: Session, path: str, number: int, counter: Counter) -> Document:
    """One version of the document at a rooted path, whether it still exists or not.

    Raises: NotFound, Pruned.
    """
    shelved = at_path(session.index, path)
    if shelved and shelved.version == number:
        return _document(session, shelved)
    spelled = shelved.path if shelved else session.log.spelled(path)
    stored = session.log.read(spelled, number) if spelled and 0 < number <= _LAST else None
    newest = session.log.head(spelled) if spelled else None
    if spelled and newest and not stored and 0 < number <= newest.number:
        raise Pruned(spelled, number)
    if not spelled or not stored:
        raise NotFound(f"{path}/v{number}")
    reading = parse(stored.data, spelled, counter)
    modified = reading.known.modified
    return Document(
        path=spelled,
        version=number,
        body=reading.front.body,
        metadata=reading.metadata,
        etag=stored.hash.hex(),
        modified=iso_milliseconds(stored.observed if modified is None else modified),
        content_hash=stored.hash.hex(),
        body_start=reading.front.body_start,
        outline=reading.contents.outline() if reading.contents else None,
        kind=reading.kind,
        current=newest.number if newest else None,
    )


def history(session: Session, path: str, reader: Reader) -> History:
    """The versions of the document at a rooted path; the other end of a move, where this reader may read it.

    Raises: NotFound.
    """
    shelved = at_path(session.index, path)
    spelled = shelved.path if shelved else session.log.spelled(path)
    versions = session.log.history(spelled) if spelled else ()
    if not spelled or not versions:
        raise NotFound(path)
    archived = shelved is None or shelved.archived
    came_from, gone_to = session.log.moved_from(spelled), session.log.moved_to(spelled) if archived else None
    ends = [end if end and reader.may_read(end.path) else None for end in (came_from, gone_to)]
    return History(spelled, versions[0].number, archived, versions, *ends)


def _document(session: Session, shelved: Shelved) -> Document:
    contents = shelved.contents()
    return Document(
        path=shelved.path,
        version=shelved.version,
        body=shelved.body(session),
        metadata=json.loads(shelved.metadata),
        etag=shelved.hash.hex(),
        modified=iso_milliseconds(shelved.modified),
        content_hash=shelved.hash.hex(),
        body_start=shelved.body_start,
        outline=contents.outline() if contents else None,
        kind=shelved.kind,
        current=shelved.version,
    )
