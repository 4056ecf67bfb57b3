"""Folding text as the search index does: what readers leave out or write in another form (O5, OL13).

The index is given folded text, so this is the one place that decides. It goes beyond SQLite FTS5's `unicode61
remove_diacritics 2`, which knows Latin letters only. Cutting text into words is `presence`, scripts without
blanks are `segments`.
"""

import unicodedata

from mark_outline.casing import fold_character


def fold(text: str) -> str:
    """Give `text` lower-cased and without what readers leave out, as the index has it; its length may differ.

    Latin and Greek letters lose their diacritics; Cyrillic ones keep them but for stress and ё; Arabic and
    Hebrew lose points and the elongation stroke, and Arabic letters that are mixed up in writing become one.
    Digits of all scripts are those of ASCII. What has no width is gone.

    >>> fold("Crème BRÛLÉE, Ёлка, Ελλάδα, كِتـــاب")
    'creme brulee, елка, ελλαδα, كتاب'
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).translate(_FOLDS)


class _Folds(dict[int, str]):
    """The folds of characters, each made when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


# Diacritics that no composed letter holds; points of Hebrew and Arabic and the Arabic elongation stroke.
_LEFT_OUT = (
    *(("\u0300", "\u036f"), ("\u0591", "\u05bd"), ("\u05bf", "\u05bf"), ("\u05c1", "\u05c2")),
    *(("\u05c4", "\u05c5"), ("\u05c7", "\u05c7"), ("\u0610", "\u061a"), ("\u0640", "\u0640")),
    *(("\u064b", "\u065f"), ("\u0670", "\u0670"), ("\u06d6", "\u06dc"), ("\u06df", "\u06e8")),
    ("\u06ea", "\u06ed"),
)
# Soft hyphen, joiners and marks of direction, and what chooses the form of a character.
_WITHOUT_WIDTH = (
    *(("\u00ad", "\u00ad"), ("\u061c", "\u061c"), ("\u200b", "\u200f"), ("\u202a", "\u202e")),
    *(("\u2060", "\u2064"), ("\u2066", "\u2069"), ("\ufe00", "\ufe0f"), ("\ufeff", "\ufeff")),
    ("\U000e0100", "\U000e01ef"),
)
_GONE = (*_LEFT_OUT, *_WITHOUT_WIDTH)
# As the light normalisation of search engines does for Arabic and Persian; then Latin letters that keyboards
# lack, and Cyrillic ones whose sign is mostly left out. Й and Ї are letters of their own.
_OTHERS = {
    **dict.fromkeys("آأإٱ", "ا"),
    **dict.fromkeys("ىی", "ي"),
    **dict(zip("کةøđðłħıёѐѝ", "كهoddlhiееи", strict=True)),
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
}


def _fold(character: str) -> str:
    if any(first <= character <= last for first, last in _GONE):
        return ""
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0).lower()
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    folded = fold_character(character)
    base = unicodedata.normalize("NFD", folded)[0]
    if base != folded and _loses_diacritics(base):
        folded = fold_character(base)
    return _OTHERS.get(folded, folded)


def _loses_diacritics(base: str) -> bool:
    return (base.isascii() and base.isalpha()) or "\u0370" <= base <= "\u03ff"


_FOLDS = _Folds()
