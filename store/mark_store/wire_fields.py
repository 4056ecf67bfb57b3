"""The metadata block of the Mark wire: flat YAML between two fences, string to string.

Types are never guessed: `1.10`, `no`, `~` and an empty value are strings both ways. Writing is narrow (sorted
keys; plain words stay plain, everything else is double-quoted), reading takes any flat YAML. Where the block
stands in a message is `wire_stream`'s.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

import yaml

from .errors import ProtocolError
from .paths import is_storable

Fields = Mapping[str, str]

FENCE: Final = b"---\n"
LONGEST_BLOCK: Final = 65_536
"""Bytes between the fences, the last line feed included."""
LONGEST_KEY: Final = 128
"""Characters of a key that is written; YAML ends simple keys at 1,024 bytes."""

_LOADER: type[yaml.CBaseLoader] | type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# What no YAML of any version reads as anything but a string; a digit or sign at the start can be a number.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/._-]*(?: [A-Za-z0-9/._-]+)*")
_WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
# What YAML cannot hold raw, or takes for a line break.
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
# Fences and lines end in a line feed alone, so that a carriage return is as foreign as any other control.
_FOREIGN = re.compile(b"[\x00-\x08\x0b-\x1f\x7f]")


def encode_fields(fields: Fields, place: str) -> bytes:
    """Write a block with both fences.

    Raises: ProtocolError, when a key is empty, long or holds control characters, or the block is too long.

    >>> encode_fields({"query": "cold tape", "limit": "10"}, "a peer")
    b'---\\nlimit: "10"\\nquery: cold tape\\n---\\n'
    """
    lines = [f"{_key(key, place)}: {_scalar(fields[key], place)}\n" for key in sorted(fields)]
    block = "".join(lines).encode()
    if len(block) > LONGEST_BLOCK:
        raise ProtocolError(place, f"metadata has {len(block)} bytes, more than {LONGEST_BLOCK}")
    return FENCE + block + FENCE


def decode_fields(block: bytes, place: str) -> dict[str, str]:
    """Read what stands between the fences.

    Raises: ProtocolError, for everything but a flat mapping of scalars with distinct keys.

    >>> decode_fields(b"version: 1.10\\nnothing:\\n", "a peer")
    {'version': '1.10', 'nothing': ''}
    """
    if _FOREIGN.search(block):
        raise ProtocolError(place, "metadata holds control characters")
    try:
        pairs = list(_pairs(yaml.parse(block.decode(), Loader=_LOADER), place))
    except (yaml.YAMLError, ValueError) as error:
        problem = getattr(error, "problem", None) or "not UTF-8, or an impossible character"
        raise ProtocolError(place, f"metadata is no YAML: {' '.join(str(problem).split())}") from error
    return _distinct(pairs, place)


def has_controls(text: str) -> bool:
    """Whether a text holds control characters, line breaks among them."""
    return any(unicodedata.category(character) == "Cc" for character in text)


def _distinct(pairs: list[tuple[str, str]], place: str) -> dict[str, str]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ProtocolError(place, "metadata has a key twice")
    if "" in fields or any(map(has_controls, fields)):
        raise ProtocolError(place, "metadata has an empty key or one with control characters")
    if not all(map(is_storable, [*fields, *fields.values()])):
        raise ProtocolError(place, "metadata holds half of a surrogate pair")
    return fields


def _pairs(events: Iterator[yaml.Event], place: str) -> Iterator[tuple[str, str]]:
    """Keys and values of the one mapping that the events may tell of."""
    next(events)  # the start of the stream
    if isinstance(start := next(events), yaml.StreamEndEvent):
        return
    if getattr(start, "explicit", False) or not isinstance(next(events), yaml.MappingStartEvent):
        raise ProtocolError(place, "metadata is no mapping")
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        yield _text(key, place), _text(next(events), place)
    next(events)  # the end of the document
    if not isinstance(next(events), yaml.StreamEndEvent):
        raise ProtocolError(place, "metadata has more than one document")


def _text(event: yaml.Event, place: str) -> str:
    if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag:
        raise ProtocolError(place, "metadata has a value that is no plain or quoted string")
    return str(event.value)


def _key(key: str, place: str) -> str:
    if not key or len(key) > LONGEST_KEY or has_controls(key):
        raise ProtocolError(
            place, f"a metadata key has 1 to {LONGEST_KEY} characters and no control characters"
        )
    return _scalar(key, place)


def _scalar(text: str, place: str) -> str:
    if not is_storable(text):
        raise ProtocolError(place, "metadata holds half of a surrogate pair")
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    return _NAMED.get(found[0]) or f"\\u{ord(found[0]):04x}"
