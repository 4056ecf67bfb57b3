"""What documents are called, and which of them a question calls by name.

A name is a row of words as the index cuts them, letters apart from digits, no zeros before a number: `PEP 572`,
`pep-0572` and `PEP572` are one. Which passage of a named document is shown first is `naming`'s.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mark_outline import STOP_WORDS, fold, segment

from .metadata import items

# A longer name is known by its first words.
LONGEST = 12
# So much of a question is searched for names; more is a text, not a question.
_MOST_WORDS = 128
# A number of its own names a document from here on, years aside: `5185`, not `12`.
_LEAST_NUMBER = 100
_YEARS = range(1800, 2100)
_WORD = re.compile(r"[^\W\d_]+|\d+")
_LETTERS = re.compile(r"\w")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_PARTS = re.compile(r"(?::|：|\s[-–—|])\s+")
_ALIASES = ("aliases", "alias", "short", "short-title", "number", "id")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that may be a name; `plain` when they are one word that is written like any other."""

    name: str
    first: int
    stop: int
    plain: bool


def names_of(path: str, title: str, tags: Iterable[str], metadata: Mapping[str, str]) -> frozenset[str]:
    """The names of a document: its title, parts of it, its file's name, its aliases, a word with its number.

    >>> sorted(names_of("/peps/pep-0572.md", "PEP 572: Assignment Expressions", (), {}))
    ['572', 'assignment expressions', 'pep 572', 'pep 572 assignment expressions']
    """
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0]
    told = [title, _ASIDE.sub("", title), *_PARTS.split(title), stem]
    told += [alias for key in _ALIASES for alias in items(metadata.get(key, ""))]
    kinds = [folder.rpartition("/")[2], metadata.get("type", ""), *tags]
    names = {" ".join(words(text)[:LONGEST]) for text in told}
    return frozenset(name for name in {*names, *_numbered(words(stem), kinds)} if _speaks(name))


def _numbered(stem: list[str], kinds: Iterable[str]) -> Iterator[str]:
    """The number of a file's name, with a word for what it is: `adr 7` of `/adr/0007-queues.md`."""
    if stem[:1] and stem[0].isdigit():
        number = stem[0]
        yield " ".join(stem[1 : 1 + LONGEST])
        yield from (f"{kind} {number}" for text in kinds for kind in words(text)[-1:])
    elif len(stem) == 2 and stem[1].isdigit():  # noqa: PLR2004 - a word and a number
        number = stem[1]
    else:
        return
    if len(number) < 10 and int(number) >= _LEAST_NUMBER and int(number) not in _YEARS:
        yield number


def mentions(query: str) -> list[Mention]:
    """All rows of at most `LONGEST` words of a question that could be names."""
    found = [(word, raw) for raw in _raw_words(query) for word in words(raw)][:_MOST_WORDS]
    texts = [word for word, _ in found]
    spans = (
        (first, stop)
        for first in range(len(found))
        for stop in range(first + 1, min(first + LONGEST, len(found)) + 1)
    )
    said = (Mention(" ".join(texts[a:b]), a, b, _is_plain(found[a:b], a)) for a, b in spans)
    return [mention for mention in said if _speaks(mention.name)]


def _raw_words(query: str) -> list[str]:
    return query.split()


def words(text: str) -> list[str]:
    """The words of a name: folded, letters and digits apart, numbers without zeros before them.

    >>> words("EIP-0155, BIP32")
    ['eip', '155', 'bip', '32']
    """
    found = _WORD.findall(segment(fold(text)))
    return [word.lstrip("0") or "0" if word.isdigit() else word for word in found]


def _is_plain(said: list[tuple[str, str]], first: int) -> bool:
    telling = [(word, raw) for word, raw in said if word not in STOP_WORDS]
    if len(telling) > 1:
        return False
    raw = telling[0][1] if telling else ""
    letters = _LETTERS.search(raw)
    return first == 0 or not (letters and (letters[0].isupper() or letters[0].isdigit() or raw[0] in "\"'“„«`「《"))


def _speaks(name: str) -> bool:
    told = [word for word in name.split() if word not in STOP_WORDS]
    return bool(told) and (len(told) > 1 or told[0].isdigit() and len(told[0]) > 2 or len(told[0]) > 1 and not told[0].isdigit())
