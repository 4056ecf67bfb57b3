"""One line that shows why a passage was found; a glance at stored text, nothing is tokenized."""

from collections.abc import Sequence

from mark_outline import fold

LONGEST = 120
# Characters of a passage that are looked at; a longer one is judged by its beginning.
_LOOKED_AT = 20_000
_BEFORE = 40


def snippet(text: str, terms: Sequence[str]) -> str:
    """The line of a passage that holds the most terms, at most 120 characters around the first of them.

    >>> snippet("# Storage\\n\\nDisks are slow.\\nTape is slower.\\n", ("tape",))
    'Tape is slower.'
    """
    best, most = "", -1
    sought = [fold(term) for term in terms]
    for line in text[:_LOOKED_AT].splitlines():
        plain = line.strip()
        if not plain or (most < 0 and plain.startswith("#")):
            continue
        folded = fold(plain)
        held = len([term for term in sought if term in folded])
        if held > most:
            best, most = plain, held
    return _window(" ".join(best.split()), terms)


def _window(line: str, terms: Sequence[str]) -> str:
    if len(line) <= LONGEST:
        return line
    lowered = line.lower()
    places = [place for place in (lowered.find(term) for term in terms) if place >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    start = min(start, len(line) - LONGEST)
    if start > 0:
        start = line.find(" ", start, start + _BEFORE) + 1 or start
    return line[start : start + LONGEST].strip()
