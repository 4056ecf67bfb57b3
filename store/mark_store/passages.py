"""The full-text rows of a document: one for each own section that says something.

They are not stored as text: to take one out of the index it is made again from what is stored, so
everything here is a function of stored values only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .contents import Contents
from .metadata import one_line
from .schema import PIECE_BITS
from .words import indexed

_PIECES = 1 << PIECE_BITS


@dataclass(frozen=True, slots=True)
class Told:
    """What a document's passages are made of, beside its body; `folders` are the ids of those above it."""

    title: str
    tags: Sequence[str]
    front: str
    folders: Sequence[int]
    contents: Contents


def passages(document: int, told: Told, body: str) -> Iterator[tuple[int, str, str, str, str, str, str]]:
    """Each passage as (rowid, title, trail, text, tags, front, scope); front matter finds the first one."""
    title, tags = indexed(told.title), indexed("\n".join(told.tags))
    scope = " ".join(map(scope_word, told.folders))
    front = indexed(told.front)
    for piece in _speaking(told.contents, body):
        start, end = told.contents.span(piece)
        trail = "\n".join(shown_trail(told.title, told.contents.trail(piece))[1:])
        yield rowid(document, piece), title, indexed(trail), indexed(body[start:end]), tags, front, scope
        front = ""


def _speaking(contents: Contents, body: str) -> Iterator[int]:
    """The pieces that become passages: sections, and text before the first heading if there is any."""
    sections = len(contents.levels)
    start, end = contents.span(0)
    if not sections or body[start:end].strip():
        yield 0
    yield from range(1, min(sections + 1, _PIECES))


def shown_trail(title: str, trail: Sequence[str]) -> tuple[str, ...]:
    """The document's title, then the heading trail without an H1 that only repeats it.

    >>> shown_trail("Billing", ("Billing", "Storage")), shown_trail("Notes", ("Billing",))
    (('Billing', 'Storage'), ('Notes', 'Billing'))
    """
    plain = tuple(map(one_line, trail))
    return (title, *(plain[1:] if plain[:1] == (title,) else plain))


def rowid(document: int, piece: int) -> int:
    """The rowid of a document's passage."""
    return document << PIECE_BITS | piece


def place(row: int) -> tuple[int, int]:
    """Document id and piece of a passage's rowid."""
    return row >> PIECE_BITS, row & (_PIECES - 1)


def scope_word(folder: int) -> str:
    """The word in the scope column of every passage below a folder."""
    return f"f{folder}"
