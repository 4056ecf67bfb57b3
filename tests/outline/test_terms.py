"""Terms of a query, and whether a text holds them, in step with the index (O5, OL13)."""

import itertools
import sqlite3
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import Presence, fold, segment, terms
from tests.outline.cases import Case, cases

TEXT = st.text(st.sampled_from("abC_-+#.'` 中文合約カナ한국ดีกé\u0301ςß🚀\n?!"), max_size=30)


@pytest.mark.proves("O5")
@pytest.mark.parametrize("case", cases("terms"))
def test_the_terms_of_a_query(case: Case) -> None:
    assert list(terms(case.given)) == case.wanted


@pytest.mark.proves("O5")
@given(TEXT)
def test_terms_are_distinct_and_held_by_their_own_query(query: str) -> None:
    found = terms(query)
    assert len(set(found)) == len(found)
    assert Presence(query).count(found) == len(found)


@pytest.mark.proves("O5")
def test_no_stop_word_is_a_technical_term() -> None:
    query = "OS CI HA DI ES SU MIT bin die let just ours theirs below comment com EU man war"
    assert terms(query) == tuple(query.lower().split())


@pytest.mark.proves("O5")
def test_a_query_of_any_length_has_terms() -> None:
    assert terms("a" * 5000) == ("a" * 5000,)
    assert terms("?" * 100_000 + "x" + "!" * 100_000) == ("x",)
    assert terms("?" * 100_000 + "x" + "!" * 100_000 + "x" + "-" * 100_000) == (f"x{'!' * 100_000}x",)


@pytest.mark.proves("O5")
@pytest.mark.parametrize(
    ("text", "term", "held"),
    [
        ("Use C++ here.", "c++", True),
        ("Use C here.", "c++", False),
        ("(C++)", "c++", True),
        ("ABC++", "c++", False),
        ("Read health.base first", "health.base", True),
        ("Read health.base first", "base", True),
        ("healthbase", "health.base", False),
        ("`apply_secrets()`", "apply_secrets", True),
        ("`apply_secrets()`", "secrets", True),
        ("category", "cat", False),
        ("Crème BRÛLÉE", "brulee", True),
        ("Creme brulee", "brûlée", True),
        ("轉換中文合約問題", "文合", True),
        ("轉換中文問題", "文合", False),
        ("🚀 launch", "🚀", True),
        ("launch", "🚀", False),
        ("it is don't", "don't", True),
        ("anything", "", False),
    ],
)
def test_a_text_holds_words_as_words_and_bigrams_anywhere(text: str, term: str, held: bool) -> None:
    assert Presence(text).holds(term) is held


@pytest.mark.proves("O5")
def test_distinct_terms_are_counted() -> None:
    assert Presence("one two 中文").count(["one", "three", "中文", "one"]) == 2


@pytest.mark.proves("OL13")
@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("plain text", "plain text"),
        ("中文", "中文"),
        ("中", "中"),
        ("中文合約,x", "中文 文合 合約 ,x"),
        ("a中文b", "a 中文 b"),
        ("a 中 文b", "a 中 文 b"),
        ("한국어 カナ", "한국 국어 カナ"),
        ("ดีมาก", "ดีม มา าก"),
        ("Überblick", "Überblick"),
    ],
)
def test_runs_are_set_as_bigrams(text: str, cut: str) -> None:
    assert segment(text) == cut


@pytest.mark.proves("OL13")
@given(TEXT)
def test_the_index_finds_the_terms_of_a_text_in_it(text: str) -> None:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
    index.execute("INSERT INTO t VALUES (?)", (segment(text),))
    words = [term for term in terms(text) if any(character.isalnum() for character in term)]
    quoted = ('"' + segment(word).replace('"', '""') + '"' for word in words)
    found = [
        index.execute("SELECT count(*) FROM t WHERE t MATCH ?", (word,)).fetchone()[0] for word in quoted
    ]
    index.close()
    assert found == [1] * len(words)


@pytest.mark.proves("OL13")
def test_what_the_index_takes_for_one_letter_is_one_letter_when_folded() -> None:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
    index.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    letters = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code))[0] in "LN"]
    index.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", ((ord(c), f"q{c}z") for c in letters))
    rows = index.execute("SELECT doc, term FROM v ORDER BY doc, offset").fetchall()
    index.close()
    tokens = {
        doc: [term for _, term in group] for doc, group in itertools.groupby(rows, key=lambda row: row[0])
    }
    # Folding may go further than the index, which is given folded text; what the index cuts at is left out.
    differing = [c for c in letters if len(tokens[ord(c)]) == 1 and fold(tokens[ord(c)][0]) != f"q{fold(c)}z"]
    assert not differing


@pytest.mark.proves("OL13")
def test_folded_text_is_not_changed_by_the_index() -> None:
    assert fold("Ёлка, ΆΛΦΑ, Straße, كِتـــاب, बा\u200dत, ٢٥") == "елка, αλφα, strasse, كتاب, बात, 25"
    assert fold("й") == fold("и\u0306") == "й"
