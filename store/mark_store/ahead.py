"""Drafts made ahead by another process, while this one writes: parsing and writing take about equally long.

For the first index of a large folder only. The process can fail, be killed or stand still: what it did not
give is made by the caller, so nothing depends on it. What it does is in `drafting`.
"""

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from .drafting import Made, Request

# With fewer files the start of a process (half a second) is not worth it.
MANY = 2000
# Frames of some 256 KiB: as much as the parent writes in one transaction.
_FRAMES = 16
# -P: a server is started inside other people's folders, whose modules are none of ours.
_COMMAND = ("-P", "-m", "mark_store.drafting")
_STANDSTILL_SECONDS = 30.0
_GLANCE_SECONDS = 0.1


class Ahead:
    """Makes drafts of some paths, in their order, in a process that ends with `close` or with this one."""

    def __init__(self, root: Path, encoding: str, paths: Sequence[str]) -> None:
        """Start the process, or none when that is not worth it or cannot be."""
        self._left = deque(paths)
        self._made: deque[Made] = deque()
        self._frames: queue.Queue[list[Made] | None] = queue.Queue(_FRAMES)
        self._closing = threading.Event()
        self._process = _started() if len(paths) >= MANY and _is_python() else None
        if self._process is None:
            self._left.clear()
            return
        request = pickle.dumps(Request(root, encoding, paths))
        self._thread = threading.Thread(target=self._receive, args=(self._process, request), daemon=True)
        self._thread.start()

    def take(self, path: str) -> Made | None:
        """The draft of the next path, or why there is none; None when the caller has to make it."""
        if not self._left or self._left[0] != path:
            return None
        if not self._made and not self._next_frame():
            self._left.clear()
            return None
        self._left.popleft()
        return self._made.popleft()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        self._closing.set()
        process.kill()
        process.wait()
        self._thread.join()
        for pipe in (process.stdin, process.stdout):
            # What was not sent yet cannot be sent any more.
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()

    def _next_frame(self) -> bool:
        try:
            frame = self._frames.get(timeout=_STANDSTILL_SECONDS)
        except queue.Empty:
            return False
        self._made += frame or ()
        return bool(frame)

    def _receive(self, process: subprocess.Popen[bytes], request: bytes) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            process.stdin.write(request)
            process.stdin.flush()
            while not self._closing.is_set():
                self._give(pickle.load(process.stdout))  # noqa: S301 - from our own child, over a pipe of its own
        self._give(None)

    def _give(self, frame: list[Made] | None) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(queue.Full):
                self._frames.put(frame, timeout=_GLANCE_SECONDS)
                return


def _is_python() -> bool:
    """Whether a second processor can be used, and the running program is an interpreter."""
    return (os.cpu_count() or 1) > 1 and Path(sys.executable or "").name.startswith(("python", "pypy"))


def _started() -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return None
