"""What the store itself reads from a document's metadata; every other key is only kept and filtered by."""

from collections.abc import Mapping
from dataclasses import dataclass

from mark_outline import Outline

from .clock import parse_iso
from .paths import nfc

DEFAULT_IMPORTANCE = 0.5
_COMPARED = 200
_TRUE = {"true", "yes", "on", "1"}
# Known by their own columns, or addresses rather than words.
_NOT_SEARCHED = {"title", "tags", "importance", "archived", "modified"}


@dataclass(frozen=True, slots=True)
class Known:
    """The keys that the store knows, with their defaults filled in; `flaws` are one line each.

    `modified` is in milliseconds of the Unix epoch, None when the file's own time holds.
    """

    title: str
    tags: tuple[str, ...]
    importance: float
    archived: bool
    modified: int | None
    flaws: tuple[str, ...]


def known(metadata: Mapping[str, str], outline: Outline | None, path: str) -> Known:
    """Read the known keys; the title falls back to the first H1, then to the file's name."""
    flaws: list[str] = []
    importance = _importance(metadata.get("importance", ""), flaws)
    modified = None
    if stated := metadata.get("modified", "").strip():
        modified = parse_iso(stated)
        if modified is None:
            flaws.append(f"modified {stated[:40]!r} is no ISO 8601 time: the file's time is used")
    return Known(
        title=one_line(metadata.get("title", "")) or _heading(outline) or _file_name(path),
        tags=items(metadata.get("tags", "")),
        importance=importance,
        archived=metadata.get("archived", "").strip().lower() in _TRUE,
        modified=modified,
        flaws=tuple(flaws),
    )


def searched(metadata: Mapping[str, str]) -> str:
    """The metadata values whose words find a document; references (`rel-*`) are addresses, not words."""
    values = (v for k, v in metadata.items() if k not in _NOT_SEARCHED and not k.startswith("rel-"))
    return "\n".join(values)


def items(value: str) -> tuple[str, ...]:
    """The parts of a list value, without blanks, empty parts and repetitions.

    >>> items("a, b ,, a")
    ('a', 'b')
    """
    return tuple(dict.fromkeys(part for part in map(one_line, value.split(",")) if part))


def one_line(text: str) -> str:
    """The text with every run of white space as one blank.

    >>> one_line(" a\\n  b ")
    'a b'
    """
    return " ".join(text.split())


def compared(text: str) -> str:
    """The form in which keys, values and tags are compared, its first 200 characters.

    >>> compared("  Deep   Dive ")
    'deep dive'
    """
    return nfc(one_line(text)).casefold()[:_COMPARED]


def _importance(stated: str, flaws: list[str]) -> float:
    if not stated.strip():
        return DEFAULT_IMPORTANCE
    try:
        value = float(stated)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    flaws.append(f"importance {stated[:40]!r} is no number from 0 to 1: {DEFAULT_IMPORTANCE} is used")
    return DEFAULT_IMPORTANCE


def _heading(outline: Outline | None) -> str:
    sections = outline.sections if outline else ()
    return next((one_line(s.title) for s in sections if s.level == 1 and s.title.strip()), "")


def _file_name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
