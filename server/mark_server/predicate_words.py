"""What may stand below `[predicates]` of the settings file: a predicate's name, and words that ask for it.

Where the section is found, and how file and line are told, is `configuration`'s; how words are compared with
a question is `mark_expand`'s.
"""

from __future__ import annotations

from collections.abc import Mapping

from mark_outline import STOP_WORDS, fold, terms
from mark_server.checks import ArgumentError, shown

MOST_PREDICATES = 100
MOST_WORDS = 50
LONGEST = 60
_PREFIX = "rel-"
_WORDS = f"a list of 1 to {MOST_WORDS} words, each of at most {LONGEST} characters"


def check_predicate(name: str, others: Mapping[str, object]) -> None:
    """See to it that a predicate is one, and none of those that were read before it.

    Raises:
        ArgumentError: It is not; one line.
    """
    if name.startswith(_PREFIX) and name != _PREFIX:
        raise ArgumentError(
            f"a predicate stands without {_PREFIX}; did you mean {shown(name[len(_PREFIX) :])}?"
        )
    if not 0 < len(name) <= LONGEST or not name.isprintable() or " " in name or name == _PREFIX:
        allowed = f"the name of a predicate, 1 to {LONGEST} characters without blanks"
        raise ArgumentError(
            f"a key of [predicates] must be {allowed}, got {shown(name)}; for example requires"
        )
    twin = next((one for one in others if fold(one) == fold(name)), None)
    if twin is not None:
        raise ArgumentError(f"{shown(name)} and {shown(twin)} are one predicate; write it once")
    if len(others) == MOST_PREDICATES:
        raise ArgumentError(f"[predicates] holds at most {MOST_PREDICATES} predicates")


def checked_words(name: str, value: object) -> tuple[str, ...]:
    """Give the words by which questions ask for the predicate `name`.

    Raises:
        ArgumentError: It is no list of words, or one of them could never be told in a question; one line.
    """
    if not isinstance(value, list) or not 0 < len(value) <= MOST_WORDS or not all(map(_is_word, value)):
        raise _wrong(name, value, f"must be {_WORDS}")
    for word in value:
        if not any(map(_is_telling, terms(word))):
            raise _wrong(name, word, "must have words that say more than one letter or a stop word")
    return tuple(value)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and value.isprintable() and bool(value.strip())


def _is_telling(term: str) -> bool:
    """Whether a question keeps such a term (O5), and not every other word begins like it."""
    return term not in STOP_WORDS and (len(term) > 1 or not term.isascii())


def _wrong(name: str, got: object, allowed: str) -> ArgumentError:
    return ArgumentError(f'{shown(name)} {allowed}, got {shown(got)}; for example ["needs", "hängt ab von"]')
