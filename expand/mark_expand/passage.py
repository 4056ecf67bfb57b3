"""Passages: the texts that one row or target could print, each with its exact size.

A passage is a whole section, a section's own text, a whole document, an opening text or an outline.
Choosing among them and printing is left to the expansion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mark_outline import WHITE, Counter, Outline, Section, encode

from mark_expand.ask import Document
from mark_expand.frame import frame_safe, header, location, note
from mark_expand.opening import opening

Kind = Literal["section", "own", "document", "opening", "outline"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One printable text of one document.

    `text` is trimmed and frame-safe (O8, O9); `start` and `end` are byte offsets in the body, equal for
    an outline, which prints no byte of it; `units` counts the block: header, text, closing blank line;
    `remark` is the note that belongs to the block, its own units not in `units`.
    """

    where: str
    kind: Kind
    text: str
    start: int
    end: int
    units: int
    remark: str = ""

    @property
    def block(self) -> str:
        """The block as it is printed."""
        return f"{header(self.where)}{self.text}\n\n"


class Leaf:
    """One fetched document, cut into passages on demand."""

    __slots__ = ("_counter", "document")

    def __init__(self, document: Document, counter: Counter) -> None:
        self.document = document
        self._counter = counter

    @property
    def outline(self) -> Outline:
        """Outline of the document's body."""
        return self.document.outline

    def where(self, anchor: str = "") -> str:
        """Spell the document's location with the version that was fetched (O6)."""
        return location(self.document.path, self.document.version, anchor)

    def section(self, index: int) -> Passage:
        """Section `index` with its subsections (O2)."""
        section = self.outline.sections[index]
        chars = (section.char_start, section.char_end)
        return self._cut(
            "section", section.anchor, chars, (section.start, section.end), (index + 1, section.last + 1)
        )

    def own(self, index: int) -> Passage | None:
        """Section `index` up to the next heading; None where that is all of it, or nothing but its heading."""
        section = self.outline.sections[index]
        if section.own_end == section.end or not self._says_something(section):
            return None
        whole = self._counter.tokens(self.section(index).units)
        chars = (section.char_start, section.char_own_end)
        remark = note(f"{self.where(section.anchor)}: own text only, whole section ~{whole} tokens")
        return self._cut(
            "own",
            section.anchor,
            chars,
            (section.start, section.own_end),
            (index + 1, index + 2),
            remark=remark,
        )

    def whole(self) -> Passage:
        """The whole document, under its H1's anchor where that heading opens it (O3, O7)."""
        outline = self.outline
        pin = self._pin()
        count = len(outline.sections) + 1
        return self._cut("document", pin, (0, len(self.document.body)), (0, outline.size), (0, count))

    def opening(self, limit: int) -> Passage | None:
        """The document's first prose, at most `limit` bytes (O4)."""
        body = self.document.body
        chars = opening(body, self.outline, limit)
        if chars is None:
            return None
        start = len(body[: chars[0]].encode())
        end = start + len(body[chars[0] : chars[1]].encode())
        whole = self._counter.tokens(self.whole().units)
        remark = note(f"{self.where()}: opening text only, whole document ~{whole} tokens")
        return self._cut("opening", "", chars, (start, end), None, remark=remark)

    def headings(self) -> Passage:
        """The outline: heading tree, opening paragraph, how to fetch a section (O4)."""
        text = self.outline.render_body(encode(self.document.path))
        return self._passage("outline", "", text, (0, 0), None)

    def _pin(self) -> str:
        sections = self.outline.sections
        if not sections or sections[0].level != 1 or sections[0].end != self.outline.size:
            return ""
        return "" if self.document.body[: sections[0].char_start].strip(WHITE) else sections[0].anchor

    def _says_something(self, section: Section) -> bool:
        """Tell whether an own text holds more than its heading, which the omission list names anyway."""
        own = self.document.body[section.char_start : section.char_own_end].strip(WHITE)
        return len([line for line in own.split("\n") if line.strip(WHITE)]) > (
            2 if own.endswith(("=", "-")) else 1
        )

    def _cut(
        self,
        kind: Kind,
        anchor: str,
        chars: tuple[int, int],
        span: tuple[int, int],
        pieces: tuple[int, int] | None,
        *,
        remark: str = "",
    ) -> Passage:
        body = self.document.body[chars[0] : chars[1]]
        return self._passage(kind, anchor, body, span, pieces, remark=remark)

    def _passage(
        self,
        kind: Kind,
        anchor: str,
        raw: str,
        span: tuple[int, int],
        pieces: tuple[int, int] | None,
        *,
        remark: str = "",
    ) -> Passage:
        trimmed = raw.strip(WHITE)
        text = frame_safe(trimmed)
        where = self.where(anchor)
        units = self._counter.count(header(where))
        if pieces and text is trimmed and self._countable(*pieces):
            units += self.outline.costs.span(*pieces) if self.outline.costs else 0
        else:
            units += self._counter.count(f"{text}\n\n")
        return Passage(where, kind, text, *span, units, remark)

    def _countable(self, first: int, stop: int) -> bool:
        """Tell whether the stored costs of these own sections hold for the printed text (B3)."""
        costs = self.outline.costs
        if costs is None or costs.encoding != self._counter.encoding:
            return False
        return self.outline.countable(self.document.body, first, stop)
