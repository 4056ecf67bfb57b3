"""The block structure of a body: which lines are headings, and which is the opening paragraph.

markdown-it-py's CommonMark rules decide. They run on a state that keeps no tokens, chosen by the first character
of a line, with the rules of `leaves` in place of its own for what is no container; nothing inline is parsed here.
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

DEEPEST: Final = 40
"""Containers: a block quote counts one, a list two; what lies deeper opens no section."""
MOST_VISITS: Final = 4
"""Times that quoted lines are read again for the quotes inside, on average; past it nothing deeper is read."""
FREE_VISITS: Final = 50_000
"""Lines read again that count for nothing, so that only a pathological document meets the bound."""

_Rule = Callable[[StateBlock, int, int, bool], bool]

# CR before a line end, or at the end, belongs to it; any other lone CR is a character of its line.
_LINE_END = re.compile(r"\r+(?=\n|\Z)")

# Which rules can apply to a line, by its first character, in markdown-it-py's order; prose comes after all.
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
_ENDS = {character: rules for character, rules in _BLOCKS.items() if character != "["}
_LIST_ENDS = {character: tuple(r for r in rules if r is not list_block) for character, rules in _ENDS.items()}


class Blocks(NamedTuple):
    """The headings in order, the lines `(first, stop)` of the opening paragraph, and the link references."""

    headings: list[HeadingBlock]
    opening: tuple[int, int] | None
    references: Mapping[str, Any]


def parse_blocks(body: str) -> Blocks:
    """Find the headings of `body`; a lone CR ends no line, and a BOM is no text."""
    source = body.removeprefix("\ufeff")
    if "\r" in source:
        source = _LINE_END.sub("", source)
    markdown = _markdown()
    state = _State(source, markdown, {}, [])
    markdown.block.tokenize(state, 0, state.lineMax)
    return Blocks(state.leaves.headings, state.leaves.opening, state.env.get("references", {}))


class _State(StateBlock):
    """markdown-it-py's state, which keeps headings instead of tokens and cuts no text out."""

    def __init__(self, src: str, md: MarkdownIt, env: dict[str, Any], tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self.leaves = Leaves()
        self.visits = 0
        self._scratch = Token("", "", 0)

    def push(self, ttype: str, tag: str, nesting: Any) -> Token:  # noqa: ARG002 - the rules' signature
        self.level += nesting
        return self._scratch

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: ARG002, N802, N803
        return ""


class _Ruler(Ruler[_Rule]):
    """Gives markdown-it-py's rules one rule to ask whether a line ends the block that they read."""

    def getRules(self, chainName: str = "") -> list[_Rule]:  # noqa: N802, N803 - overrides
        return [_ends_list if chainName == "list" else _ends_text]

    def get_active_rules(self) -> list[str]:
        return ["code"]


class _Parser(ParserBlock):
    """markdown-it-py's block parser, trying only the rules that a line's first character allows."""

    def __init__(self) -> None:
        self.ruler = _Ruler()

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 - overrides
        line = startLine
        opaque = _is_opaque(state, endLine - startLine)
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if opaque:
                line = state.line = _container_end(state, line, endLine)
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
        prose(state, line, end, False)


def _ends_text(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    return _ends(_ENDS, state, line, end)


def _ends_list(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    return _ends(_LIST_ENDS, state, line, end)


def _ends(rules: Mapping[str, tuple[_Rule, ...]], state: StateBlock, line: int, end: int) -> bool:
    # An outer quote has taken a line with negative indentation for the lazy continuation of its paragraph.
    if state.sCount[line] < 0:
        return False
    start = state.bMarks[line] + state.tShift[line]
    return any(rule(state, line, end, True) for rule in rules.get(state.src[start : start + 1], ()))


def _is_opaque(state: StateBlock, lines: int) -> bool:
    """Tell whether a container is too deep to be read, or its lines have been read too often."""
    if state.level >= DEEPEST:
        return True
    if state.parentType != "blockquote" or state.level < 2:
        return False
    state.visits += lines
    return state.visits > FREE_VISITS + MOST_VISITS * len(state.bMarks)


def _container_end(state: StateBlock, line: int, end: int) -> int:
    while line < end and (state.isEmpty(line) or not 0 <= state.sCount[line] < state.blkIndent):
        line += 1
    return line


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark")
    markdown.block = _Parser()
    # Whether a target is safe to link to does not change what is a definition.
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    markdown.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return markdown
