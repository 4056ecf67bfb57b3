"""Reads the tables of cases under `fixtures/cases`: a name and its parts, between lines of a single dot."""

import re
from typing import NamedTuple

import pytest

from tests.conftest import REPO

SIGNS = {"→": "\t", "␍": "\r", "␀": "\0", "␤": "\n", "⟨BOM⟩": "\ufeff", "␣": " "}
_NAMED = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩")


class Case(NamedTuple):
    """One case: what is given, and what is wanted as lines."""

    given: str
    wanted: list[str]


def cases(name: str) -> list[object]:
    """Give the cases of `fixtures/cases/<name>.md` as pytest parameters."""
    lines = (REPO / "fixtures" / "cases" / f"{name}.md").read_text(encoding="utf-8").split("\n")
    dots = [place for place, line in enumerate(lines) if line == "."]
    parts = zip(dots[::3], dots[1::3], dots[2::3], strict=True)
    return [
        pytest.param(_case(lines[first + 1 : second], lines[second + 1 : third]), id=lines[first - 1])
        for first, second, third in parts
    ]


def plain(text: str) -> str:
    """Give `text` with its visible signs replaced by what they stand for."""
    for sign, character in SIGNS.items():
        text = text.replace(sign, character)
    return _NAMED.sub(lambda sign: chr(int(sign[1], 16)), text)


def _case(given: list[str], wanted: list[str]) -> Case:
    return Case(plain("".join(f"{line}\n" for line in given)), [plain(line) for line in wanted])
