"""Text as the full-text index is given it, and a query's terms as the phrases that find it.

Text and terms pass the same function, so that whatever is done to one is done to the other. What a term is,
and how scripts without blanks are cut, is `mark_outline`'s.
"""

import re
from collections.abc import Iterable

from mark_outline import fold, root, segment

# The tokenizer drops symbols; an emoji becomes a word that no text holds by chance. Two regional letters are
# one flag; the parts of a joined sequence are words next to one another.
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_SIGNS = (
    "\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u2300-\u23ff\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe"
    "\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_EMOJI = re.compile(f"[{_REGIONAL}]{{2}}|[{_SIGNS}]")
# Most texts have none: looking for one first takes a third of the time.
_ANY_EMOJI = re.compile(f"[{_REGIONAL}{_SIGNS}]")
# Colours of skin, and what joins and chooses emoji: a person who looks for one means it in any form.
_MODIFIERS = re.compile("[\U0001f3fb-\U0001f3ff\u200d\ufe0e\ufe0f\u20e3]")
# `C++` and `C#` are words of their own beside `C`.
_SYMBOLIC = re.compile(r"(?<!\w)([A-Za-z])(\+\+|#)(?![\w#+])")
# Headings have many `#`; a pattern that begins with it is found as quickly as the sign itself.
_SHARP = re.compile(r"#(?<=[A-Za-z]#)")
# Words of these scripts, Greek to Armenian, have many endings: a word is found by how it begins, as
# `Presence.holds_akin` has it. Figures: decision 0016.
_INFLECTED = re.compile("[\u0370-\u058f]{5,}")
_SHORTEST_STEM = 4
_SPELT = {"++": "plusplus", "#": "sharp"}
MOST_TERMS = 64
# A phrase has no more words: looking for one takes as many steps as its length times where its words stand.
_MOST_WORDS = re.compile(r"[\W_]*(?:[^\W_]+[\W_]+){31}[^\W_]+")


def indexed(text: str) -> str:
    """The text that is tokenized for `text`; NUL, which would end an expression, becomes a blank.

    >>> indexed("C++ and 中文合約")
    'c cplusplus and 中文 文合 合約 約'
    """
    return _cut(text, ends=True)


def asked(query: str) -> str:
    """A query with its emoji standing alone, so that each is a term; the rest stays.

    >>> asked("ship🚀 it ❤️")
    'ship 🚀  it  ❤ '
    """
    if query.isascii():
        return query
    return _EMOJI.sub(lambda found: f" {found[0]} ", _MODIFIERS.sub("", query))


def _cut(text: str, ends: bool) -> str:
    if "\0" in text:
        text = text.replace("\0", " ")
    if not text.isascii():
        text = segment(fold(_MODIFIERS.sub("", text)), ends)
        if _ANY_EMOJI.search(text):
            text = _EMOJI.sub(_emoji_word, text)
    if "++" in text or _SHARP.search(text):
        text = _SYMBOLIC.sub(_symbolic_word, text)
    return text


def forms(terms: Iterable[str]) -> tuple[str, ...]:
    """What to look for, for these terms: an owner counts as written and, like any other word, by its root.

    >>> forms(("ada's", "boats"))
    ("ada's", 'ada', 'boats')
    """
    return tuple(dict.fromkeys(form for term in terms for form in (term, root(term))))


def any_of(terms: tuple[str, ...]) -> str:
    """The full-text expression that holds where any of the terms does; no term can be syntax in it.

    A term of several words (`apply_secrets`) is a phrase; a single character of a script that is indexed as
    bigrams finds every bigram that starts with it, a long word of an inflected script its other forms.

    >>> any_of(("apply_secrets", "5'2", "潮", "статоры"))
    '"apply_secrets" OR "5\\'2" OR "潮" * OR "стато" *'
    """
    return " OR ".join(map(_phrase, terms))


def _phrase(term: str) -> str:
    found = _MOST_WORDS.match(term)
    words = _cut(found[0] if found else term, ends=False)
    if _INFLECTED.fullmatch(words):
        return f'"{words[: max(_SHORTEST_STEM, len(words) * 3 // 4)]}" *'
    quoted = '"' + words.replace('"', '""') + '"'
    return quoted + " *" if is_lone_character(words) else quoted


def is_lone_character(term: str) -> bool:
    """Whether a term is one character, with its signs, of a script that is indexed as bigrams.

    >>> is_lone_character("潮"), is_lone_character("潮水"), is_lone_character("x"), is_lone_character("ดี")
    (True, False, False, True)
    """
    return segment(f"a{term}") == f"a {term}" and " " not in segment(term * 2)


def _emoji_word(found: re.Match[str]) -> str:
    return f" {'u'.join(('', *(f'{ord(sign):x}' for sign in found[0])))} "


def _symbolic_word(found: re.Match[str]) -> str:
    letter, sign = found.groups()
    return f"{letter} {letter.lower()}{_SPELT[sign]}"
