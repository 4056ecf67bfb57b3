"""The filter language: `key=value,…`, all of which must hold, as conditions on the index's documents.

Values may be double-quoted (a backslash keeps a quote or a backslash). Keys and values compare without
case; a list value has each of its items. `tag`, `modified-after` and `modified-before` (ISO 8601,
exclusive) are known keys.
"""

import re
from collections.abc import Iterator

from .clock import parse_iso
from .condition import Condition
from .errors import BadFilter
from .metadata import compared
from .paths import storable

FORM = 'key=value pairs divided by commas, values with commas in double quotes: tag=adr,owner="Smith, J"'
_TIME_FORM = "an ISO 8601 date or time: modified-after=2024-05-01"
_PART = re.compile(r'\s*(?:([^=,"]*)=\s*(?:"((?:[^"\\]|\\.)*)"|([^",]*))\s*)?(?:,|\Z)', re.DOTALL)
# SQLite refuses expressions of some 1,000 parts.
_MOST_PAIRS = 100
_KEPT = re.compile(r"\\(.)", re.DOTALL)


def conditions(text: str) -> tuple[Condition, ...]:
    """Read a filter; an empty one has no conditions.

    Raises: BadFilter, with the part that cannot be read and what can be.
    """
    pairs = dict.fromkeys(_pairs(storable(text)))
    if len(pairs) > _MOST_PAIRS:
        raise BadFilter(f"{len(pairs)} pairs", f"at most {_MOST_PAIRS} of {FORM}")
    return tuple(_condition(key, value) for key, value in pairs)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        part = _PART.match(text, place)
        if not part:
            raise BadFilter(text[place:].strip()[:80], FORM)
        place = part.end()
        key, quoted, plain = part.groups()
        if key is None:
            continue
        value = _KEPT.sub(r"\1", quoted) if quoted is not None else plain.strip()
        if not key.strip() or not value:
            raise BadFilter(part[0].strip(" ,")[:80], FORM)
        yield compared(key), value


def _condition(key: str, value: str) -> Condition:
    if key in {"modified-after", "modified-before"}:
        moment = parse_iso(value)
        if moment is None:
            raise BadFilter(f"{key}={value[:60]}", _TIME_FORM)
        return Condition(f"modified {'>' if key == 'modified-after' else '<'} ?", (moment,))
    return Condition("id IN (SELECT document FROM field WHERE key=? AND value=?)", (key, compared(value)))
