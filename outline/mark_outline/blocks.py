"""The block structure of a body: which lines are headings, and which is the opening paragraph.

markdown-it-py's CommonMark rules decide. They run on a state that keeps no tokens, picked by the first
character of a line, with the rules of `leaves` where no container is read; nothing inline is parsed here.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock, blockquote, code, fence, html_block, list_block, reference
from markdown_it.token import Token

from mark_outline.leaves import HeadingBlock, Leaves, heading, prose, thematic_break
from mark_outline.lenient import LenientMarkdown

DEEPEST: Final = 40
"""Levels: a block quote counts one, a list two. What lies deeper opens no section (OL7)."""
MOST_VISITS: Final = 4
"""How often quoted lines are read again for the quotes inside, on average, before they are read no deeper."""
FREE_VISITS: Final = 50_000
"""Lines read again that do not count, so that only a pathological document meets the bound."""

_Rule = Callable[[StateBlock, int, int, bool], bool]

# CR before a line end, or at the end, belongs to it; any other lone CR is a character of its line.
_LINE_END = re.compile(r"(?<!\r)\r+(?=\n|\Z)")

# The rules that a line's first character allows, in markdown-it-py's order; prose comes after all of them.
_BLOCKS: Final[Mapping[str, tuple[_Rule, ...]]] = {
    **dict.fromkeys("`~", (fence,)),
    ">": (blockquote,),
    **dict.fromkeys("*-", (thematic_break, list_block)),
    "_": (thematic_break,),
    **dict.fromkeys("+0123456789", (list_block,)),
    "[": (reference,),
    "<": (html_block,),
    "#": (heading,),
}
# What ends a paragraph, a link reference definition or the lazy lines of a quote; and what ends a list.
_TEXT_ENDS = {character: rules for character, rules in _BLOCKS.items() if character != "["}
_LIST_ENDS = {first: tuple(r for r in rules if r is not list_block) for first, rules in _TEXT_ENDS.items()}


class Blocks(NamedTuple):
    """The headings in order, the lines `(first, stop)` of the opening paragraph, and the link references."""

    headings: list[HeadingBlock]
    opening: tuple[int, int] | None
    references: Mapping[str, Any]


def parse_blocks(body: str) -> Blocks:
    """Find the headings of `body`; a lone CR ends no line, and a BOM is no text (OL1, OL7)."""
    source = body.removeprefix("\ufeff")
    if "\r" in source:
        source = _LINE_END.sub("", source)
    markdown = _markdown()
    state = _State(source, markdown)
    markdown.block.tokenize(state, 0, state.lineMax)
    return Blocks(state.leaves.headings, state.leaves.opening, state.env.get("references", {}))


class _State(StateBlock):
    """markdown-it-py's state, which keeps headings instead of tokens and cuts no text out."""

    def __init__(self, source: str, markdown: MarkdownIt) -> None:
        super().__init__(source, markdown, {}, [])
        self.leaves = Leaves()
        self._visits = 0
        self._scratch = Token("", "", 0)

    def push(self, _type: str, _tag: str, nesting: int) -> Token:
        self.level += nesting
        return self._scratch

    def getLines(self, *_: int) -> str:  # noqa: N802 - overrides a method
        return ""

    def is_opaque(self, lines: int) -> bool:
        """Tell whether a container is too deep to be read, or quoted `lines` have been read too often."""
        if self.parentType == "blockquote" and self.level > 1:
            self._visits += lines
        return self.level >= DEEPEST or self._visits > FREE_VISITS + MOST_VISITS * len(self.bMarks)


class _Ruler(Ruler[_Rule]):
    """Gives markdown-it-py's rules one rule to ask whether a line ends the block that they read."""

    def getRules(self, chainName: str = "") -> list[_Rule]:  # noqa: N802, N803 - overrides a method
        return [_ends_list if chainName == "list" else _ends_text]

    def get_active_rules(self) -> list[str]:
        return ["code"]


class _Parser(ParserBlock):
    """markdown-it-py's block parser, trying only the rules that a line's first character allows."""

    def __init__(self) -> None:
        self.ruler = _Ruler()

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 - overrides a method
        opaque = isinstance(state, _State) and state.is_opaque(endLine - startLine)
        line = startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if opaque:
                state.line = _container_end(state, line, endLine)
                break
            _read_block(state, line, endLine)
            line = state.line
            if line < endLine and state.isEmpty(line):
                line = state.line = line + 1


def _read_block(state: StateBlock, line: int, end: int) -> None:
    if state.is_code_block(line):
        code(state, line, end, False)
        return
    rules = _BLOCKS.get(state.src[state.bMarks[line] + state.tShift[line]], ())
    if not any(rule(state, line, end, False) for rule in rules):
        prose(state, line, end)


def _ends_text(state: StateBlock, line: int, end: int, _silent: bool) -> bool:
    return _ends(_TEXT_ENDS, state, line, end)


def _ends_list(state: StateBlock, line: int, end: int, _silent: bool) -> bool:
    return _ends(_LIST_ENDS, state, line, end)


def _ends(rules: Mapping[str, tuple[_Rule, ...]], state: StateBlock, line: int, end: int) -> bool:
    # An outer quote has taken a line of negative indentation for the lazy continuation of its paragraph.
    if state.sCount[line] < 0:
        return False
    start = state.bMarks[line] + state.tShift[line]
    return any(rule(state, line, end, True) for rule in rules.get(state.src[start : start + 1], ()))


def _container_end(state: StateBlock, line: int, end: int) -> int:
    while line < end and (state.isEmpty(line) or not 0 <= state.sCount[line] < state.blkIndent):
        line += 1
    return line


@cache
def _markdown() -> MarkdownIt:
    markdown = LenientMarkdown("commonmark")
    markdown.block = _Parser()
    return markdown
