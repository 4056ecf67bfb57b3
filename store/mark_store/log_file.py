"""The version log's file made ready for use: created, migrated, pruned, or salvaged when it is damaged."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from .connection import connect, file_identity, is_damaged, writing
from .errors import DataFolderUnusable
from .log_tables import Foreign, prepare
from .notice import Notice
from .salvage import salvage
from .versions import VersionLog

NAME = "versions.db"


def prepared(file: Path, keep: int | None) -> list[Notice]:
    """Make the log ready and tell what had to be done; the newest `keep` versions have their bytes.

    Raises: DataFolderUnusable, when the file is another program's or a newer release's.
    """
    if not os.access(file.parent, os.W_OK):
        raise DataFolderUnusable(file.parent, "cannot be written: read-only or not permitted")
    notices = _mended_when_missing(file)
    seen = file_identity(file)
    try:
        _prepare(file, keep)
    except Foreign as error:
        raise DataFolderUnusable(file.parent, f"{file.name} {error.reason}") from error
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise
        notices += mended(file, seen)
        _prepare(file, keep)
    return notices


def mended(file: Path, seen: tuple[int, int]) -> list[Notice]:
    """Put a sound log in the place of the damaged file with the identity `seen`, and tell so."""
    done = salvage(file, seen)
    return [Notice("/", str(done))] if done else []


def _mended_when_missing(file: Path) -> list[Notice]:
    """An index without its log: the numbers that it knows are not given again."""
    seen = file_identity(file)
    is_empty = not file.exists() or (file.is_file() and not file.stat().st_size)
    if is_empty and any(index.is_file() for index in file.parent.glob("index*.db")):
        return mended(file, seen)
    return []


def _prepare(file: Path, keep: int | None) -> None:
    with closing(connect(file)) as log:
        prepare(log)
        if keep:
            with writing(log):
                VersionLog(log).prune_all(keep)
