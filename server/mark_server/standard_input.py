"""Standard input, line by line, in a way that can be left at any moment.

The SDK's own reader waits in a worker thread that neither cancellation nor the end of the program gets out of
`read`: a signal would have to wait for the client to close the pipe. Here a daemon thread reads, without the
locks of `sys.stdin`, and the program may end while it does. Framing and the protocol are the SDK's.
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterator

import anyio
import anyio.from_thread
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectSendStream

_CHUNK = 1 << 16  # bytes, what a pipe holds on Linux
# A whole escape, a pair of surrogates taken as one, so that a second backslash is never taken for a first.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


class StandardInput(anyio.AsyncFile[str]):
    """The lines of a file descriptor, read from the first `readline` on; "" when it is closed."""

    def __init__(self, descriptor: int = 0) -> None:
        super().__init__(io.StringIO())  # never read: lines come from the thread
        self._descriptor = descriptor
        self._send, self._receive = anyio.create_memory_object_stream[str](0)
        self._reading = False

    async def readline(self) -> str:
        """Give the next line with its line feed."""
        if not self._reading:
            self._reading = True
            arguments = (self._descriptor, self._send, current_token())
            threading.Thread(target=_forward, args=arguments, name="stdin", daemon=True).start()
        try:
            return await self._receive.receive()
        except anyio.EndOfStream:
            return ""

    async def aclose(self) -> None:
        """Stop taking lines; the thread ends with its next one."""
        self._receive.close()
        self._send.close()
        await super().aclose()


def sound_line(data: bytes) -> str:
    r"""Decode a line of JSON; what has no UTF-8 form, escaped or not, becomes U+FFFD.

    The SDK's parser drops a whole message for half a surrogate pair, and its sender would wait for ever.

    >>> sound_line(b'"\\ud83d\\ude00 \\ud83d \\\\ud83d"')
    '"\\ud83d\\ude00 \\ufffd \\\\ud83d"'
    """
    line = data.decode("utf-8", errors="replace")
    return _ESCAPE.sub(lambda escape: r"\ufffd" if escape[1] else escape[0], line) if "\\u" in line else line


def _forward(descriptor: int, send: MemoryObjectSendStream[str], loop: EventLoopToken) -> None:
    try:
        for line in _lines(descriptor):
            anyio.from_thread.run(send.send, line, token=loop)
        anyio.from_thread.run_sync(send.close, token=loop)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError):
        return  # nobody listens any more


def _lines(descriptor: int) -> Iterator[str]:
    """Lines as they come; the last one may lack its line feed."""
    kept = bytearray()
    while chunk := os.read(descriptor, _CHUNK):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            kept += part + b"\n"
            yield sound_line(bytes(kept))
            kept.clear()
        kept += rest
    if kept:
        yield sound_line(bytes(kept))
