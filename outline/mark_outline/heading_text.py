"""The inline text of a heading: markup dropped, code kept, images by their alt text (OL2).

markdown-it-py's inline rules do the work, for heading lines alone. Entities and backslashes stay as
written, raw HTML and autolinks go, and a line break inside a setext heading joins without a blank.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.rules_inline import escape as hard_break
from markdown_it.token import Token

from mark_outline.lenient import LenientMarkdown

LONGEST_MARKED: Final = 1000
"""Characters: the content of a longer heading that holds markup is its title as written."""
MOST_COST: Final = 20_000
"""The `markup_cost` above which a heading is its title as written, because matching brackets is quadratic."""

# Without one of these there is no markup: the content is the text.
_MARKUP = re.compile(r"[\\`*_\[<\n]")


def markup_cost(content: str) -> int:
    """Give the work of reading the markup of `content`: characters, once more for each `[`; 0 without any."""
    return len(content) * (1 + content.count("[")) if _MARKUP.search(content) else 0


def heading_text(content: str, references: Mapping[str, Any]) -> str:
    """Give the text of a heading from its raw inline content and the document's link reference definitions.

    >>> heading_text("The *`run`* [method](/m)", {})
    'The run method'
    """
    if not 0 < markup_cost(content) <= MOST_COST or len(content) > LONGEST_MARKED:
        return content
    markdown = _markdown()
    return _plain(markdown.inline.parse(content, markdown, {"references": references}, []))


def _plain(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    automatic = False
    for token in tokens:
        if token.info == "auto":
            automatic = token.nesting > 0
        elif token.type == "image":
            parts.append(_plain(token.children or ()))
        elif token.type in ("text", "code_inline") and not automatic:
            parts.append(token.content)
    return "".join(parts)


@cache
def _markdown() -> MarkdownIt:
    markdown = LenientMarkdown("commonmark").disable("entity")
    markdown.inline.ruler.at("escape", _escape)
    markdown.inline.ruler.at("backticks", _code)
    return markdown


def _escape(state: StateInline, silent: bool) -> bool:
    """Keep an escape as written: `\\*` is text and opens no emphasis."""
    follower = state.src[state.pos + 1 : state.pos + 2]
    if state.src[state.pos] != "\\" or not follower or state.pos + 1 >= state.posMax:
        return False
    if follower == "\n":
        return hard_break(state, silent)
    if not silent:
        state.append_pending("\\" + follower)
    state.pos += 2
    return True


def _code(state: StateInline, silent: bool) -> bool:
    """Keep the line breaks of a code span, which the stock rule turns into blanks."""
    before, start = len(state.tokens), state.pos
    matched = backtick(state, silent)
    if len(state.tokens) > before and (token := state.tokens[-1]).type == "code_inline":
        width = len(token.markup)
        whole = state.src[start + width : state.pos - width]
        token.content = whole[1:-1] if len(whole) > len(token.content) else whole
    return matched
