"""Slugs and anchors: how a title becomes an address that is unique in its document.

Explicit ids are found by `explicit_id`; looking an anchor up again is `find`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mark_outline.casing import fold_case
from mark_outline.white import WHITE

EMPTY_SLUG: Final = "section"
"""The anchor of a heading whose slug is empty (only emoji, say)."""

# `\w` is exactly the general categories L and N, and `_`.
_DROPPED = re.compile(rf"[^\w\-{WHITE}]+")
_BLANK = re.compile(f"[{WHITE}]")
_PLAIN = re.compile(r"[a-z0-9_-]*\Z")


def slugify(text: str) -> str:
    """Give the slug of `text` by GitHub's rule; it may be empty (OL3).

    >>> slugify("What's New in 3.12?")
    'whats-new-in-312'
    """
    if _PLAIN.match(text):
        return text
    return _BLANK.sub("-", _DROPPED.sub("", _lower(text)))


def anchors(slugs: Sequence[str], explicit: Sequence[str]) -> tuple[str, ...]:
    """Give every heading its anchor: the explicit id, else the slug, made unique with `-1`, `-2`.

    Explicit ids are taken first, so that a slug never takes one away from the author who wrote it (OL3, OL4).
    `explicit` holds an empty string where a heading has none.

    >>> anchors(["notes", "notes", "notes-1"], ["", "", ""])
    ('notes', 'notes-1', 'notes-1-1')
    """
    taken = _Taken(fold_case(anchor) for anchor in explicit if anchor)
    kept: set[str] = set()
    return tuple(_anchor(slug, wish, taken, kept) for slug, wish in zip(slugs, explicit, strict=True))


def _anchor(slug: str, wish: str, taken: "_Taken", kept: set[str]) -> str:
    if wish and (key := fold_case(wish)) not in kept:
        kept.add(key)
        return wish
    return taken.unique(wish or slug or EMPTY_SLUG)


class _Taken:
    """The anchors given away so far; remembers where each count stands, so thousands of twins stay linear."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = set(keys)
        self._next: dict[str, int] = {}

    def unique(self, wish: str) -> str:
        key = fold_case(wish)
        anchor = wish
        if key in self._keys:
            number = self._next.get(key, 1)
            while f"{key}-{number}" in self._keys:
                number += 1
            self._next[key] = number + 1
            anchor = f"{wish}-{number}"
        self._keys.add(fold_case(anchor))
        return anchor


def _lower(text: str) -> str:
    # A final sigma depends on its neighbours in `str.lower`; a slug is made character by character.
    return text.lower() if "\u03a3" not in text else "".join(map(str.lower, text))
