"""Windows: pages are verbatim, within their budget, and joined they are the text; no character is torn."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_expand import window_end
from mark_outline import ENCODINGS, Counter, counter

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
# What a reader sees as one character, in pieces that no page may end inside of.
CLUSTERS = {
    "family": FAMILY,
    "flag": "\U0001f1f3\U0001f1f4",
    "skin tone": "\U0001f44d\U0001f3fd",
    "two accents": "e\u0301\u0323",
    "line break": "\r\n",
    "decomposed Hangul": "\u1112\u1161\u11ab",
    "emoji style": "\u2764\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "tag": "\U0001f3f4\U000e0067\U000e007f",
    "Devanagari": "\u0915\u093f",
}
WORDS = st.sampled_from(
    [
        *(
            "tide ",
            "Haldvik. ",
            "3.14",
            "www.example.org",
            "! ",
            "…",
            "\n",
            "\r\n",
            "\n\n",
            "\t",
            "#",
            "| a |",
        ),
        *("```\n", "## Two\n", "潮起潮落。", "潮", "มหาสมุทร", "x" * 300, "潮" * 200, "\u2028", "\x00"),
        *("<|endoftext|>", " " * 40, *CLUSTERS.values()),
    ]
)
TEXTS = st.lists(WORDS, max_size=60).map("".join)


def pages(text: str, budget: int, unit: Counter, around: str = "") -> list[str]:
    """All pages of a text, each with what stands around it within `budget` tokens."""
    limit = unit.units(budget)
    found = []
    start = 0
    while start < len(text):
        end = window_end(text, start, fits(text, start, unit, limit, around))
        assert end > start
        found.append(text[start:end])
        start = end
    return found


def fits(text: str, start: int, unit: Counter, limit: int, around: str) -> Callable[[int], bool]:
    return lambda end: unit.count(around + text[start:end]) <= limit


@pytest.mark.proves("T8")
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, budget=st.integers(16, 200))
def test_pages_are_the_text_and_keep_the_budget(encoding: str, text: str, budget: int) -> None:
    unit = counter(encoding)
    around = "status: ok\n\n"
    found = pages(text, budget, unit, around)
    assert "".join(found) == text
    for page in found:
        # One character may have more tokens than a page has room for: it alone is no violation.
        assert unit.count(around + page) <= unit.units(budget)


@pytest.mark.proves("T8")
@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
@given(before=st.integers(0, 9), count=st.integers(5, 60), budget=st.integers(40, 90))
def test_no_character_is_torn(cluster: str, before: int, count: int, budget: int) -> None:
    text = "a" * before + cluster * count
    place = 0
    for page in pages(text, budget, counter("o200k_base"))[:-1]:
        place += len(page)
        assert place < before or (place - before) % len(cluster) == 0


@pytest.mark.proves("T8")
def test_pages_end_at_lines_then_sentences_then_words() -> None:
    unit = counter("o200k_base")
    lines = "".join(f"Line {number} of the ledger, and what it says.\n" for number in range(60))
    assert all(page.endswith("\n") for page in pages(lines, 50, unit))
    sentences = "The tide rose to 3.14 metres at www.example.org today. " * 60
    assert all(page.endswith(". ") for page in pages(sentences, 50, unit))
    words = "tide " * 400
    assert all(page.endswith(" ") for page in pages(words, 50, unit))
    chinese = "潮水涨到三米。" * 100
    assert all(page.endswith("。") for page in pages(chinese, 50, unit))


@pytest.mark.proves("T8")
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "text", ["quark " * 50_000, "潮" * 100_000, "x" * 300_000, "ſ'ſ" * 60_000, "a\n" * 150_000, " " * 300_000]
)
def test_a_long_line_is_paged_in_time(encoding: str, text: str) -> None:
    started = time.monotonic()
    found = pages(text, 300, counter(encoding))
    assert "".join(found) == text
    assert time.monotonic() - started < 20


@pytest.mark.proves("T8")
def test_a_character_larger_than_a_page_is_torn_rather_than_never_sent() -> None:
    text = FAMILY * 3
    assert "".join(pages(text, 3, counter("o200k_base"))) == text


@pytest.mark.proves("T8")
@pytest.mark.parametrize(
    ("text", "room", "end"),
    [
        ("aaaa\u0301" * 90, 4, 3),  # not between a letter and its mark
        ("a\r\nb" * 90, 2, 1),  # nor inside a line break
        ("\n\u0301" * 90, 1, 1),  # but after one
        ("\U0001f1f3\U0001f1f4" * 90, 3, 2),  # between two flags, not inside one
        ("\U0001f1f3\U0001f1f4" * 90, 4, 4),
        ("\u1112\u1161\u11ab" * 90, 5, 3),
    ],
)
def test_a_cut_steps_back_to_the_end_of_a_character(text: str, room: int, end: int) -> None:
    assert window_end(text, 0, lambda stop: stop <= room) == end


@pytest.mark.proves("T8")
def test_nothing_fits_is_the_start_itself() -> None:
    assert window_end("abc", 1, lambda _end: False) == 1


@pytest.mark.proves("T8")
def test_the_rest_is_taken_when_only_its_next_line_was_too_much() -> None:
    text = "a" * 300
    assert window_end(text, 0, lambda end: end == len(text) or end < 290) == len(text)
