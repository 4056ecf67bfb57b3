"""The lines of the frame: headers, notes, relation lines, and what keeps a body from forging them.

Every text here starts with `>>>` and ends with a line feed, so that counts of the pieces add up (B3).
What is printed, and when, is left to the expansion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from mark_outline import WHITE, Location, Relation, decode, encode

# O9: every line break that a reader may know, the information separators of Python's own among them.
_FORGED = re.compile("(^|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])(?=>>>)")
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MOST_NAMED = 1000
# A predicate and the decoded path of the document that declares it.
Incoming = tuple[str, str]
# Lone surrogates are no text: they can be neither counted nor sent.
_LONE = re.compile("[\ud800-\udfff]")


def frame_safe(text: str) -> str:
    r"""Indent by one space every line that would look like the frame's (O9).

    >>> frame_safe("a\n>>> note: b")
    'a\n >>> note: b'
    """
    return _FORGED.sub(r"\1 ", text) if ">>>" in text else text


def one_line(text: str) -> str:
    r"""Make a foreign text safe inside one line of the frame (O9).

    >>> one_line("  two\n>>> lines ")
    'two >>> lines'
    """
    return _LONE.sub("\ufffd", _BREAKS.sub(" ", text)).strip(WHITE)


def location(path: str, version: int | None = None, anchor: str = "") -> str:
    """Spell a location as it is printed and as `mark_fetch` accepts it (O6).

    >>> location("/a b.md", 3, "two")
    '/a%20b.md/v3#two'
    """
    return str(Location(path, version, anchor))


def is_named(where: str) -> bool:
    """Tell whether a location is named in table and notes: one of more than 1,000 characters is not (X1).

    A heading of ten thousand characters has an anchor as long, which would take the budget of all others.
    """
    return len(where) <= _MOST_NAMED


def header(where: str) -> str:
    """Open a block: the header line and the blank line under it (O6)."""
    return f">>> {where}\n\n"


def note(text: str) -> str:
    """Spell one note line."""
    return f">>> note: {text}\n"


def stub_text(first: str) -> str:
    """Stand for a text that is printed above under the location `first` (C2)."""
    return f"same text as {first}"


def reference(target: str, fragment: str) -> str:
    """Spell the target of a relation as the frame prints it."""
    return encode(decode(target)) + (f"#{one_line(fragment)}" if fragment else "")


def relation_line(relations: Iterable[Relation], more: int = 0) -> str:
    """Group declared relations into one line and a blank line; "" when there are none (R2).

    `relations` come sorted by predicate, as `mark_outline.relations` gives them; `more` counts the others.
    """
    groups = [
        f"rel-{one_line(predicate)} " + ", ".join(reference(r.target, r.fragment) for r in group)
        for predicate, group in groupby(relations, key=lambda r: r.predicate)
    ]
    rest = f" +{more} more" if more else ""
    return f">>> related: {'; '.join(groups)}{rest}\n\n" if groups else ""


def incoming_line(path: str, sources: Sequence[Incoming], most: int) -> str:
    """Name the documents that declare a relation to the document at `path`, at most so many (HP3).

    `sources` come grouped by predicate.
    """
    totals = Counter(predicate for predicate, _ in sources)
    groups = []
    for predicate, group in groupby(sources[:most], key=lambda pair: pair[0]):
        named = [encode(source) for _, source in group]
        more = totals.pop(predicate) - len(named)
        groups.append(f"rel-{one_line(predicate)} of {', '.join(named)}" + (f" +{more} more" if more else ""))
    others = f"; +{totals.total()} under other predicates" if totals else ""
    return f">>> related: {encode(path)} is {'; '.join(groups)}{others}\n\n"
