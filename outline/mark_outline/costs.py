"""What sections cost in tokens: counted once per own section, added up for any run of them (B3)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from mark_outline.tokens import Counter
from mark_outline.white import WHITE

if TYPE_CHECKING:
    from mark_outline.tree import Outline

# A cut before such a piece changes the count of what stands before it.
_INSEPARABLE = re.compile(f"/|[{WHITE}]*\\r(?!\\n)")


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a body's pieces (own sections) in units of `encoding`.

    `full` counts each piece as it stands; `trimmed` with its trailing white space replaced by one blank line,
    0 for a piece of white space only.
    """

    encoding: str
    full: tuple[int, ...]
    trimmed: tuple[int, ...]
    _sums: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sums", tuple(accumulate(self.full, initial=0)))

    def span(self, first: int, stop: int) -> int:
        """Give the units of pieces `first` to `stop` (exclusive) printed as one text and a blank line (B3).

        Exact where `Outline.countable` says so.
        """
        # Only the piece before the first heading can be white space alone.
        if first < stop and not self.trimmed[first]:
            first += 1
        if first >= stop:
            return 0
        return self._sums[stop - 1] - self._sums[first] + self.trimmed[stop - 1]


def pieces(outline: "Outline", body: str) -> list[str]:
    """Give the own sections of `body` as text: what stands before the first heading, then one a section."""
    starts = [section.char_start for section in outline.sections]
    return [body[start:end] for start, end in zip([0, *starts], [*starts, len(body)], strict=True)]


def with_costs(outline: "Outline", body: str, counter: Counter) -> "Outline":
    """Give `outline` with the costs of `body`'s pieces in the units of `counter`."""
    texts = pieces(outline, body)
    trimmed = [trimmed_text(text) for text in texts]
    # Most pieces end in one blank line as it is, so that one count serves for both.
    differing = [short for text, short in zip(texts, trimmed, strict=True) if short and short != text]
    counted = counter.count_many([*texts, *differing])
    full = counted[: len(texts)]
    rest = iter(counted[len(texts) :])
    cut = [
        0 if not short else units if short == text else next(rest)
        for text, short, units in zip(texts, trimmed, full, strict=True)
    ]
    return replace(outline, costs=Costs(counter.encoding, tuple(full), tuple(cut)))


def trimmed_text(piece: str) -> str:
    """Give the text that `Costs.trimmed` counts; empty for a piece of white space only."""
    text = piece.rstrip(WHITE)
    return f"{text}\n\n" if text else ""


def countable(texts: Iterable[str]) -> bool:
    """Tell whether the counts of `texts`, pieces in a row, add up to the count of their block text (B3)."""
    solid = [text for text in texts if text.strip(WHITE)]
    return not (solid and solid[0][0] in WHITE) and not any(map(_INSEPARABLE.match, solid))
