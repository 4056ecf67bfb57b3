"""A leaf: one fetched document, cut into passages on demand and measured exactly (B3, O2 to O9)."""

from __future__ import annotations

from dataclasses import replace

from mark_expand.ask import Document
from mark_expand.frame import frame_safe, header, location, note
from mark_expand.matching import matching_sections
from mark_expand.opening import after_heading, is_blank, opening
from mark_expand.passage import Kind, Passage
from mark_outline import WHITE, Counter, Outline, Presence, encode


class Leaf:
    """One fetched document."""

    __slots__ = ("_around", "_counter", "_matches", "_sections", "_whole", "document")

    def __init__(self, document: Document, counter: Counter) -> None:
        self.document = document
        self._counter = counter
        # A document may have as many rows as sections: each section is measured once.
        self._sections: dict[int, Passage] = {}
        self._whole: Passage | None = None
        self._around: list[int | None] | None = None
        self._matches: dict[tuple[str, ...], list[int]] = {}

    @property
    def outline(self) -> Outline:
        """Outline of the document's body."""
        return self.document.outline

    def where(self, anchor: str = "") -> str:
        """Spell the document's location with the version that was fetched (O6)."""
        return location(self.document.path, self.document.version, anchor)

    def matches(self, terms: tuple[str, ...]) -> list[int]:
        """Indices of the sections that a question is about (O4)."""
        if terms not in self._matches:
            self._matches[terms] = matching_sections(self.document.body, self.outline, terms)
        return self._matches[terms]

    def section(self, index: int) -> Passage:
        """Section `index` with its subsections (O2)."""
        if index not in self._sections:
            self._sections[index] = self._cut_section(index)
        return self._sections[index]

    def own(self, index: int, whole: Passage) -> Passage | None:
        """Section `index` up to the next heading; None where that is the `whole` of it, or but a heading."""
        section = self.outline.sections[index]
        start, end = section.char_start, section.char_own_end
        if section.own_end == section.end or self._is_bare(start, end):
            return None
        size = self._counter.tokens(whole.units)
        remark = note(f"{self.where(section.anchor)}: own text only, whole section ~{size} tokens")
        span = (section.start, section.own_end)
        return self._passage(
            "own", section.anchor, self.document.body[start:end], span, (index + 1, index + 2), remark
        )

    def whole(self) -> Passage:
        """The whole document, under its H1's anchor where that heading opens it (O3, O7)."""
        if self._whole is None:
            span = (0, self.outline.size)
            pieces = (0, len(self.outline.sections) + 1)
            self._whole = self._passage("document", self._pin(), self.document.body, span, pieces)
        return self._whole

    def begins_with(self, terms: tuple[str, ...]) -> bool:
        """Tell whether the text before the first heading holds a term, and is more than comments."""
        start, end = self.own_extent(None)
        body = self.document.body
        return not is_blank(body, start, end) and Presence(body[start:end]).count(terms) > 0

    def preamble(self) -> Passage:
        """The text before the first heading, the whole document where there is none (E7)."""
        if not self.outline.sections:
            return self.whole()
        raw = self.document.body[slice(*self.own_extent(None))]
        size = self._counter.tokens(self.whole().units)
        remark = note(f"{self.where()}: own text only, whole document ~{size} tokens")
        return self._passage("own", "", raw, (0, len(raw.encode())), (0, 1), remark)

    def opening(self, limit: int, most: int = 0) -> Passage | None:
        """The document's first prose, at most `limit` bytes (O4), or one sentence of at most `most` (H4)."""
        body = self.document.body
        chars = opening(body, self.outline, limit, most)
        if chars is None:
            return None
        raw = body[chars[0] : chars[1]]
        start = len(body[: chars[0]].encode())
        size = self._counter.tokens(self.whole().units)
        remark = note(f"opening text of ~{size} tokens")
        return self._passage("opening", "", raw, (start, start + len(raw.encode())), None, remark)

    def is_empty(self, index: int | None) -> bool:
        """Tell whether section `index` is but its heading, or the document white space (O8)."""
        if index is None:
            return is_blank(self.document.body, 0, len(self.document.body))
        section = self.outline.sections[index]
        return section.own_end == section.end and self._is_bare(section.char_start, section.char_end)

    def is_heading(self, index: int | None, span: tuple[int, int]) -> bool:
        """Tell whether a window of section `index` is no more than its heading, or comments."""
        start, end = span
        if index is not None and start == self.outline.sections[index].char_start:
            return self._is_bare(start, end)
        return is_blank(self.document.body, start, end)

    def headings_of(self, index: int) -> list[str]:
        """The headings of section `index` and of those around it, the innermost first."""
        sections = self.outline.sections
        if self._around is None:
            around: list[int | None] = []
            self._around = around
            last: int | None = None
            for place, section in enumerate(sections):
                while last is not None and sections[last].end <= section.start:
                    last = around[last]
                around.append(last)
                last = place
        found: list[str] = []
        here: int | None = index
        while here is not None:
            found.append(sections[here].title)
            here = self._around[here]
        return found

    def extent(self, index: int | None) -> tuple[int, int]:
        """Characters of section `index`, of the whole body for None."""
        if index is None:
            return 0, len(self.document.body)
        section = self.outline.sections[index]
        return section.char_start, section.char_end

    def own_extent(self, index: int | None) -> tuple[int, int]:
        """Characters of a section's own text; for None of what stands before the first heading."""
        sections = self.outline.sections
        if index is None:
            return 0, sections[0].char_start if sections else len(self.document.body)
        return sections[index].char_start, sections[index].char_own_end

    def window(self, anchor: str, start: int, end: int, part: str, remark: str) -> Passage:
        """The characters from `start` to `end` as an excerpt under the anchor's header (E1)."""
        raw = self.document.body[start:end]
        first = len(self.document.body[:start].encode())
        passage = self._passage("excerpt", anchor, raw, (first, first + len(raw.encode())), None, remark)
        return replace(passage, part=part)

    def units(self, text: str) -> int:
        """Units of a text that is printed."""
        return self._counter.count(text)

    def tokens(self, units: int) -> int:
        """Units as the tokens that a reader is shown."""
        return self._counter.tokens(units)

    def headings(self) -> Passage:
        """The outline: heading tree, opening paragraph, how to fetch a section (O4)."""
        return self._passage("outline", "", self.outline.render_body(encode(self.document.path)), (0, 0))

    def _cut_section(self, index: int) -> Passage:
        section = self.outline.sections[index]
        raw = self.document.body[section.char_start : section.char_end]
        span = (section.start, section.end)
        return self._passage("section", section.anchor, raw, span, (index + 1, section.last + 1))

    def _pin(self) -> str:
        sections = self.outline.sections
        if not sections or sections[0].level != 1 or sections[0].end != self.outline.size:
            return ""
        return "" if self.document.body[: sections[0].char_start].strip(WHITE) else sections[0].anchor

    def _is_bare(self, start: int, end: int) -> bool:
        """Tell whether an own text is but its heading, which the omission list names anyway."""
        return is_blank(self.document.body, after_heading(self.document.body, start, end), end)

    def _passage(
        self,
        kind: Kind,
        anchor: str,
        raw: str,
        span: tuple[int, int],
        pieces: tuple[int, int] | None = None,
        remark: str = "",
    ) -> Passage:
        trimmed = raw.strip(WHITE)
        text = frame_safe(trimmed)
        where = self.where(anchor)
        units = self._known(where, pieces) if pieces and text == trimmed else None
        if units is None:
            # Header and text together: after a header that ends in punctuation, a `/` joins its token.
            units = self._counter.count(f"{header(where)}{text}\n\n")
        return Passage(self.document.path, where, kind, text, *span, units, remark)

    def _known(self, where: str, pieces: tuple[int, int]) -> int | None:
        """Give the units of a block by the stored costs of its own sections; None where they do not hold."""
        costs = self.outline.costs
        if costs is None or costs.encoding != self._counter.encoding:
            return None
        if not self.outline.countable(self.document.body, *pieces):
            return None
        return self._counter.count(header(where)) + costs.span(*pieces)
