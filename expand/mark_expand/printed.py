"""What was really printed, and what a further passage has to do with it (C1, C2, C3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from mark_expand.frame import note, stub_text
from mark_expand.passage import Passage


@dataclass(frozen=True, slots=True)
class _Range:
    where: str
    start: int
    end: int


@dataclass(slots=True)
class Printed:
    """Byte ranges by document, and texts with the location that printed them first."""

    _ranges: dict[str, list[_Range]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def overlap(self, path: str, passage: Passage) -> tuple[str, str] | None:
        """Name the printed location that holds this passage, or lies in it, with the note to print (C1).

        Ranges that merely touch, and passages without a range, overlap nothing.
        """
        if passage.start == passage.end:
            return None
        for seen in self._ranges.get(path, ()):
            if seen.start <= passage.start and passage.end <= seen.end:
                return seen.where, note(f"{passage.where} is within {seen.where} above")
        for seen in self._ranges.get(path, ()):
            if passage.start < seen.end and seen.start < passage.end:
                return seen.where, note(f"{passage.where} encloses {seen.where} above; skipped")
        return None

    def stand_in(self, passage: Passage) -> tuple[str, str] | None:
        """Name the location that printed this very text, with the stub text that may stand for it (C2).

        None when the text is new, or when the stub would have more bytes than the text.
        """
        first = self._texts.get(passage.text)
        if first is None:
            return None
        stub = stub_text(first)
        return None if len(stub.encode()) > len(passage.text.encode()) else (first, stub)

    def add(self, path: str, passage: Passage) -> None:
        """Remember a passage that was printed, as a block or as a stub."""
        if passage.start < passage.end:
            self._ranges.setdefault(path, []).append(_Range(passage.where, passage.start, passage.end))
        self._texts.setdefault(passage.text, passage.where)
