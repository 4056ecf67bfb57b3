"""A response of the Mark wire as a value: metadata with a status, then the body verbatim. No I/O.

What the keys of each verb mean is `mark_answers`'.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

from .errors import ProtocolError
from .wire_fields import Fields, decode_fields, encode_fields
from .wire_stream import Incoming

Word = Literal[
    "ok",
    "created",
    "not-modified",
    "not-found",
    "archived",
    "unauthorized",
    "not-permitted",
    "conflict",
    "bad-request",
    "server-error",
    "too-large",
    "unavailable",
]
WORDS: Final[tuple[Word, ...]] = get_args(Word)
LONGEST_ANSWER: Final = 80 << 20
"""Bytes of a response's body; a folder's largest file has 64 MiB."""

_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Response:
    """One response; without an opening fence it was all body, and has no fields."""

    fields: Fields
    body: bytes = b""

    def status(self, place: str) -> Word:
        """Give the status word.

        Raises: ProtocolError, when there is none or it is no word of the protocol.
        """
        stated = self.fields.get("status")
        for word in WORDS:
            if word == stated:
                return word
        raise ProtocolError(
            place, "the answer has no status" if stated is None else f"unknown status {stated[:40]!r}"
        )

    def number(self, key: str, place: str) -> int | None:
        """Give a whole number of at most 15 digits, None when it is not stated.

        Raises: ProtocolError, when it is none.
        """
        stated = self.fields.get(key)
        if stated is None:
            return None
        if not _NUMBER.fullmatch(stated):
            raise ProtocolError(place, f"{key} is no number: {stated[:40]!r}")
        return int(stated)

    def text(self, place: str) -> str:
        """Give the body as text.

        Raises: ProtocolError, when it is not UTF-8.
        """
        try:
            return self.body.decode()
        except UnicodeDecodeError as error:
            raise ProtocolError(place, "the answer's body is not UTF-8") from error


def encode_response(response: Response) -> bytes:
    """Write a response, always with a metadata block.

    Raises: ProtocolError, when its metadata cannot be written.

    >>> encode_response(Response({"status": "ok", "version": "4"}, b"# A\\n"))
    b'---\\nstatus: ok\\nversion: "4"\\n---\\n# A\\n'
    """
    return encode_fields(response.fields, "response") + response.body


class ResponseDecoder:
    """Reads a response of the peer `place` from pieces of any size."""

    def __init__(self, place: str, longest_body: int = LONGEST_ANSWER) -> None:
        self._place = place
        self._rest = Incoming(place, longest_body)

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises: ProtocolError, as soon as a limit is passed.
        """
        self._rest.feed(data)

    def end(self) -> Response:
        """Give the response, after its last byte.

        Raises: ProtocolError, when it is not complete, or its metadata is no flat mapping of strings.
        """
        self._rest.end()
        block = self._rest.block
        return Response(decode_fields(block, self._place) if block else {}, bytes(self._rest.body))
