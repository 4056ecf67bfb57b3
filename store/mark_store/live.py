"""How the process that indexes comes to know that something happened: by events, by looking, or both."""

from collections.abc import Callable
from pathlib import Path

from .mounts import tells_of_changes
from .notice import Notice
from .touched import EVERYWHERE, Touched
from .watching import Target, Watch

# A look at everything, in seconds: beside events in case one was lost, and where there are none.
WITH_EVENTS = 30.0
WITHOUT_EVENTS = 2.0


class Live:
    """Watches what is told to be covered; `poll` seconds between looks ask for looking alone."""

    def __init__(self, root: Path, own: Path, poll: float | None) -> None:
        """Prepare for a real root; `own` is our own folder, which may lie in it."""
        self.notice: Notice | None = None
        self._root = root
        self._own = own
        self._poll = poll
        self._watch: Watch | None = None
        self._reliable = poll is None and tells_of_changes(root)

    @property
    def has_events(self) -> bool:
        """Whether events tell of every change now."""
        return self._watch is not None and self._reliable

    @property
    def interval(self) -> float:
        """Seconds between two looks at everything when nothing is known to have happened."""
        if self._poll is not None:
            return self._poll
        return WITH_EVENTS if self.has_events else WITHOUT_EVENTS

    def covers(self, folders: frozenset[str]) -> bool:
        """Whether there is nothing to do for these folders."""
        if self._poll is not None or self.notice:
            return True
        return self._watch is not None and not self._watch.broken and self._watch.folders == folders

    def cover(self, folders: frozenset[str], wake: Callable[[Touched], None]) -> None:
        """Watch these folders; what happens before it returns may go unnoticed, so look once more.

        Without events, which is told in `notice`, looking goes on alone.
        """
        before, self._watch = self._watch, None
        try:
            self._watch = Watch(Target(self._root, self._own, folders), wake)
        except FileNotFoundError:
            # A folder went away just now; the next look knows better.
            wake(EVERYWHERE)
        except (OSError, RuntimeError) as error:
            self.notice = Notice(
                "/", f"changes are looked for every {WITHOUT_EVENTS:g} s: the system tells of none ({error})"
            )
        finally:
            if before:
                before.close()

    def close(self) -> None:
        """End the watching."""
        if self._watch:
            self._watch.close()
        self._watch = None
