"""Cutting an excerpt out of a document: what it may cost, and the note that tells where it stands (E1 to E4).

Which window it is, is chosen by `excerpt`; whether it is tried at all, by `alternatives`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mark_expand.ask import Ask, Limits
from mark_expand.excerpt import excerpt
from mark_expand.frame import frame_safe, header, note
from mark_expand.glance import Glance
from mark_expand.leaf import Leaf
from mark_expand.passage import Passage
from mark_expand.purse import Purse
from mark_expand.window import window_end
from mark_outline import WHITE, Presence

# Characters for a token at most: rules and leaders have sixty, prose has four, and counting takes its time.
_CHARACTERS = 12
# E2: so many characters are searched for the best window; a million of them take a second or two.
_SEARCHED = 250_000
# E4: a third of what is left: the strongest row gets most, and a row below changes nothing above it (X4).
_PARTS = 3
# E7: below other blocks a window of less text, in tokens, would be a torn sentence under a long header.
_LEAST = 30
# E7: below other blocks a section that would take more of what is left, in per cent, gives way to its window.
_TOO_MUCH = 60
# E7: the window of a section that was to be printed whole takes no more than so much of it, in per cent.
_MOST = 70


@dataclass(frozen=True, slots=True)
class Cutter:
    """What the texts of one candidate are cut by.

    `source` is the provenance note, "" where none is wanted; `fresh`: nothing of the document is printed yet;
    `first`: nothing of any document is;
    `glance`: what a document may take that is told at a glance, None for any other.
    """

    ask: Ask
    purse: Purse
    source: str
    fresh: bool
    first: bool
    glance: Glance | None = None

    @property
    def most(self) -> int:
        """Units that one excerpt may cost now, header and notes included (E4)."""
        counter, limits, room = self.purse.counter, self.ask.limits, self.purse.room
        share = max(room // _PARTS, counter.units(limits.excerpt))
        if self.ask.detail != "excerpts":
            share = max(share, min(counter.units(limits.window), room * _MOST // 100))
        return min(room, share, counter.units(limits.page))

    @property
    def leading(self) -> int:
        """Units that the strongest document may take as a whole (RK3); none for any other."""
        leads = self.first and self.ask.detail == "sections" and self.glance is None
        return self.purse.room * self.ask.limits.leading // 100 if leads else 0

    def is_too_much(self, passage: Passage) -> bool:
        """Tell whether a window is to stand for a section that would leave little for those below it (E7)."""
        if self.first or self.ask.oversized != "excerpt" or self.ask.detail != "sections":
            return False
        return passage.units > fair_share(self.purse, self.ask.limits)

    @property
    def _least(self) -> int:
        cramped = self.ask.detail == "sections" and not self.first
        return self.purse.counter.units(_LEAST) if cramped else 0

    def cut(self, leaf: Leaf, index: int | None) -> Passage | None:
        """Cut the best window of section `index`, of the document for None; None when nothing fits."""
        sheet, most = _Sheet(leaf, index, self.source), self.most
        longest = self.purse.counter.tokens(most) * _CHARACTERS

        def fits(start: int, end: int) -> bool:
            return end - start <= longest and sheet.units(start, end) <= most

        body, terms = leaf.document.body, _open(leaf, index, self.ask.terms)

        def window(span: tuple[int, int]) -> tuple[int, int] | None:
            return excerpt(body, _narrowed(body, span, terms), terms, fits)

        found = window(_searched(leaf, index, self.ask.terms))
        if found and leaf.is_heading(index, found):
            # What is below a heading says more, whatever it holds.
            found = window((found[1], leaf.extent(index)[1])) or found
        if found is None or leaf.units(body[slice(*found)]) < self._least:
            return None
        return sheet.passage(*found)


def fair_share(purse: Purse, limits: Limits) -> int:
    """Units that a section may take below other blocks, so that some are left for those below it (E7)."""
    return max(purse.room * _TOO_MUCH // 100, purse.counter.units(limits.window))


def read_on(leaf: Leaf, anchor: str, start: int, stop: int, purse: Purse, most: int) -> Passage | None:
    """Cut the page of a section from byte `start` on, up to byte `stop`; None where too little fits (RK7).

    `most` are the units that it may cost, header and note included; without an anchor the section is the
    document.
    """
    if most < purse.counter.units(2 * _LEAST):
        # Header and note take as much as the least text.
        return None
    sheet, body = _Sheet(leaf, leaf.outline.find(anchor) if anchor else None, ""), leaf.document.body
    first, last = (len(body.encode()[:place].decode()) for place in (start, stop))
    longest = purse.counter.tokens(most) * _CHARACTERS

    def fits(end: int) -> bool:
        return end - first <= longest and sheet.units(first, end) <= most

    end = window_end(body[:last], first, fits)
    if leaf.units(body[first:end].strip(WHITE)) < purse.counter.units(_LEAST):
        return None
    return sheet.passage(first, end)


def _open(leaf: Leaf, index: int | None, terms: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out the terms that head a section: they say which one it is, not where in it to look (E7)."""
    if index is None:
        return terms
    heads = Presence("\n".join(leaf.headings_of(index)))
    return tuple(term for term in terms if not heads.holds(term))


def _searched(leaf: Leaf, index: int | None, terms: tuple[str, ...]) -> tuple[int, int]:
    """Give the own text where it holds a term, since it is what was ranked; else the whole (E2)."""
    own = leaf.own_extent(index)
    return own if Presence(leaf.document.body[slice(*own)]).count(terms) else leaf.extent(index)


def _narrowed(body: str, span: tuple[int, int], terms: tuple[str, ...]) -> tuple[int, int]:
    """Search no more of a text than can be searched at once, from the line of the first term on (E2)."""
    start, stop = span
    if stop - start <= _SEARCHED:
        return span
    found = (re.compile(re.escape(term), re.IGNORECASE).search(body, start, stop) for term in terms)
    first = min((match.start() for match in found if match), default=start)
    begin = max(start, body.rfind("\n", start, first) + 1)
    return begin, min(stop, begin + _SEARCHED)


class _Sheet:
    """The text that excerpts are cut from, and the frame around them; offsets given count in the body."""

    def __init__(self, leaf: Leaf, index: int | None, source: str) -> None:
        self._leaf = leaf
        self._body = leaf.document.body
        self._start, self._stop = leaf.extent(index)
        self._anchor = "" if index is None else leaf.outline.sections[index].anchor
        self._where = leaf.where(self._anchor)
        self._source = source
        whole = self._body[self._start : self._stop]
        self._first = self._start + len(whole) - len(whole.lstrip(WHITE))
        self._last = self._start + len(whole.rstrip(WHITE))

    def units(self, start: int, end: int) -> int:
        """Units of header, text and notes."""
        start, end = self._trimmed(start, end)
        text = frame_safe(self._body[start:end].strip(WHITE))
        block = f"{header(self._where)}{text}\n\n"
        return self._leaf.units(block) + self._leaf.units(self._remark(start, end))

    def passage(self, start: int, end: int) -> Passage:
        """The excerpt as it is printed."""
        start, end = self._trimmed(start, end)
        return self._leaf.window(self._anchor, start, end, self._part(start, end), self._remark(start, end))

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Leave out white space at both ends, but for that of the section: then nothing is left to fetch."""
        raw = self._body[start:end]
        first = end - len(raw.lstrip(WHITE))
        last = start + len(raw.rstrip(WHITE))
        return (
            self._start if first <= self._first else first,
            self._stop if last >= self._last else last,
        )

    def _part(self, start: int, end: int) -> str:
        return f"characters {start - self._start}-{end - self._start} of {self._stop - self._start}"

    def _remark(self, start: int, end: int) -> str:
        more = ""
        if end < self._stop:
            more = f"; next: mark_fetch url={self._where} start={end - self._start}"
        elif start > self._start:
            more = f"; before: mark_fetch url={self._where} start=0"
        return note(self._part(start, end) + more) + self._source
