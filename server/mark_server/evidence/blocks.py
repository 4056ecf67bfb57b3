"""A result taken apart as its reader sees it: blocks under citable headers, with notes and relation lines.

Read from the text alone, so that results of any build, and of others, are measured alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mark_outline import Location, spellings

_HEADER = re.compile(r">>>\s+(?:\d+[.)]\s+)?((?:mark://[^/\s]+)?/\S+)")
_NOTE = ">>> note:"
RELATED = ">>> related:"


@dataclass(frozen=True, slots=True)
class Block:
    """One block: whose text it is, and its lines from the header to the next header.

    Notes and relation lines below a block's text are part of it.
    """

    location: Location
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)

    @property
    def shown(self) -> str:
        """What is paid for it: without the notes, the closing ones among them."""
        return "\n".join(line for line in self.lines if not line.startswith(_NOTE)) + "\n"

    @property
    def relations(self) -> list[str]:
        """Its relation lines."""
        return [line for line in self.lines if line.startswith(RELATED)]


def blocks(text: str) -> list[Block]:
    r"""Give the blocks of a result in order; none where it has no headers.

    >>> [str(block.location) for block in blocks("status: ok\n\n>>> /a.md/v2#b\n\ntext\n>>> note: c\n")]
    ['/a.md/v2#b']
    """
    found: list[tuple[Location, list[str]]] = []
    for line in text.split("\n"):
        if header := _HEADER.match(line):
            found.append((spellings(header[1].rstrip(":,;"))[0], [line]))
        elif found:
            found[-1][1].append(line)
    return [Block(location, tuple(lines)) for location, lines in found]
