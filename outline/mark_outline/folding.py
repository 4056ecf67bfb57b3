"""Folding text as the search index does: lower case, diacritics gone."""

import unicodedata


class _Folds(dict[int, str]):
    """Folds of characters, made when first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def fold(text: str) -> str:
    """Give `text` lower-cased, with diacritics dropped, as the index folds it; its length may differ.

    >>> fold("Crème BRÛLÉE")
    'creme brulee'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def _fold(character: str) -> str:
    base = unicodedata.normalize("NFD", character) if character < "\u2e80" else character
    return "".join(c.lower() for c in base if not "\u0300" <= c <= "\u036f")


_FOLDS = _Folds()
