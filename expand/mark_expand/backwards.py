"""Which relations a question asks for backwards: "what requires X" wants those that declare X (HP5).

Told by the order of words alone: a word for the predicate stands right before the name. That is how English
and its neighbours put the object of a verb; where it is not, the documents that X itself declares only come
later, none is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mark_expand.predicates import verbs_of
from mark_outline import fold

_WORD = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"v\d+\W*")
# What may stand between a verb and its object; `of` and `by` may not: "the requirements of X" are X's own.
_ARTICLES = "on upon the a an this that auf der die das den dem sur le la les en el los las"
_BETWEEN = frozenset(_ARTICLES.split())


def asked_backwards(query: str, names: Iterable[str], predicates: Iterable[str]) -> frozenset[str]:
    """Give those predicates of which a question wants the sources; `names` are the target's title and path.

    >>> sorted(asked_backwards("Which ones build on the Tide Table?", ["Tide Table"], ["requires", "by"]))
    ['requires']
    >>> asked_backwards("What are the requirements of the Tide Table?", ["Tide Table"], ["requires"])
    frozenset()
    """
    said = _WORD.findall(fold(" ".join(map(_file, query.split()))))
    own = {word for name in names for word in _WORD.findall(fold(name))}
    verbs = {
        word
        for place in range(1, len(said))
        if own.issuperset(said[place : place + 2])
        for word in _before(said, place)
    }
    return frozenset(
        one for one in dict.fromkeys(predicates) if any(verb.startswith(verbs_of(one)) for verb in verbs)
    )


def _file(word: str) -> str:
    """A location is called by its file's name: its version and section are no words of a question.

    >>> _file("mark://isle/plans/tide-table.md/v3#moon?"), _file("on")
    ('tide-table', 'on')
    """
    *folders, file = word.partition("#")[0].split("/")
    if folders and _VERSION.fullmatch(file):
        *folders, file = folders
    return file.rpartition(".")[0] or file if folders else word


def _before(said: Sequence[str], place: int) -> Sequence[str]:
    """The last word before a place that is none of those between; nothing where there is none."""
    while place and said[place - 1] in _BETWEEN:
        place -= 1
    return said[place - 1 : place] if place else ()
