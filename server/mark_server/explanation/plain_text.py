"""Foreign texts made harmless for whoever looks at them, in a terminal or in a browser.

Escaping is `markup`'s part.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from mark_expand import one_line

# What turns the direction of a text or cannot be seen: it could make a location look like another.
_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def plain(text: str) -> str:
    r"""Give a text on one line, what turns or hides it percent-encoded, so that a location still leads there.

    >>> plain("a\u202eb\nc")
    'a%E2%80%AEb c'
    """
    return _HIDDEN.sub(lambda found: quote(found[0]), one_line(text))
