"""Folding text as the search index does, SQLite FTS5's `unicode61 remove_diacritics 2` (O5, OL13).

Cutting text into words is `presence`, scripts without blanks are `segments`.
"""

import unicodedata

from mark_outline.casing import fold_character


def fold(text: str) -> str:
    """Give `text` lower-cased and without diacritics, as the index folds it; its length may differ.

    Only Latin letters lose diacritics: the index keeps those of Greek and Cyrillic.

    >>> fold("Crème BRÛLÉE, йод")
    'creme brulee, йод'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDS)


class _Folds(dict[int, str]):
    """The folds of characters, each made when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if "\u0300" <= character <= "\u036f":
        return ""
    base = unicodedata.normalize("NFD", character)
    if len(base) > 1 and base[0].isascii() and base[0].isalpha():
        return base[0].lower()
    return fold_character(character)


_FOLDS = _Folds()
