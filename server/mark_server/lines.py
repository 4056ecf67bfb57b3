"""Where a key of a TOML text stands: tomllib tells values and no places. Only for what a person is told.

A key inside an inline table or after odd white space has the line of what it stands in, or none.
"""

from __future__ import annotations

import re
import tomllib

_HEADER = re.compile(r"\s*\[{1,2}([^\[\]\n]{1,300})\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*([^\s=#][^=#\n]{0,300}?)\s*=")


class Lines:
    """The lines of the keys and sections of one text, counted from 1."""

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[str, ...], int] = {}
        section: tuple[str, ...] = ()
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.fullmatch(line):
                section = _parts(header[1])
                self._found.setdefault(section, number)
            elif key := _KEY.match(line):
                self._found.setdefault((*section, *_parts(key[1])), number)

    def of(self, place: tuple[str, ...]) -> int | None:
        """The line of a key, else of the nearest thing around it that has one.

        >>> lines = Lines("page = 1\\n[stores.a]\\naddress = '.'\\nca = 3\\n")
        >>> lines.of(("stores", "a", "ca")), lines.of(("stores", "a", "x")), lines.of(("keep",))
        (4, 2, None)
        """
        for length in range(len(place), 0, -1):
            if place[:length] in self._found:
                return self._found[place[:length]]
        return None


def _parts(dotted: str) -> tuple[str, ...]:
    """The names that a dotted key consists of; nothing when it is none."""
    try:
        value: object = tomllib.loads(f"{dotted} = 1")
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(value, dict):
        ((name, value),) = value.items()
        names.append(name)
    return tuple(names)
