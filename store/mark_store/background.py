"""The indexing thread: one first pass at once, later ones when somebody asks, stopped between two batches."""

import threading

from .databases import Replaced
from .errors import StoreError, Unavailable
from .indexer import Indexer
from .port import Progress

_RETRY_SECONDS = 1.0
_PATIENCE_SECONDS = 1.0


class Background:
    """Runs passes of an indexer in a thread of its own.

    `progress` is set while the index may lack documents; `failure` says why the folder cannot be indexed at all,
    `trouble` why the last pass has to be tried again.
    """

    def __init__(self, indexer: Indexer) -> None:
        """Start the thread; its first pass begins at once."""
        self.progress: Progress | None = Progress(0, 0)
        self.failure: StoreError | None = None
        self.trouble: Unavailable | None = None
        self._indexer = indexer
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

    def stop(self) -> None:
        """End the thread after the batch that it is writing."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join()

    def catch_up(self, most: int) -> None:
        """Do a small pass in the caller's thread; one that touches over `most` files is left to our own.

        Raises: TooManyFiles.
        """
        if self.progress or not self._turn.acquire(timeout=_PATIENCE_SECONDS):
            return
        try:
            found = self._indexer.survey()
            if found.size <= most:
                self._indexer.carry_out(found, lambda _done: True)
                return
        finally:
            self._turn.release()
        self.want_pass()

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
        found = self._indexer.survey()

        def proceed(done: int) -> bool:
            self.progress = Progress(done, len(found.changed))
            return not self._stopping.is_set()

        self._indexer.carry_out(found, proceed)
