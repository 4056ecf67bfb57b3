"""Headers of a request, as ASGI has them: few, in lower case, looked through for one name at a time.

Several layers ask for one or two each; what wraps all of them for that takes longer than the asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """Give the first header of a name, "" when there is none.

    >>> header({"headers": [(b"host", b"a"), (b"host", b"b")]}, b"host"), header({"headers": []}, b"host")
    ('a', '')
    """
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value).decode("latin-1")
    return ""


def every(scope: Mapping[str, Any], name: bytes) -> list[str]:
    """Give all headers of a name, in their order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
