"""A Mark message as it comes in: an optional metadata block, then the body, in pieces of any size.

Knows fences and limits; what the block says is `wire_fields`'.
"""

from typing import Final

from .errors import ProtocolError
from .wire_fields import FENCE, LONGEST_BLOCK

_CLOSING: Final = b"\n---\n"


class Incoming:
    """Parts a message; `feed` it, `end` it, then read `block` (None: there was none) and `body`.

    What does not begin with `---` and a line feed is all body.
    """

    def __init__(self, place: str, longest_body: int) -> None:
        self.block: bytes | None = None
        self.body = bytearray()
        self._place = place
        self._longest = longest_body
        self._head: bytearray | None = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises: ProtocolError, as soon as a limit is passed.
        """
        if self._head is None:
            self._take(data)
            return
        before = len(self._head)
        # Of one large piece only what can be head is searched.
        room = len(FENCE) + LONGEST_BLOCK + len(_CLOSING) - before
        self._head += data[:room]
        self._look(before)
        if self._head is None:
            self._take(data[room:])

    def end(self) -> None:
        """Say that no more comes.

        Raises: ProtocolError, when the block was not closed.
        """
        if self._head is None:
            return
        if self._head.startswith(FENCE):
            raise ProtocolError(self._place, "metadata has no closing fence")
        self._take(self._all())

    def _look(self, before: int) -> None:
        head = self._head
        assert head is not None
        if not FENCE.startswith(head[: len(FENCE)]):
            self._take(self._all())
        elif len(head) >= len(FENCE):
            self._close(head, before)

    def _close(self, head: bytearray, before: int) -> None:
        # The line feed of the opening fence serves the closing one where the block is empty.
        found = head.find(_CLOSING, max(len(FENCE) - 1, before - len(_CLOSING)))
        length = (found if found >= 0 else len(head) - len(_CLOSING) + 1) - len(FENCE) + 1
        if length > LONGEST_BLOCK:
            raise ProtocolError(self._place, f"metadata has more than {LONGEST_BLOCK} bytes")
        if found >= 0:
            self.block = bytes(head[len(FENCE) : found + 1])
            rest = bytes(head[found + len(_CLOSING) :])
            self._head = None
            self._take(rest)

    def _all(self) -> bytes:
        head, self._head = self._head, None
        return bytes(head or b"")

    def _take(self, data: bytes) -> None:
        if len(self.body) + len(data) > self._longest:
            raise ProtocolError(self._place, f"a body has more than {self._longest} bytes")
        self.body += data
