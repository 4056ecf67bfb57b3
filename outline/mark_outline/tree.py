"""The outline of one body: its sections in order, how to find one, and the heading tree as text.

Making an outline is `reading`; counting its tokens is `costs`.
"""

from dataclasses import dataclass
from itertools import pairwise

from mark_outline.costs import Costs, countable
from mark_outline.find import find
from mark_outline.section import Section


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of one body of `size` bytes and `chars` characters, and its opening paragraph.

    `costs` is None until `with_costs` counted the body's pieces.
    """

    sections: tuple[Section, ...]
    size: int
    chars: int
    opening: str
    costs: Costs | None = None

    def find(self, anchor: str) -> int | None:
        """Give the index of the section that `anchor` means, or None (OL5)."""
        return find(self.sections, anchor)

    def anchors(self) -> tuple[str, ...]:
        """Give every anchor in document order."""
        return tuple(section.anchor for section in self.sections)

    def trail(self, index: int) -> tuple[str, ...]:
        """Give the titles from the outermost heading down to section `index`."""
        titles = []
        place = 0
        while place <= index:
            section = self.sections[place]
            if section.last > index:
                titles.append(section.title)
            place = place + 1 if section.last > index else section.last
        return tuple(titles)

    def trails(self) -> list[tuple[str, ...]]:
        """Give the trail of every section, in one pass."""
        trails: list[tuple[str, ...]] = []
        above: list[Section] = []
        for section in self.sections:
            while above and above[-1].level >= section.level:
                above.pop()
            above.append(section)
            trails.append(tuple(outer.title for outer in above))
        return trails

    def render(self) -> str:
        """Give the heading tree, one line a heading: `  - Title (#anchor, 12 lines)`."""
        return "".join(
            f"{'  ' * (section.level - 1)}- {section.title} (#{section.anchor}, {section.lines} lines)\n"
            for section in self.sections
        )

    def render_body(self, path: str) -> str:
        """Give what stands for a body too large to print: tree, opening paragraph, how to fetch a section."""
        parts = [self.render().removesuffix("\n") or "(document has no headings)"]
        if self.opening:
            parts.append(self.opening)
        parts.append(f"fetch {path}#<anchor> for a section; force=true for the full body\n")
        return "\n\n".join(parts)

    def countable(self, body: str, first: int, stop: int) -> bool:
        """Tell whether `costs.span(first, stop)` is exact for this `body`; else count the text (B3)."""
        cuts = [self._piece_start(place) for place in range(first, stop + 1)]
        return countable(body[start:end] for start, end in pairwise(cuts))

    def _piece_start(self, place: int) -> int:
        if place > len(self.sections):
            return self.chars
        return self.sections[place - 1].char_start if place else 0
