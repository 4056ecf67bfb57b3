"""The order of several ranked lists, compared with sorting all of them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_store.interleave import headed_spans, interleaved, spans

WEIGHTS = st.one_of(
    st.integers(1, 5), st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7, 1e-3, 1e6]), st.floats(1e-6, 1e6)
)
LISTS = st.lists(st.tuples(WEIGHTS, st.integers(0, 15)), max_size=4)
Entry = tuple[int, int]


def sorted_whole(lists: list[tuple[float, int]]) -> list[Entry]:
    keyed = [
        (Fraction(rank + 1) / Fraction(repr(weight)), place, rank)
        for place, (weight, length) in enumerate(lists)
        for rank in range(length)
    ]
    return [(place, rank) for _, place, rank in sorted(keyed)]


@given(LISTS, st.integers(0, 40), st.integers(1, 20))
@pytest.mark.proves("SS2")
def test_any_page_is_that_part_of_the_sorted_whole(
    lists: list[tuple[float, int]], offset: int, limit: int
) -> None:
    weights, lengths = [weight for weight, _ in lists], [length for _, length in lists]
    parts = spans(weights, lengths, offset, limit)
    entries = [
        (start, [(place, rank) for rank in range(start, end)]) for place, (start, end) in enumerate(parts)
    ]
    assert interleaved(weights, entries) == sorted_whole(lists)[offset : offset + limit]


@given(LISTS, st.lists(st.integers(0, 4), min_size=4, max_size=4), st.integers(0, 40), st.integers(1, 20))
@pytest.mark.proves("SS2")
def test_heads_come_before_the_rest_of_all_lists(
    lists: list[tuple[float, int]], wished: list[int], offset: int, limit: int
) -> None:
    weights, lengths = [weight for weight, _ in lists], [length for _, length in lists]
    heads = [min(head, length) for head, length in zip(wished, lengths, strict=False)]
    tails = [length - head for length, head in zip(lengths, heads, strict=True)]
    rest = sorted_whole(list(zip(weights, tails, strict=True)))
    whole = [
        *sorted_whole(list(zip(weights, heads, strict=True))),
        *((place, heads[place] + rank) for place, rank in rest),
    ]
    parts = headed_spans(weights, heads, lengths, offset, limit)
    entries = [
        (start, [(place, rank) for rank in range(start, end)]) for place, (start, end) in enumerate(parts)
    ]
    assert interleaved(weights, entries, heads) == whole[offset : offset + limit]


@given(LISTS, st.integers(0, 40), st.integers(1, 20))
@pytest.mark.proves("SS2")
def test_unknown_lengths_are_endless(lists: list[tuple[float, int]], offset: int, limit: int) -> None:
    weights = [weight for weight, _ in lists]
    long = [offset + limit for _ in lists]
    assert spans(weights, [None] * len(lists), offset, limit) == spans(weights, long, offset, limit)


@pytest.mark.proves("SS2")
def test_a_page_far_down_costs_no_more_than_the_first() -> None:
    assert spans((1, 3), (None, None), 10**9, 4) == [(250_000_000, 250_000_001), (750_000_000, 750_000_003)]
    assert spans((1, 1), (10**9, 2), 10**9, 10**9) == [(999_999_998, 10**9), (2, 2)]


@pytest.mark.proves("SS2")
def test_equal_ranks_go_in_the_order_of_the_lists_and_a_weight_brings_rows_earlier() -> None:
    assert interleaved((1, 1, 1), [(0, "ab"), (0, "AB"), (0, "xy")]) == ["a", "A", "x", "b", "B", "y"]
    assert interleaved((1, 2), [(0, "ab"), (0, "ABCD")]) == ["A", "a", "B", "C", "b", "D"]
    # 0.1 and 0.3 have no exact binary form; the third of the one still stands beside the first of the other.
    assert interleaved((0.1, 0.3), [(0, "a"), (0, "ABC")]) == ["A", "B", "a", "C"]
