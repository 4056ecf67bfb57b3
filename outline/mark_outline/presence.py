"""Which terms of a query a text holds: words as words, bigrams anywhere (O4, O5)."""

import re
from collections.abc import Iterable
from functools import lru_cache

from mark_outline.folding import fold
from mark_outline.query import root
from mark_outline.segments import is_run, segment

# As the index cuts: at whatever is no letter and no number, `_` too.
_LONG = 5
# So many characters of a term are compared; what is longer is no word, and a search for it takes its time.
_LONGEST = 256
_WORDS = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1024)
def _sought(term: str) -> tuple[str, str, str]:
    """Give a term as it is compared, its words where these are, and its stem where other forms may begin so.

    Kept, since a lookup asks for a few terms often.
    """
    wanted = fold(root(term[:_LONGEST]))
    words = [] if is_run(wanted) else _WORDS.findall(segment(wanted))
    whole = bool(words) and wanted[0].isalnum() and wanted[-1].isalnum()
    stem = fold(term)
    stem = stem[: max(_LONG - 1, len(stem) * 3 // 4)] if len(stem) >= _LONG and stem.isalpha() else ""
    return wanted, f" {' '.join(words)} " if whole else "", stem


class Presence:
    """A text made ready to be asked for many terms."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._cut = segment(self._folded)
        self._words = f" {' '.join(_WORDS.findall(self._cut))} "

    def holds(self, term: str) -> bool:
        """Tell whether the text holds `term` or its root: words next to one another, a bigram anywhere.

        >>> Presence("Read health.base first").holds("health"), Presence("Ask Ada").holds("ada's")
        (True, True)
        """
        wanted, words, _ = _sought(term)
        if words:
            return words in self._words
        return wanted in self._folded if is_run(wanted) else self._holds_as_written(wanted)

    def holds_akin(self, term: str) -> bool:
        """Tell whether the text holds `term` or another form of that word, which begins alike.

        >>> Presence("в соотношении 20 к 1").holds_akin("соотношение")
        True
        """
        if self.holds(term):
            return True
        wanted, _, stem = _sought(term)
        if not stem:
            return False
        found = self._words.find(f" {stem}")
        while found >= 0:
            end = self._words.index(" ", found + 1)
            if end - found - 1 <= len(wanted) + 3:
                return True
            found = self._words.find(f" {stem}", end)
        return False

    def count(self, terms: Iterable[str]) -> int:
        """Give how many distinct `terms` the text holds."""
        return sum(map(self.holds, set(terms)))

    def _holds_as_written(self, wanted: str) -> bool:
        # `C++` is not the word `c`: its punctuation counts, and no letter may touch it.
        if not wanted or wanted not in self._cut:
            return False
        before = r"(?<!\w)" if wanted[0].isalnum() else ""
        after = r"(?!\w)" if wanted[-1].isalnum() else ""
        return re.search(before + re.escape(wanted) + after, self._cut) is not None
