"""The indexing thread: a first pass at once, later ones when something happened, stopped between two batches.

Of the processes that serve one root the one that has the lease indexes and watches. The others follow: they
compare, say how far the first one is, and take over when it ends, or when it does not get on.
"""

import sqlite3
import threading
import time
from collections.abc import Sequence

from .clock import SETTLING_SECONDS
from .databases import Replaced
from .errors import StoreError, Unavailable
from .indexer import Indexer
from .lease import Lease
from .live import Live
from .port import Progress
from .survey import Survey
from .touched import EVERYWHERE, NOWHERE, Touched

_RETRY_SECONDS = 1.0
_PATIENCE_SECONDS = 1.0
# A look around after an answer is not made sooner than this after the last one (the longer one while events
# tell of changes, or somebody else looks), nor does it take more than a tenth of the time.
_LOOK_SECONDS = 0.5
_SELDOM_SECONDS = 5.0
_LOOK_SHARE = 10
# How often a follower tries to take over, and looks how far the leader is; how long it bears a standstill.
_TAKE_OVER_SECONDS = 1.0
_FOLLOW_SECONDS = 0.1
_STANDSTILL_SECONDS = 3.0
_FOLLOW_SHARE = 5
_LONGEST_PAUSE_SECONDS = 0.2
# Events are asked for when a server has started: until then it has better things to do, and answers look.
_WATCH_AFTER_SECONDS = 2.0
# How often a folder that cannot be indexed is looked at again when nobody asks.
_REFUSED_SECONDS = 60.0


# Passes that fail one after the other before nobody is made to wait, and how often that is looked at.
_PATIENT_PASSES = 3
_GLANCE_SECONDS = 0.25


class Background:
    """Runs passes of an indexer in a thread of its own.

    `progress` is set while the index may lack documents; `failure` says why the folder cannot be indexed at
    all, `trouble` why the last pass has to be tried again, `stuck` that several in a row had to be.
    """

    def __init__(self, indexer: Indexer, at_once: int, lease: Lease, live: Live) -> None:
        """Start the thread and a first pass; later changes of up to `at_once` files are not `progress`."""
        self.progress: Progress | None = Progress(0, 0)
        self.failure: StoreError | None = None
        self.trouble: Unavailable | None = None
        self._failed_passes = 0
        self._indexer = indexer
        self._at_once = at_once
        self._lease = lease
        self._live = live
        self._next_look = self._share = 0.0
        self._links = True
        self._watch_at = time.monotonic() + _WATCH_AFTER_SECONDS
        self._where = EVERYWHERE
        self._asking = threading.Lock()
        self._wanted = threading.Event()
        self._wanted.set()
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="marklookup-index", daemon=True)
        self._thread.start()

    @property
    def leads(self) -> bool:
        """Whether it is this process that indexes."""
        return self._lease.held

    @property
    def stuck(self) -> bool:
        """Whether so many passes in a row failed that nobody should wait for the next."""
        return self._failed_passes >= _PATIENT_PASSES

    def wait(self, seconds: float) -> bool:
        """Wait until no pass is running or asked for; False when that takes longer or passes keep failing."""
        until = time.monotonic() + seconds
        while not self._idle.wait(max(0.0, min(_GLANCE_SECONDS, until - time.monotonic()))):
            if self.stuck or time.monotonic() >= until:
                return False
        return True

    def want_pass(self) -> None:
        """Ask for a pass over everything soon; `progress` tells of it from now on."""
        with self._asking:
            self.progress = self.progress or Progress(0, 0)
            self._idle.clear()
            self._where = EVERYWHERE
            self._wanted.set()

    def look_around(self) -> None:
        """Have edits found that no folder's time shows, unless that was done a moment ago; nobody waits."""
        if time.monotonic() >= self._next_look:
            self._wake(EVERYWHERE)

    def stop(self) -> None:
        """End the thread after the batch that it is writing."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join()

    def catch_up(self, where: Touched) -> None:
        """Do a small pass in the caller's thread; a larger one, or one that must wait, is left to our own.

        Raises: TooManyFiles.
        """
        if self.progress:
            return
        if not self._turn.acquire(timeout=_PATIENCE_SECONDS):
            self.want_pass()
            return
        try:
            found = self._survey(where)
            if found.size <= self._at_once:
                self._indexer.carry_out(found, lambda _done: True)
                if found.folders and self._lease.held:
                    # The folders to be watched may be others now.
                    self._wake(where)
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

    def _wake(self, where: Touched) -> None:
        with self._asking:
            self._where |= where
            self._wanted.set()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                asked = self._wanted.wait(self._rest())
                if not self._stopping.is_set():
                    self._turn_of_thread(asked)
        finally:
            self._live.close()
            self._lease.release()
            self.progress = None
            self._idle.set()

    def _rest(self) -> float:
        """How long nothing needs to be done when nobody asks."""
        if not self._lease.held:
            return _TAKE_OVER_SECONDS
        if not self.failure and (early := self._watch_at - time.monotonic()) > 0:
            return early
        return max(self._live.interval, self._share, _REFUSED_SECONDS if self.failure else 0)

    def _turn_of_thread(self, asked: bool) -> None:
        took_over = not self._lease.held and self._lease.take()
        if took_over or (self._lease.held and not asked):
            self._cover()
            self._wake(EVERYWHERE)
        if not self._wanted.is_set():
            return
        started = time.monotonic()
        self._guarded_pass()
        self._cover()
        # Under a storm of events half of the time is left to those who ask.
        self._stopping.wait(min(time.monotonic() - started, _LONGEST_PAUSE_SECONDS))

    def _guarded_pass(self) -> None:
        with self._asking:
            self._wanted.clear()
            where, self._where = self._where, NOWHERE
        try:
            if self._lease.held:
                self._pass(where)
            else:
                self._follow()
            self.failure = self.trouble = None
            self._failed_passes = 0
        except Replaced:
            # An empty index from here on, which answers must not take for a complete one.
            self.want_pass()
        except Unavailable as error:
            self._try_again(error)
        except (sqlite3.Error, OSError) as error:
            self._try_again(Unavailable("the index", str(error)))
        except StoreError as error:
            self.failure = error
        with self._asking:
            if not self._wanted.is_set():
                self.progress = None
                self._idle.set()

    def _try_again(self, trouble: Unavailable) -> None:
        self.trouble = trouble
        self._failed_passes += 1
        self._wake(EVERYWHERE)
        self._stopping.wait(_RETRY_SECONDS)

    def _pass(self, where: Touched) -> None:
        with self._turn:
            found = self._survey(where)
            self._carry_out(found)
        # Files that were written a moment ago cannot be trusted yet. Once more when they can, or the next
        # lookup would find all of them doubtful.
        if found.changed and not self._stopping.wait(SETTLING_SECONDS):
            with self._turn:
                self._indexer.carry_out(self._survey(where), lambda _done: not self._stopping.is_set())

    def _carry_out(self, found: Survey) -> None:
        if found.size > self._at_once:
            self._idle.clear()
            self.progress = Progress(0, len(found.changed))

        def proceed(done: int) -> bool:
            if self.progress:
                self.progress = Progress(done, len(found.changed))
            return not self._stopping.is_set()

        self._indexer.carry_out(found, proceed)

    def _follow(self) -> None:
        """See how far the leader is until nothing is left; do it all the same when that does not get on."""
        most = least = 0
        deadline = 0.0
        while not self._stopping.is_set():
            started = time.monotonic()
            found = self._survey(EVERYWHERE)
            left = self._indexer.count_left(found)
            if not left:
                return
            if not least or left < least:
                least, deadline = left, started + _STANDSTILL_SECONDS
            if self._lease.take():
                self._wake(EVERYWHERE)
                return
            if started > deadline:
                with self._turn:
                    self._carry_out(found)
                return
            most = max(most, left)
            if left > self._at_once:
                self._idle.clear()
                self.progress = Progress(most - left, most)
            took = time.monotonic() - started
            self._stopping.wait(max(_FOLLOW_SECONDS, _FOLLOW_SHARE * took))

    def _cover(self) -> None:
        """Watch the folders that the index knows now; look once more when they are others than before."""
        if self.trouble:
            # The folder may be gone, and another one take its place, of which these watches know nothing.
            self._live.close()
            return
        if self.failure or not self._lease.held or time.monotonic() < self._watch_at:
            return
        try:
            self._indexer.tidy()
            folders = self._indexer.folders()
        except Replaced:
            self.want_pass()
            return
        except Unavailable:
            self._wake(EVERYWHERE)
            return
        if not self._live.covers(folders):
            self._live.cover(folders, self._wake)
            self._wake(EVERYWHERE)

    def _survey(self, where: Touched) -> Survey:
        started = time.monotonic()
        # By way of a link one folder has two places, and events name one of them.
        whole = where.everywhere or self._links
        try:
            found = self._indexer.survey(EVERYWHERE if whole else where)
            self._links = found.links or (self._links and not whole)
            return found
        finally:
            if whole:
                ended = time.monotonic()
                self._share = _LOOK_SHARE * (ended - started)
                told = self._live.has_events or not self._lease.held
                self._next_look = ended + max(_SELDOM_SECONDS if told else _LOOK_SECONDS, self._share)
