"""A thousand rows: what is counted and decided grows with the rows, not with their square."""

import time
from collections.abc import Sequence

import pytest

from mark_expand import Ask, Expansion, Result
from mark_outline import Counter
from tests.expand.scenario import BYTES, PLAIN, Answers, Doc, Row, counted, drive

# Some fifty times what it takes on a laptop: a square of the rows is above it, a slow machine below.
SECONDS = 5.0


class Tallying:
    """A byte counter that keeps how many characters it was given."""

    encoding = "bytes"

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return BYTES.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def units(self, tokens: int) -> int:
        return BYTES.units(tokens)

    def tokens(self, units: int) -> int:
        return BYTES.tokens(units)

    def release(self) -> None:
        """Hold nothing."""


def sections(count: int, words: int = 20) -> Doc:
    return Doc(
        "/big.md", "".join(f"## Section {n}\n\nText {n} {'tide ' * words}\n\n" for n in range(count)), 1
    )


def run(rows: list[Row], docs: Answers, budget: int, unit: Counter) -> Result:
    """Expand with the rules of rows alone: a document that is small beside the budget is none of them."""
    ask = Ask("h\n", rows, len(rows), 0, ("tide",), budget, limits=PLAIN)
    return drive(Expansion(ask, unit), docs)


@pytest.mark.proves("B3", "F3")
def test_what_is_counted_grows_with_the_rows_and_never_holds_the_whole_again() -> None:
    seen = []
    for count in (100, 1000):
        doc = counted(sections(count, 200), BYTES)
        unit = Tallying()
        rows = [Row("/big.md", f"section-{n}") for n in range(count)]
        result = run(rows, {"/big.md": doc}, 400_000, unit)
        assert {entry.outcome for entry in result.trace.entries} == {"printed"}
        assert unit.characters < len(doc.body) / 3
        seen.append(unit.characters)
    assert seen[1] < 14 * seen[0]


@pytest.mark.proves("F3")
@pytest.mark.parametrize("same", [True, False], ids=["one document", "as many documents"])
def test_a_thousand_rows_are_decided_quickly(same: bool) -> None:
    doc = counted(sections(1000), BYTES)
    rows = [Row("/big.md" if same else f"/{n}.md", f"section-{n}") for n in range(1000)]
    started = time.perf_counter()
    result = run([*rows, *rows], {"/big.md": doc}, 100_000, BYTES)
    assert time.perf_counter() - started < SECONDS
    assert {entry.rank for entry in result.trace.entries} == set(range(1, 2001))
