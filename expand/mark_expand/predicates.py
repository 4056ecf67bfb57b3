"""Which predicates a question asks for: data, and the rule that reads it (HP1, HP4, H5).

A word of the question means a predicate when both start with the same five letters (`depends`, `dependency`),
or when the word starts as one of the sayings below does, or as one that a user added. A list is a preference,
never a condition: what a question asks for in other words is followed all the same, only later. Where the
words of users are kept and checked is left to the packages around this one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from mark_outline import fold
from mark_outline import terms as terms_of

# Words of so many equal characters at their start are one.
_STEM = 5

_NEEDS = """
require depend need prerequisite build base rely rest stand foundation first already underl precondition
abhäng benötig brauch voraussetz aufbau grundlage dépend exige requi nécess besoin repose necesit exige basa
завис требу нужн основ 依赖 需要 前提 基于 依賴 يعتمد يتطلب يحتاج ต้อง ขึ้น อาศัย
"""
_REPLACED = """
replac supersed obsolet successor current still instead newer nowadays deprecat outdated retired stead
ersetz abgelös nachfolg veraltet aktuell remplac succès obsolèt actuel reempla sustitu obsolet vigente
замен устар преемник 取代 替代 过时 現在 代替 استبدل بديل แทน ล้าสมัย
"""
_REPLACES = """
replac supersed earlier before predecessor previous former older preced prior
ersetz vorgäng früher vorher remplac précéd antérieur avant reempla anterior previo
замен предшеств раньше прежн 取代 替代 之前 以前 سابق قبل ก่อน เดิม
"""
_PARENT = """
father mother parent dad mum son daughter grandp vater mutter eltern père mère padre madre отец мать 父亲 母亲
"""
_SPOUSE = """
wife husband spouse married marry wed ehefrau ehemann mari épou esposa esposo marido муж жена 妻子 丈夫
"""
_BY = """
director directed singer artist author maker made wrote performer band composer regisseur autor 导演 作者
"""

_SAYINGS: Final = {
    "depends-on": _NEEDS,
    "requires": _NEEDS,
    "implements": _NEEDS,
    "superseded-by": _REPLACED,
    "replaced-by": _REPLACED,
    "supersedes": _REPLACES,
    "replaces": _REPLACES,
    "parent": _PARENT,
    "spouse": _SPOUSE,
    "directed-by": _BY,
    "by": _BY,
}


@dataclass(frozen=True, slots=True)
class PredicateWords:
    """Words by which questions ask for predicates, beside the built-in ones (HP4).

    `own` holds predicates without `rel-`, each with its sayings. A saying is cut as a question is (O5), and
    asks for its predicate when each of its terms is the beginning of a term of the question, whatever stands
    between them; letters are compared as the index folds them.
    """

    own: tuple[tuple[str, tuple[str, ...]], ...] = ()
    _pieces: Mapping[str, Sequence[tuple[str, ...]]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        pieces: dict[str, list[tuple[str, ...]]] = {}
        for predicate, sayings in self.own:
            cut = (tuple(map(fold, terms_of(saying))) for saying in sayings)
            pieces.setdefault(fold(predicate), []).extend(filter(None, cut))
        object.__setattr__(self, "_pieces", pieces)

    def asked_for(self, predicates: Iterable[str], terms: Sequence[str]) -> frozenset[str]:
        """Give those predicates that a question's terms ask for.

        >>> words = PredicateWords((("requires", ("hängt ab von",)),))
        >>> sorted(words.asked_for(("by", "requires"), ("wovon", "hängt", "fähre", "ab")))
        ['requires']
        """
        ordered = sorted(map(fold, terms)) if self._pieces else []
        return frozenset(
            one
            for one in dict.fromkeys(predicates)
            if is_asked_for(one, terms) or self._is_said(one, ordered)
        )

    def _is_said(self, predicate: str, ordered: Sequence[str]) -> bool:
        sayings = self._pieces.get(fold(predicate), ()) if ordered else ()
        return any(all(_begins(piece, ordered) for piece in pieces) for pieces in sayings)


def _begins(piece: str, ordered: Sequence[str]) -> bool:
    """Tell whether one of the sorted terms begins so: the first that is not smaller does, or none."""
    place = bisect_left(ordered, piece)
    return place < len(ordered) and ordered[place].startswith(piece)


def is_asked_for(predicate: str, terms: Iterable[str]) -> bool:
    """Tell whether a question's terms ask for a predicate by its own name or in the built-in words.

    >>> is_asked_for("depends-on", ("dependencies",)), is_asked_for("superseded-by", ("tides",))
    (True, False)
    """
    starts = _starts(predicate)
    return any(term.startswith(starts) for term in terms)


@lru_cache(maxsize=1024)
def _starts(predicate: str) -> tuple[str, ...]:
    return (*_stems(predicate), *_SAYINGS.get(predicate.lower(), "").split())


@lru_cache(maxsize=1024)
def verbs_of(predicate: str) -> tuple[str, ...]:
    """Give how verbs begin that mean a predicate: as its own words do, or as one of needing something."""
    needs = _SAYINGS.get(predicate.lower()) is _NEEDS
    return (*_stems(predicate), *(_NEEDS.split() if needs else ()))


def _stems(predicate: str) -> list[str]:
    return [word[:_STEM] for word in predicate.lower().split("-") if len(word) >= _STEM]
