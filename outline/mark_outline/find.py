"""Finding a section by what a reader wrote: an anchor, a title, or a slug (OL5)."""

import re
from collections.abc import Sequence

from mark_outline.casing import fold_case
from mark_outline.section import Section
from mark_outline.slug import slugify
from mark_outline.white import WHITE

_BLANKS = re.compile(f"[{WHITE}]+")


def find(sections: Sequence[Section], wanted: str) -> int | None:
    """Give the index of the section that `wanted` means, or None.

    Tried in this order: the anchor as written, then in whatever case; the slug of what was given, as it
    stands and then without leading `#` and with white space trimmed and collapsed; the slug that a heading
    would have without its explicit id. One leading `#` is optional (OL5).
    """
    given = wanted.removeprefix("#")
    trimmed = _BLANKS.sub(" ", given.lstrip("#" + WHITE).rstrip(WHITE))
    anchors = [section.anchor for section in sections]
    if given in anchors:
        return anchors.index(given)
    folded = [fold_case(anchor) for anchor in anchors]
    slugs = [section.slug for section in sections]
    tries = (fold_case(given), slugify(given), slugify(trimmed))
    for keys, names in ((tries, folded), (tries[1:], slugs)):
        for key in keys:
            if key in names:
                return names.index(key)
    return None
