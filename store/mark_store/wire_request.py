"""A request of the Mark wire as a value: `VERB /path`, an optional metadata block, a body. No I/O.

Which verbs are answered, and with what, is left to who reads it.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from .errors import ProtocolError
from .paths import is_storable
from .wire_fields import FENCE, Fields, decode_fields, encode_fields, has_controls
from .wire_stream import Incoming

LONGEST_LINE: Final = 4096
"""Bytes of the request line, its line feed included."""
LONGEST_BODY: Final = 1 << 20
"""Bytes of a request's body; a read has none."""

_LINE = re.compile(r"([A-Z]{1,32}) (/.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `path` is rooted and as the server spells it, with nothing encoded."""

    verb: str
    path: str
    fields: Fields = field(default_factory=dict)
    body: bytes = b""


def encode_request(request: Request) -> bytes:
    """Write a request; empty metadata is an empty block where the body would be taken for one.

    Raises: ProtocolError, when it cannot be written.

    >>> encode_request(Request("FETCH", "/a.md", {"if-none-match": "x1"}))
    b'FETCH /a.md\\n---\\nif-none-match: x1\\n---\\n'
    """
    line = _line(request)
    needs_block = request.fields or request.body.startswith(FENCE)
    return line + (encode_fields(request.fields, "request") if needs_block else b"") + request.body


def can_name(path: str) -> bool:
    """Whether a path can stand in the request line of any verb of ours, a version after it."""
    return (
        path.startswith("/")
        and is_storable(path)
        and not has_controls(path)
        and len(path.encode()) <= LONGEST_LINE - len("VERSIONS /v1234567890123456789\n")
    )


class RequestDecoder:
    """Reads a request from pieces of any size; `verb` is known as soon as its line is complete."""

    def __init__(self, place: str, longest_body: int = LONGEST_BODY) -> None:
        self.verb = ""
        self._path = ""
        self._place = place
        self._line = bytearray()
        self._rest = Incoming(place, longest_body)

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises: ProtocolError, as soon as it is certain that this is no request.
        """
        if self.verb:
            self._rest.feed(data)
            return
        line, feed, rest = data[:LONGEST_LINE].partition(b"\n")
        self._line += line
        if len(self._line) >= LONGEST_LINE:
            raise ProtocolError(self._place, f"the request line has more than {LONGEST_LINE} bytes")
        if feed:
            self._read()
            self._rest.feed(rest + data[LONGEST_LINE:])

    def end(self) -> Request:
        """Give the request, after its last byte.

        Raises: ProtocolError, when it is not complete.
        """
        if not self.verb:
            raise ProtocolError(self._place, "the request line has no end")
        self._rest.end()
        block = self._rest.block
        fields = decode_fields(block, self._place) if block else {}
        return Request(self.verb, self._path, fields, bytes(self._rest.body))

    def _read(self) -> None:
        try:
            found = _LINE.fullmatch(self._line.decode())
        except UnicodeDecodeError:
            found = None
        if not found or has_controls(found[2]):
            raise ProtocolError(self._place, "the request line is not `VERB /path`")
        self.verb, self._path = found.groups()


def _line(request: Request) -> bytes:
    text = f"{request.verb} {request.path}"
    if not _LINE.fullmatch(text) or has_controls(text) or not is_storable(text):
        raise ProtocolError("request", "the request line is not `VERB /path`")
    line = f"{text}\n".encode()
    if len(line) > LONGEST_LINE:
        raise ProtocolError("request", f"the request line has more than {LONGEST_LINE} bytes")
    return line
