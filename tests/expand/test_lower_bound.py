"""The bound of a text's tokens: never above what tiktoken counts, and near it for prose (PO21)."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mark_expand import Candidate
from mark_expand.selection.item import Item
from mark_expand.selection.lower_bound import exceeds, least_pieces
from mark_outline import counter
from tests.expand.oracle import tokens
from tests.expand.strategies import LINES
from tests.outline.documents import fixture_bodies

pytestmark = pytest.mark.proves("PO21")

TOKENS = ("o200k_base", "cl100k_base")
# What both patterns treat apart: classes of letters, marks, digits, every kind of white space, line ends and
# slashes behind punctuation, contractions, signs that join others, controls.
ODD = st.text(
    st.sampled_from(
        "aBÉßſǅʰक्あ漢\u0301\u0903\u20dd1½٣Ⅷ'’.,!_-/\\<|>$+…、🚀\u200d\ufe0f \t\n\r\v\f\x85\xa0\u1680\u180e"
        "\u2003\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff\x00\x08\x1b\x1c\x1f\x7f\u0600\ue000\U000e0001"
    ),
    max_size=30,
)
CORNERS = ("it's", "I'LL", "'re", "x'", "1's", "\r\n", "//\n", "!\n/", ".\r\n/a", " \n ", "\xa0", "e\u0301")
PARTS = st.lists(st.sampled_from([*CORNERS, *LINES]), max_size=8).map("".join)
texts = st.one_of(ODD, PARTS, st.text(max_size=40), st.text(st.characters(max_codepoint=127), max_size=40))


@given(texts)
@example("!\n\n/a/\nb")
@example("dogs' o'clock x's 1's 'tis")
@example(" \xa0 \u2003 \u3000 \u180e \x1c ")
def test_a_text_has_no_fewer_tokens_than_its_certain_pieces(text: str) -> None:
    for encoding in TOKENS:
        assert least_pieces(text) <= tokens(encoding, text)


@given(st.sampled_from([*TOKENS, "bytes"]), texts, st.integers(0, 60))
def test_what_is_told_to_be_too_large_without_counting_is_too_large(
    encoding: str, text: str, room: int
) -> None:
    if exceeds(text, room, counter(encoding)):
        assert counter(encoding).count(text) > room


@given(
    st.sampled_from([*TOKENS, "bytes"]),
    texts,
    st.text(min_size=1, max_size=8),
    st.sampled_from(["", "far", "a'"]),
    st.sampled_from(["", "part", "'", "n/"]),
    st.integers(0, 60),
)
def test_what_does_not_fit_uncounted_does_not_fit_counted(
    encoding: str, text: str, path: str, store: str, anchor: str, room: int
) -> None:
    item = Item(Candidate("docs", path, text, store, anchor=anchor), 0, 0, counter(encoding))
    if item.text and not item.fits(room):
        assert item.cost is None or item.cost > room
        assert item.least <= item.units
        assert item.units > room


def test_nothing_is_known_of_a_character_that_may_be_white() -> None:
    for character in map(chr, range(0x80, sys.maxunicode + 1)):
        # U+180E was a space until Unicode 6.3, and is one for some engines.
        if character.isspace() or unicodedata.category(character)[0] == "Z" or character == "\u180e":
            assert least_pieces(f"{character} ") == 1, hex(ord(character))


@pytest.mark.parametrize("encoding", TOKENS)
def test_the_bound_is_near_the_count_in_real_documents(encoding: str) -> None:
    bodies = [text for text in fixture_bodies() if text.isascii()]
    assert sum(map(least_pieces, bodies)) > 0.8 * sum(tokens(encoding, text) for text in bodies)
