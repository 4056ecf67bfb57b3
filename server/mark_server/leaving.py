"""The end of a process that was asked to leave: in good order, and if that takes too long by force."""

from __future__ import annotations

import os
import threading


class Exit:
    """Ends the process by force when leaving takes too long; the databases survive that as any crash."""

    def __init__(self, seconds: float) -> None:
        self._forced = threading.Timer(seconds, os._exit, [0])
        self._forced.daemon = True

    def soon(self) -> None:
        """Begin to leave."""
        if not self._forced.is_alive():
            self._forced.start()

    def done(self) -> None:
        """Say that there is nothing left to force."""
        self._forced.cancel()
