"""Costs kept per own section add up to the count of any section printed as a block (B3)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import ENCODINGS, WHITE, Costs, Outline, counter, outline, pieces, with_costs
from tests.outline.documents import bodies, fixture_bodies, tree_bodies

pytestmark = pytest.mark.proves("B3")


def block(texts: list[str]) -> str:
    text = "".join(texts).strip(WHITE)
    return f"{text}\n\n" if text else ""


def counted(body: str, encoding: str) -> tuple[Outline, Costs]:
    found = with_costs(outline(body), body, counter(encoding))
    assert found.costs
    return found, found.costs


def check(body: str, encoding: str) -> int:
    """Compare every section, every own text and the whole body; give how many could be."""
    found, costs = counted(body, encoding)
    parts = pieces(found, body)
    spans = {(0, len(parts)), *((k, k + 1) for k in range(len(parts)))}
    spans |= {(k + 1, section.last + 1) for k, section in enumerate(found.sections)}
    trusted = [span for span in spans if found.countable(body, *span)]
    texts = [block(parts[first:stop]) for first, stop in trusted]
    assert [costs.span(*span) for span in trusted] == counter(encoding).count_many(texts)
    return len(trusted)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(bodies)
def test_any_section_costs_the_sum_of_its_pieces(encoding: str, body: str) -> None:
    check(body, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(bodies, st.integers(0, 20), st.integers(0, 20))
def test_any_run_of_pieces_does(encoding: str, body: str, first: int, stop: int) -> None:
    found, costs = counted(body, encoding)
    parts = pieces(found, body)
    if found.countable(body, first, stop):
        assert costs.span(first, min(stop, len(parts))) == counter(encoding).count(block(parts[first:stop]))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_in_the_example_documents_too(encoding: str) -> None:
    assert sum(check(body, encoding) for body in fixture_bodies()) > 100


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_in_real_trees_too(shared: Path, encoding: str) -> None:
    assert sum(check(body, encoding) for body in tree_bodies(shared, 40)) > 500


@pytest.mark.deep
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_in_all_real_trees(shared: Path, encoding: str) -> None:
    assert sum(check(body, encoding) for body in tree_bodies(shared, 1)) > 20_000


def test_two_costs_are_kept_for_each_piece() -> None:
    body = "\n\n# one\n\n\n## two"
    _, costs = counted(body, "bytes")
    assert costs == Costs("bytes", full=(2, 8, 6), trimmed=(0, 7, 8))
    assert costs.encoding == "bytes"


def test_white_space_alone_costs_nothing() -> None:
    for body in ("", " \n\u2028\n"):
        _, costs = counted(body, "o200k_base")
        assert costs.span(0, 1) == 0


def test_an_empty_span_costs_nothing() -> None:
    _, costs = counted("# one\n", "bytes")
    assert (costs.span(1, 1), costs.span(2, 1)) == (0, 0)


@pytest.mark.parametrize(
    ("body", "first", "stop", "trusted"),
    [
        ("# one\n\n## two\n", 1, 3, True),
        ("\n\n# one\n", 0, 2, True),
        ("\ntext\n\n# one\n", 0, 2, False),
        ("  # one\n", 1, 2, False),
        ("# one\n\n  ## two\n", 1, 3, True),
        ("# one\n\n/two\n---\n", 1, 3, False),
        ("# one\n\n/two\n---\n", 1, 2, True),
        ("# one\n\n \ra\n---\n", 1, 3, False),
    ],
)
def test_a_span_tells_whether_it_may_be_trusted(body: str, first: int, stop: int, trusted: bool) -> None:
    assert outline(body).countable(body, first, stop) is trusted


@pytest.mark.parametrize("encoding", ENCODINGS[:2])
def test_what_may_not_be_trusted_is_really_different(encoding: str) -> None:
    body = "# one)\n\n/two\n---\n\ntext\n\n  # three\n"
    found, costs = counted(body, encoding)
    assert not found.countable(body, 1, 3)
    assert costs.span(3, 4) != counter(encoding).count(block(pieces(found, body)[3:4]))
