"""A passage: one printable text of one document, with its exact size.

How a document is cut into passages is `leaf`; choosing among them is `alternatives`, printing them `press`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mark_expand.frame import header

Kind = Literal["section", "own", "document", "opening", "outline", "excerpt"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One printable text of one document.

    `path` is the document's; `text` is trimmed and frame-safe (O8, O9); `start` and `end` are byte
    offsets in the body, equal for an outline, which prints no byte of it; `units` counts the block:
    header, text, closing blank line; `remark` is the note that belongs to the block, its own units
    not in `units`; `part` names the characters of an excerpt, "" for any other passage.
    """

    path: str
    where: str
    kind: Kind
    text: str
    start: int
    end: int
    units: int
    remark: str = ""
    part: str = ""

    @property
    def name(self) -> str:
        """The location, for an excerpt with its characters."""
        return f"{self.where}: {self.part}" if self.part else self.where

    @property
    def block(self) -> str:
        """The block as it is printed."""
        return f"{header(self.where)}{self.text}\n\n"
