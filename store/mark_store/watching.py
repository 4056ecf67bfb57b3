"""Events of the file system as a wake-up: that something happened, and where to look for it.

What really changed is found by comparing stamps (`survey`); an event that is lost costs time, no truth.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .touched import DELETED, EVERYWHERE, Touched, touched

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

# Changes are gathered until none came for a step, at most this long; measured with `bench.live`.
_STEP_MILLISECONDS = 50
_GATHER_MILLISECONDS = 200
# On Linux each folder is watched by itself, so that what is hidden or left out costs no watch. Elsewhere one
# watch of the whole root is cheap, and a folder that is watched by itself could not be renamed (Windows).
_EACH_FOLDER = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Target:
    """What to watch: a real path, our own folder in it that means nothing, and the rooted folders."""

    root: Path
    own: Path
    folders: frozenset[str]


class Watch:
    """Calls `wake` from a thread of its own whenever something happened in the folders; close it."""

    def __init__(self, target: Target, wake: Callable[[Touched], None]) -> None:
        """Begin to watch.

        Raises: OSError (FileNotFoundError: a folder is gone), RuntimeError: events cannot be had.
        """
        # Imported here: only the process that indexes needs it, and no answer waits for it.
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - see above

        self.folders = target.folders
        self.broken = False
        self._target = target
        self._wake = wake
        self._closed = threading.Event()
        # The last setting hides every error, that no watch is left too: off where each folder is watched.
        self._places = frozenset(places := _places(target))
        notify = RustNotify(places, False, False, 0, not _EACH_FOLDER, not _EACH_FOLDER)
        self._thread = threading.Thread(
            target=self._run, args=(notify,), name="marklookup-watch", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End the thread; it takes a step at most."""
        self._closed.set()
        self._thread.join()

    def _run(self, notify: RustNotify) -> None:
        with notify:
            try:
                while not self._closed.is_set():
                    found = notify.watch(_GATHER_MILLISECONDS, _STEP_MILLISECONDS, 0, self._closed)
                    if isinstance(found, set):
                        self._tell(found)
            except (OSError, RuntimeError):
                # Its owner notices at the next pass and watches anew, or polls.
                self.broken = True
                self._wake(EVERYWHERE)

    def _tell(self, events: set[tuple[int, str]]) -> None:
        # What comes in the place of a folder that went is not watched, though its name is the same.
        self.broken = self.broken or any(kind == DELETED and place in self._places for kind, place in events)
        if where := touched(self._target.root, self._target.own, events):
            self._wake(where)


def _places(target: Target) -> list[str]:
    if not _EACH_FOLDER:
        return [str(target.root)]
    places = sorted(f"{target.root}{path}" for path in target.folders)
    return [place for place in places if os.access(place, os.R_OK) or not Path(place).exists()]
