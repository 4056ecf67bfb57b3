"""Explicit ids: `{#id}`, `{ #id }`, `{#id .x}` and `{: #id .x }` at the end of a heading.

This is no CommonMark (OL4); it is what Pandoc, kramdown, MkDocs and Docusaurus agree on.
"""

import re
from typing import NamedTuple

from mark_outline.leaves import without_closing
from mark_outline.white import WHITE

_ATTRIBUTE = r"(?:[#.][^\s{}#\"'`<>=]+|[\w:-]+=(?:\"[^\"{}\n]*\"|'[^'{}\n]*'|[^\s{}\"'`]+))"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*({_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}\Z")
_ID = re.compile(r"(?:^|[ \t])#(\S+)")
_LONGEST = 1000


class Explicit(NamedTuple):
    """A heading's content without its attributes, and the explicit id, empty when there is none."""

    content: str
    id: str


def split_explicit_id(content: str) -> Explicit:
    """Take the explicit id off the raw inline content of a heading; a heading of nothing else keeps it.

    >>> split_explicit_id("Setup { #install .wide }")
    Explicit(content='Setup', id='install')
    """
    none = Explicit(content, "")
    brace = content.rfind("{")
    if not content.endswith("}") or brace < 1 or len(content) - brace > _LONGEST:
        return none
    found = _ATTRIBUTES.match(content, brace)
    name = found and _ID.search(found[1])
    title = without_closing(content[:brace].rstrip(WHITE))
    if not name or not title.strip(WHITE) or content[brace - 1] in "\\{":
        return none
    return Explicit(title, name[1])
