"""The block rules for what holds no other block: headings, thematic breaks, paragraphs.

They decide as markdown-it-py's own do, and keep a heading where those build tokens. Containers, fences, HTML
and link reference definitions stay with markdown-it-py; `blocks` puts both together.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, cast

from markdown_it.rules_block import StateBlock

# A lone CR is a blank inside a line, but no indentation.
_ATX = re.compile(r"#{1,6}(?=[ \t\r]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_BLANKS = " \t\r\n"
# What a line must start with to end a paragraph or to underline it.
_SIGNALS = frozenset("#>`~-*+_<=0123456789")


class HeadingBlock(NamedTuple):
    """A heading as the block structure has it: 0-based first line and raw inline content."""

    level: int
    line: int
    content: str


@dataclass(slots=True)
class Leaves:
    """What was found so far: the headings, and the lines `(first, stop)` of the first bare paragraph."""

    headings: list[HeadingBlock] = field(default_factory=list)
    opening: tuple[int, int] | None = None


class LeafState(Protocol):
    """The state as these rules see it."""

    leaves: Leaves


def heading(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Read an ATX heading (CommonMark 4.2)."""
    start, stop = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    marks = None if state.is_code_block(line) else _ATX.match(state.src, start, stop)
    if marks and not silent:
        content = without_closing(state.src[marks.end() : stop].strip(_BLANKS))
        _leaves(state).headings.append(HeadingBlock(len(marks[0]), line, content))
        state.line = line + 1
    return marks is not None


def thematic_break(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Read a thematic break (CommonMark 4.1)."""
    start, stop = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    found = not state.is_code_block(line) and _BREAK.match(state.src, start, stop) is not None
    if found and not silent:
        state.line = line + 1
    return found


def prose(state: StateBlock, line: int, end: int) -> None:
    """Read a paragraph or a setext heading (CommonMark 4.3, 4.8)."""
    leaves = _leaves(state)
    stop, level = _extent(state, line, end)
    if level:
        leaves.headings.append(HeadingBlock(level, line, _content(state, line, stop)))
    elif not leaves.opening and not state.level:
        leaves.opening = (line, stop)
    state.line = stop + bool(level)


def without_closing(content: str) -> str:
    """Take a closing sequence of number signs off the content of an ATX heading.

    >>> without_closing("Setup ##"), without_closing("C#")
    ('Setup', 'C#')
    """
    text = content.rstrip("#")
    return text.rstrip(_BLANKS) if not text or text[-1] in _BLANKS else content


def _extent(state: StateBlock, line: int, end: int) -> tuple[int, int]:
    """Give the line after a paragraph's text, and the heading level when that line underlines it (else 0)."""
    [interrupts] = state.md.block.ruler.getRules("paragraph")
    parent, state.parentType = state.parentType, "paragraph"
    stop, level = line + 1, 0
    while stop < state.lineMax and not state.isEmpty(stop):
        # Deeper indentation than three is lazy continuation, whatever stands there.
        if state.src[state.bMarks[stop] + state.tShift[stop]] in _SIGNALS and not state.is_code_block(stop):
            level = _underlined(state, stop) if stop < end else 0
            if level or interrupts(state, stop, end, True):
                break
        stop += 1
    state.parentType = parent
    return stop, level


def _underlined(state: StateBlock, line: int) -> int:
    if state.sCount[line] < state.blkIndent:
        return 0
    start = state.bMarks[line] + state.tShift[line]
    if not _UNDERLINE.match(state.src, start, state.eMarks[line]):
        return 0
    return 1 if state.src[start] == "=" else 2


def _content(state: StateBlock, line: int, stop: int) -> str:
    texts = (state.src[state.bMarks[n] + state.tShift[n] : state.eMarks[n]] for n in range(line, stop))
    return "\n".join(texts).strip(_BLANKS)


def _leaves(state: StateBlock) -> Leaves:
    return cast(LeafState, state).leaves
