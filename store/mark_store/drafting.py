"""A process that makes drafts of files for the one that writes them (`ahead`), which starts and asks it.

Standard input has the request, and then nothing until its parent closes it or ends, by which this one ends as
well. Standard output has the drafts, in the order of the request. It opens no database and takes no lock.
"""

import os
import pickle
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mark_outline import Counter, counter

from .disk import Unreadable
from .draft import Draft, draft

Made = Draft | Unreadable
# What is sent at once: enough to be cheap, and little beside what the parent holds anyway.
_FRAME_FILES = 32
_FRAME_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class Request:
    """Which files to read, and the encoding that costs are counted in."""

    root: Path
    encoding: str
    paths: Sequence[str]


def main(given: BinaryIO, told: BinaryIO) -> None:
    """Answer the one request."""
    request: Request = pickle.load(given)  # noqa: S301 - from the parent, over a pipe of its own
    threading.Thread(target=_end_with_parent, args=(given.fileno(),), daemon=True).start()
    for frame in _frames(request, counter(request.encoding)):
        pickle.dump(frame, told, pickle.HIGHEST_PROTOCOL)
        told.flush()


def _frames(request: Request, unit: Counter) -> Iterator[list[Made]]:
    frame: list[Made] = []
    size = 0
    for path in request.paths:
        try:
            made = draft(request.root, path, unit)
        except Unreadable as unreadable:
            frame.append(unreadable)
        else:
            frame.append(made)
            size += made.content.size
        if len(frame) >= _FRAME_FILES or size >= _FRAME_BYTES:
            yield frame
            frame, size = [], 0
    yield frame


def _end_with_parent(given: int) -> None:
    # Without the lock of a buffered reader, which an ending interpreter would wait for.
    while os.read(given, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
