"""The words of a question that weigh most: names and identifiers count twice in a score (SC5).

`How do I set kernel.shmmax for Postgres` is about two of its words. How a word is written tells them, as far
as a script has capitals, digits or signs to tell them by; what they are worth stands in decision 0016.
"""

import re
from collections.abc import Iterator, Sequence

from mark_outline import terms

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
# A digit, a sign inside, a capital inside, or two in a row.
_IDENTIFIER = re.compile(r"\d|_|\w\.\w|[a-z][A-Z]|[A-Z]{2}")
_ENDS = (".", "!", "?", "。")


def weighty(query: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Give those of the terms `wanted` that a question writes as a name or an identifier.

    >>> weighty("How does Ada set max_age for TLS in the port?", ("ada", "set", "max_age", "tls", "port"))
    ('ada', 'max_age', 'tls')
    """
    told = {term for word in _told(query) for term in terms(word)}
    return tuple(term for term in wanted if term in told)


def _told(query: str) -> Iterator[str]:
    first = True
    for raw in query.split():
        word = _EDGES.sub("", raw)
        # A sentence begins with a capital whatever its first word is.
        if _IDENTIFIER.search(word) or (word[:1].isupper() and not first):
            yield word
        first = raw.endswith(_ENDS)
