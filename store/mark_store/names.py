"""What documents are called, and which words of a question may call one by its name.

A name is a row of words as the index cuts them, letters apart from digits, no zeros before a number:
`PEP 572`, `pep-0572` and `PEP572` are one. Which documents a question names is decided in `naming`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mark_outline import STOP_WORDS, fold, segment

from .metadata import items

# A longer name is known by its first words.
LONGEST = 12
# So much of a question is searched for names; what is longer is a text, not a question.
_MOST_WORDS = 128
# A number alone names a document from here on, years aside: `5185`, not `12`.
_LEAST_NUMBER = 100
_MOST_DIGITS = 9
_YEARS = range(1800, 2100)
# More parts of a title than these are no names.
_MOST_PARTS = 6
# A word and its number: `pep-0572`.
_PAIR = 2
_WORD = re.compile(r"[^\W\d_]+|\d+")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
# Folders of architecture decision records that are called by their last word alone.
_DECISIONS = (["decision"], ["decisions"])
_PARTS = re.compile(r"(?::|：|\s[-–—|])\s+")
_ALIASES = ("aliases", "alias")
_QUOTES = "\"'“„«`「《"


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question, from the one at `first` to before `stop`, that may be a name.

    `plain`: only one of them tells anything, and nothing about how it is written says that it is a name.
    """

    name: str
    first: int
    stop: int
    plain: bool


def names_of(path: str, title: str, tags: Iterable[str], metadata: Mapping[str, str]) -> frozenset[str]:
    """The names of a document: its title, parts of it, its file and path, aliases, a word with its number.

    >>> sorted(names_of("/a/pep-0572.md", "PEP 572: Tea", (), {}))
    ['572', 'a pep 572 md', 'pep 572', 'pep 572 md', 'pep 572 tea', 'tea']
    """
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0]
    told = [title, _ASIDE.sub("", title), *_runs(_PARTS.split(title)), stem, file]
    told += [alias for key in _ALIASES for alias in items(metadata.get(key, ""))]
    kinds = [*_kinds(words(folder.rpartition("/")[2])), metadata.get("type", ""), *tags]
    # The folders of a long path are those of its neighbours, too: what tells it apart stands at its end.
    names = {" ".join(words(text)[:LONGEST]) for text in told} | {" ".join(words(path)[-LONGEST:])}
    return frozenset(filter(_speaks, {*names, *_numbered(words(stem), kinds)}))


def mentions(query: str) -> list[Mention]:
    """All rows of at most `LONGEST` words of a question that could be names.

    >>> [one.name for one in mentions("What is PEP 572?")]
    ['what is pep', 'what is pep 572', 'is pep', 'is pep 572', 'pep', 'pep 572', '572']
    """
    said = [(word, raw) for raw in query.split() for word in words(raw)][:_MOST_WORDS]
    spans = (
        (first, stop)
        for first in range(len(said))
        for stop in range(first + 1, min(first + LONGEST, len(said)) + 1)
    )
    # Of `what's` the `s` tells nothing.
    lone = len([word for word, _ in said if word not in STOP_WORDS and len(word) > 1]) == 1
    found = (
        Mention(_joined(said[a:b]), a, b, not lone and _is_plain(said[a:b], first=a == 0)) for a, b in spans
    )
    return [mention for mention in found if _speaks(mention.name)]


def words(text: str) -> list[str]:
    """The words of a name: folded, letters and digits apart, numbers without zeros before them.

    >>> words("EIP-0155, BIP32")
    ['eip', '155', 'bip', '32']
    """
    found = _WORD.findall(segment(fold(text)))
    return [word.lstrip("0") or "0" if word.isdigit() else word for word in found]


def telling(name: str) -> list[str]:
    """The words of a name that are no stop words."""
    return [word for word in name.split() if word not in STOP_WORDS]


def _runs(parts: list[str]) -> Iterator[str]:
    """The parts of a title, alone and with those next to them.

    >>> list(_runs(["KEP 7", "Storage", "Disks"]))
    ['KEP 7', 'KEP 7 Storage', 'KEP 7 Storage Disks', 'Storage', 'Storage Disks', 'Disks']
    """
    for first in range(min(len(parts), _MOST_PARTS)):
        for stop in range(first + 1, min(len(parts), _MOST_PARTS) + 1):
            yield " ".join(parts[first:stop])


def _kinds(folder: list[str]) -> Iterator[str]:
    """What the documents of a folder are called: its last word, as one of many too, and its initials.

    >>> list(_kinds(["architecture", "decision", "records"])), list(_kinds(["decisions"]))
    (['records', 'record', 'adr'], ['decisions', 'decision', 'adr'])
    """
    if folder:
        yield folder[-1]
        yield folder[-1].removesuffix("s")
    if len(folder) > _PAIR:
        yield "".join(word[0] for word in folder)
    elif folder[-1:] in _DECISIONS:
        yield "adr"


def _numbered(stem: list[str], kinds: Iterable[str]) -> Iterator[str]:
    """The number of a file's name, with a word for what it is: `adr 7` of `/adr/0007-queues.md`."""
    if stem[:1] and stem[0].isdigit():
        number = stem[0]
        yield " ".join(stem[1 : 1 + LONGEST])
        yield from (f"{kind} {number}" for text in kinds for kind in words(text)[-1:])
    elif len(stem) == _PAIR and stem[1].isdigit():
        number = stem[1]
    else:
        return
    if len(number) <= _MOST_DIGITS and int(number) >= _LEAST_NUMBER and int(number) not in _YEARS:
        yield number


def _joined(said: list[tuple[str, str]]) -> str:
    return " ".join(word for word, _ in said)


def _is_plain(said: list[tuple[str, str]], *, first: bool) -> bool:
    """A question's first word has a capital whatever it is."""
    raws = [raw for word, raw in said if word not in STOP_WORDS]
    if len(raws) != 1:
        return not raws
    sign = next((letter for letter in raws[0] if letter.isalnum()), "")
    return raws[0][0] not in _QUOTES and (first or not (sign.isupper() or sign.isdigit()))


def _speaks(name: str) -> bool:
    """Whether a name says something: not one letter, a short number, or stop words alone."""
    told = telling(name)
    if len(told) != 1:
        return bool(told)
    return len(told[0]) > 2 if told[0].isdigit() else len(told[0]) > 1
