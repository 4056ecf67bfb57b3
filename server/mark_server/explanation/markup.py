"""HTML that cannot be injected into: every text is escaped unless this file made it.

Which elements a page has is left to `page`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from mark_server.explanation.plain_text import plain

# No HTML text holds control characters or lone surrogates, whatever a reference to them is spelled like.
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_VOID = frozenset({"meta", "wbr"})
_PLACES = re.compile(r"(?<=[/#])(?=[^/#])")


class Html(str):
    """Markup that was made here; any other string is text."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | int) -> Html:
    """Make an element; children that are no markup, and all attributes, are escaped.

    In the name of an attribute `_` stands for `-`, and one at its end for nothing; an empty one is left out.

    >>> element("td", "<b>", class_='"x"')
    '<td class="&quot;x&quot;">&lt;b&gt;</td>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(str(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Put markup and text beside one another."""
    return Html("".join(child if isinstance(child, Html) else _escaped(child) for child in children))


def foreign(text: str) -> Html:
    """Show a text of a document or person: its direction of writing turns nothing around it."""
    return element("bdi", plain(text))


def address(text: str) -> Html:
    """Show a location, which may break behind `/` and `#`."""
    pieces = _PLACES.split(plain(text))
    return element("bdi", *[part for piece in pieces for part in (element("wbr"), piece)][1:], class_="at")


def _escaped(text: str) -> str:
    return escape(_NO_TEXT.sub("\ufffd", text))
