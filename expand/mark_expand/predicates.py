"""Which predicates a question asks for: data, and the rule that reads it (H2, H5).

A word of the question means a predicate when both start with the same five letters (`depends`, `dependency`),
or when the word starts as one of the sayings below does. A list is a preference, never a condition: what a
question asks for in other words is followed all the same, only later.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

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


def is_asked_for(predicate: str, terms: Iterable[str]) -> bool:
    """Tell whether a question's terms ask for a predicate.

    >>> is_asked_for("depends-on", ("dependencies",)), is_asked_for("superseded-by", ("tides",))
    (True, False)
    """
    starts = _starts(predicate)
    return any(term.startswith(starts) for term in terms)


@lru_cache(maxsize=1024)
def _starts(predicate: str) -> tuple[str, ...]:
    plain = predicate.lower()
    own = [word[:_STEM] for word in plain.split("-") if len(word) >= _STEM]
    return (*own, *_SAYINGS.get(plain, "").split())
