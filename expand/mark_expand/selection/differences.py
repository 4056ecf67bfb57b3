"""Whether two texts that are nearly the same differ in anything that matters.

A changed figure, operator, sign, negation or piece of code is what a reader looks for in two near copies, so
a text is left out for another only where all that differs is plain wording. In doubt it matters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mark_expand.selection.weighty import WEIGHTY, WEIGHTY_CHARACTERS

_PLAIN = re.compile(
    r"""["'“‘«(]*(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)["'”’»)]*[.,;:!?…。、，；：！？]*["'”’»)]*"""
)
_NEGATED = re.compile(r"n['’]t$|less$")
_PREFIX = re.compile(r"(?:un|non|in|im|il|ir|dis|de|anti|a)-?(?=\w)")
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(?:>[ >]*)?(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")


def differ_in_substance(one: str, two: str) -> bool:
    """Tell whether the texts differ in more than plain words.

    >>> differ_in_substance("Rinse the tank weekly.", "Flush the tank weekly.")
    False
    >>> differ_in_substance("Keep it under 40 degrees.", "Keep it under 60 degrees.")
    True
    """
    if _code(one) != _code(two):
        return True
    left, right = _middles(one.split(), two.split())
    common = set(left) & set(right)
    # Words that stand in both but in another order or number may turn the sense: who pays whom.
    if [word for word in left if word in common] != [word for word in right if word in common]:
        return True
    differing = [word for word in (*left, *right) if word not in common]
    return any(map(_is_weighty, differing)) or _are_opposites(differing)


def _middles(one: Sequence[str], two: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Take off what both begin and end with."""
    shorter = min(len(one), len(two))
    start = next((place for place in range(shorter) if one[place] != two[place]), shorter)
    most = shorter - start
    end = next((place for place in range(most) if one[-1 - place] != two[-1 - place]), most)
    return one[start : len(one) - end], two[start : len(two) - end]


def _is_weighty(word: str) -> bool:
    plain = _PLAIN.fullmatch(word)
    if plain is None or any(map(str.isnumeric, word)):
        return True
    bare = plain["word"]
    if not bare.islower() and not bare.istitle() and bare.upper() != bare.lower():
        return True  # An acronym or a name in code.
    lower = bare.lower()
    parts = re.split("['’-]", lower)
    return (
        any(part in WEIGHTY for part in (lower, *parts))
        or bool(_NEGATED.search(lower))
        or not WEIGHTY_CHARACTERS.isdisjoint(lower)
    )


def _are_opposites(words: Sequence[str]) -> bool:
    """Tell whether one of the words is another with a prefix such as `un`."""
    bare = {plain["word"].lower() for word in words if (plain := _PLAIN.fullmatch(word))}
    return any(prefix and word[prefix.end() :] in bare for word in bare if (prefix := _PREFIX.match(word)))


def _code(text: str) -> list[str]:
    """Give all code of a text: fenced and indented lines, and code spans."""
    found: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            found.append(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
            found.append(line)
        elif _INDENTED.match(line):
            found.append(line)
        else:
            prose.append(line)
    return found + [span[2] for span in _SPAN.finditer("\n".join(prose))]
