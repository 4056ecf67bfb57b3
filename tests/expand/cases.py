"""Reads `fixtures/cases/expansion.md`: documents and rows as a person writes them down."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from mark_expand import Failure, Hop, Result
from mark_outline import spellings
from tests.expand.scenario import PLAIN, Costs, Doc, Row, expand

FENCE = re.compile(r"^~~~~(.*)\n((?:(?!~~~~).*\n)*)~~~~$", re.MULTILINE)
CASE = re.compile(r"^## .*\n\n~~~~ask$", re.MULTILINE)
ROW = re.compile(r"(\S.*?)(?: v(\d+))?(?: costs=(\d+)/(\d+))?$")
FILLER = re.compile(r"\[\[(\d+) bytes of (\w+)\]\]")


@dataclass(slots=True)
class Case:
    """One case: options as written, rows, documents, and the frame lines that are expected."""

    title: str
    options: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    docs: dict[str, Doc | Failure] = field(default_factory=dict)
    frame: list[str] = field(default_factory=list)

    @property
    def shows(self) -> set[str]:
        return set(self.options["shows"].split())

    def run(self) -> Result:
        """Expand the case's rows over its documents."""
        words = {key: tuple(value.split()) for key, value in self.options.items()}
        number = {key: int(value) for key, value in self.options.items() if value.isdecimal()}
        return expand(
            self.rows,
            self.docs,
            number.get("budget", 4000),
            terms=words.get("terms", ()),
            listed=number.get("listed"),
            offset=number.get("offset", 0),
            limits=replace(PLAIN, fetches=number.get("fetches", 10)),
            aliases=frozenset(words.get("aliases", ())),
            unreadable=frozenset(words.get("unreadable", ())),
            stop_after=number.get("stop after"),
            hop=cast("Hop", self.options.get("hop", "last")),
        )


def read(path: Path) -> Iterator[Case]:
    """Every case of the file, in order."""
    text = path.read_text(encoding="utf-8")
    starts = [found.start() for found in CASE.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield _case(text[start:end])


def _case(part: str) -> Case:
    case = Case(part.partition("\n")[0].removeprefix("## "))
    for info, text in FENCE.findall(part):
        if info == "ask":
            _read_ask(case, text)
        elif info == "frame":
            case.frame = text.splitlines()
        else:
            _read_document(case, info, text)
    return case


def _read_ask(case: Case, text: str) -> None:
    for line in text.splitlines():
        key, _, value = line.partition(": ")
        if key == "row":
            case.rows.append(_row(value))
        else:
            case.options[key] = value


def _row(text: str) -> Row:
    found = ROW.fullmatch(text)
    assert found, text
    at = spellings(found[1])[0]
    version = int(found[2]) if found[2] else None
    costs = Costs("bytes", int(found[3]), int(found[4])) if found[3] else None
    return Row(at.path, at.anchor, f"Title of {at.path}", version, costs)


def _read_document(case: Case, info: str, text: str) -> None:
    where, failing, reason = info.partition(" fails:")
    if failing:
        case.docs[where] = Failure(reason.strip())
        return
    name, *relations = where.split(" ")
    at = spellings(name)[0]
    body = FILLER.sub(lambda found: _filler(int(found[1]), found[2]), text)
    case.docs[at.path] = Doc(at.path, body, at.version, dict(_pair(one) for one in relations))


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _filler(size: int, word: str) -> str:
    return (f"{word} " * size)[: size - 1].rstrip() + "."
