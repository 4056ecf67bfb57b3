"""A section: what a heading opens, and where it lies in the body, in bytes and in characters."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and the text below it, up to the next heading of the same or a higher level.

    `start`, `own_end` and `end` are UTF-8 byte offsets from the body's first byte, the `char_` ones character
    offsets; `own_end` is where the next heading of any level starts. `line` is the 0-based line that the
    section starts on, `lines` how many it has, subsections included. The sections inside this one are
    `Outline.sections[its own index + 1 : last]`.
    """

    level: int
    title: str
    anchor: str
    slug: str
    start: int
    own_end: int
    end: int
    char_start: int
    char_own_end: int
    char_end: int
    line: int
    lines: int
    last: int
