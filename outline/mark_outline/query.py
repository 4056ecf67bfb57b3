"""The terms of a query, as the index makes them (O5)."""

import re
import unicodedata
from collections.abc import Iterator

from mark_outline.folding import fold
from mark_outline.segments import bigrams, is_run, split_runs
from mark_outline.stop_words import STOP_WORDS
from mark_outline.white import WHITE

_BLANKS = re.compile(f"[{WHITE}]+")
# English owners, and the French, Italian and Catalan articles that lose their vowel.
_ROOT = re.compile(r"(?:(?:[cdjlmnst]|qu|dell|nell)['’])?([^\W_]{2,})(?:['’]s)?")
_SHORTEST = 2
# What surrounds a word in a sentence goes even from a short term; of other edge punctuation only as much
# as leaves two characters, so that `C++?` gives `c++`.
_QUOTES = "\"'`“”‘’«»„‹›「」『』（）【】《》"
_MARKS = ",;:!?…。、，；：！？"
_BEFORE = f"{_QUOTES}{_MARKS}([{{<¿¡"
_AFTER = f"{_QUOTES}{_MARKS}.)]}}>"


def terms(query: str) -> tuple[str, ...]:
    """Give the distinct terms of `query`, in order: lower-cased, trimmed, no stop words, CJK as bigrams (O5).

    When all words are stop words, all are kept.

    >>> terms("How do I use `apply_secrets` in C++?")
    ('use', 'apply_secrets', 'c++')
    """
    found = tuple(dict.fromkeys(_all_terms(query)))
    return tuple(term for term in found if term not in STOP_WORDS) or found


def root(term: str) -> str:
    """Give a word without its possessive ending or its elided article; any other term as it is.

    >>> [root(term) for term in ("ada's", "l’eau", "o'brien", "5'2", "rock'n'roll")]
    ['ada', 'eau', "o'brien", "5'2", "rock'n'roll"]
    """
    found = _ROOT.fullmatch(term) if "'" in term or "’" in term else None
    return found[1] if found else term


def _all_terms(query: str) -> Iterator[str]:
    for word in _BLANKS.split(query.lower()):
        for part in split_runs(word):
            if is_run(part):
                yield from bigrams(part)
            elif fold(term := _trim(part)):
                yield term


def _trim(word: str) -> str:
    inner = word.lstrip(_BEFORE).rstrip(_AFTER)
    bare = _bare(inner)
    if len(bare) >= _SHORTEST or not inner.isascii():
        return bare or inner
    return inner if bare else ""


def _bare(word: str) -> str:
    """Cut off what is no part of a word at both ends; vowel signs and other marks are part of one."""
    inside = [place for place, character in enumerate(word) if _in_word(character)]
    return word[inside[0] : inside[-1] + 1] if inside else ""


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
