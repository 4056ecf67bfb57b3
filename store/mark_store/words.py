"""Text as the full-text index is given it, and a query's terms as the phrases that find it.

Text and terms pass the same function, so that whatever is done to one is done to the other. What a term is,
and how scripts without blanks are cut, is `mark_outline`'s.
"""

import re

from mark_outline import segment

# Vowel points and the elongation stroke of Hebrew and Arabic are written or left out at will.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]+"
)
# The tokenizer drops symbols; an emoji becomes a word that no text holds by chance.
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
# `C++` and `C#` are words of their own beside `C`.
_SYMBOLIC = re.compile(r"(?<!\w)([A-Za-z])(\+\+|#)(?![\w#+])")
_SPELT = {"++": "plusplus", "#": "sharp"}
MOST_TERMS = 64


def indexed(text: str) -> str:
    """The text that is tokenized for `text`; NUL, which would end an expression, becomes a blank.

    >>> indexed("C++ and 中文合約")
    'C cplusplus and 中文 文合 合約'
    """
    if "\0" in text:
        text = text.replace("\0", " ")
    if not text.isascii():
        text = _EMOJI.sub(_emoji_word, segment(_POINTS.sub("", text)))
    if "++" in text or "#" in text:
        text = _SYMBOLIC.sub(_symbolic_word, text)
    return text


def any_of(terms: tuple[str, ...]) -> str:
    """The full-text expression that holds where any of the first 64 terms does; no term can be syntax in it.

    A term of several words (`apply_secrets`) is a phrase; a single character of a script that is indexed as
    bigrams finds every bigram that starts with it.

    >>> any_of(("apply_secrets", "5'2", "潮"))
    '"apply_secrets" OR "5\\'2" OR "潮" *'
    """
    return " OR ".join(_phrase(term) for term in terms[:MOST_TERMS])


def _phrase(term: str) -> str:
    quoted = '"' + indexed(term).replace('"', '""') + '"'
    return quoted + " *" if is_lone_character(term) else quoted


def is_lone_character(term: str) -> bool:
    """Whether a term is one character of a script that is indexed as bigrams."""
    return len(term) == 1 and segment(f"a{term}") != f"a{term}"


def _emoji_word(found: re.Match[str]) -> str:
    return f" u{ord(found[0]):x} "


def _symbolic_word(found: re.Match[str]) -> str:
    letter, sign = found.groups()
    return f"{letter} {letter.lower()}{_SPELT[sign]}"
