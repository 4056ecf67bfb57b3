"""The indexing thread: one first pass at once, later ones when somebody asks, stopped between two batches."""

import threading
import time
from collections.abc import Sequence

from .clock import SETTLING_SECONDS
from .databases import Replaced
from .errors import StoreError, Unavailable
from .indexer import Indexer
from .port import Progress
from .survey import Survey

_RETRY_SECONDS = 1.0
_PATIENCE_SECONDS = 1.0
# A look around after an answer is not made sooner than this after the last one, nor does it take more than
# a tenth of the time.
_LOOK_SECONDS = 0.5
_LOOK_SHARE = 10


class Background:
    """Runs passes of an indexer in a thread of its own.

    `progress` is set while the index may lack documents; `failure` says why the folder cannot be indexed at
    all, `trouble` why the last pass has to be tried again.
    """

    def __init__(self, indexer: Indexer, at_once: int) -> None:
        """Start the thread and a first pass; later changes of up to `at_once` files are not `progress`."""
        self.progress: Progress | None = Progress(0, 0)
        self.failure: StoreError | None = None
        self.trouble: Unavailable | None = None
        self._indexer = indexer
        self._at_once = at_once
        self._next_look = 0.0
        self._wanted = threading.Event()
        self._wanted.set()
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="marklookup-index", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until no pass is running or asked for; False when that took longer."""
        return self._idle.wait(seconds)

    def want_pass(self) -> None:
        """Ask for a pass soon; `progress` tells of it from now on."""
        self.progress = self.progress or Progress(0, 0)
        self._idle.clear()
        self._wanted.set()

    def look_around(self) -> None:
        """Have edits found that no folder's time shows, unless that was done a moment ago; nobody waits."""
        if time.monotonic() >= self._next_look:
            self._wanted.set()

    def stop(self) -> None:
        """End the thread after the batch that it is writing."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join()

    def catch_up(self) -> None:
        """Do a small pass in the caller's thread; a larger one, or one that must wait, is left to our own.

        Raises: TooManyFiles.
        """
        if self.progress or not self._turn.acquire(timeout=_PATIENCE_SECONDS):
            return
        try:
            found = self._survey()
            if found.size <= self._at_once:
                self._indexer.carry_out(found, lambda _done: True)
            else:
                self.want_pass()
        except Unavailable:
            self.want_pass()
        finally:
            self._turn.release()

    def refresh(self, paths: Sequence[str]) -> bool:
        """Read single files again in the caller's thread; whether that could be done and changed anything."""
        try:
            return self._indexer.refresh(paths)
        except Unavailable:
            self.want_pass()
            return False

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._wanted.wait()
                self._wanted.clear()
                if not self._stopping.is_set():
                    self._guarded_pass()
        finally:
            self.progress = None
            self._idle.set()

    def _guarded_pass(self) -> None:
        try:
            with self._turn:
                self._pass()
            self.failure = self.trouble = None
        except Replaced:
            self._wanted.set()
        except Unavailable as error:
            self.trouble = error
            self._wanted.set()
            self._stopping.wait(_RETRY_SECONDS)
        except StoreError as error:
            self.failure = error
        if not self._wanted.is_set():
            self.progress = None
            self._idle.set()

    def _pass(self) -> None:
        found = self._survey()
        if found.size > self._at_once:
            self._idle.clear()
            self.progress = Progress(0, len(found.changed))

        def proceed(done: int) -> bool:
            if self.progress:
                self.progress = Progress(done, len(found.changed))
            return not self._stopping.is_set()

        # Files that were written a moment ago cannot be trusted yet. Once more when they can, or the next
        # lookup would find all of them doubtful.
        if self._indexer.carry_out(found, proceed) and found.changed:
            self._stopping.wait(SETTLING_SECONDS)
            self._indexer.carry_out(self._survey(), lambda _done: not self._stopping.is_set())

    def _survey(self) -> Survey:
        started = time.monotonic()
        try:
            return self._indexer.survey()
        finally:
            ended = time.monotonic()
            self._next_look = ended + max(_LOOK_SECONDS, _LOOK_SHARE * (ended - started))
