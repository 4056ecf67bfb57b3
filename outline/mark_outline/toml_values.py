"""The top level of a TOML table as strings."""

import re
import tomllib
from datetime import date, datetime, time
from typing import Any

# tomllib takes quadratic time over the parts of a dotted key: 18 s for 60 kB.
_MOST_PARTS = 100
_PARTED = re.compile("[={,\n]")


def toml_values(text: str) -> dict[str, str]:
    """Give the scalars of a TOML document as strings (`1.10` stays `1.10`), arrays joined with `, `.

    Tables and nested arrays are left out.

    Raises:
        tomllib.TOMLDecodeError: the text is no TOML.

    >>> toml_values('title = "T"\\ntags = ["a", "b"]')
    {'title': 'T', 'tags': 'a, b'}
    """
    if any(map(_has_many_parts, _PARTED.split(text))):
        raise tomllib.TOMLDecodeError("a key of too many parts")
    try:
        table = tomllib.loads(text.replace("\r\n", "\n"), parse_float=str)
    except RecursionError:
        # tomllib reads nested arrays by recursion.
        raise tomllib.TOMLDecodeError("nested too deeply") from None
    return {key: value for key, found in table.items() if (value := _string(found)) is not None}


def _string(value: Any) -> str | None:
    if isinstance(value, list):
        items = [None if isinstance(item, list) else _string(item) for item in value]
        return None if None in items else ", ".join(item or "" for item in items)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    return value.isoformat() if isinstance(value, date | datetime | time) else None


def _has_many_parts(key: str) -> bool:
    dots = ('".', "'.") if key.lstrip().startswith(('"', "'")) else (".",)
    return sum(map(key.count, dots)) > _MOST_PARTS
