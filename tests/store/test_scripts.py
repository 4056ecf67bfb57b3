"""Words of every script are found as people type them: a table of cases, and properties of folding."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import fold, terms
from mark_store.connection import connect
from mark_store.words import any_of, asked, forms, indexed
from tests.outline.cases import Case, cases
from tests.store.conftest import Opener
from tests.store.tree import plant

TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
LETTERS = st.text(
    st.sampled_from("aé漢字かがカภดีกا\u064bإёЁйάς한\u1112🚀👩\u200d\ufe0fＡ٣ _"), min_size=1, max_size=12
)


def finds(text: str, queries: list[str]) -> list[bool]:
    """Whether each query finds the text, through the index's own tokenizer."""
    index = connect(Path(":memory:"))
    index.execute(f'CREATE VIRTUAL TABLE passage USING fts5(text, tokenize="{TOKENIZER}")')
    index.execute("INSERT INTO passage VALUES(?)", (indexed(text),))
    statement = "SELECT count(*) FROM passage WHERE passage MATCH ?"
    found = [
        bool(index.execute(statement, (any_of(forms(terms(asked(query)))),)).fetchone()[0])
        for query in queries
    ]
    index.close()
    return found


@pytest.mark.proves("SC1", "SC2", "SC3")
@pytest.mark.parametrize("case", cases("scripts"))
def test_words_of_every_script_are_found_as_people_type_them(case: Case) -> None:
    text, _, asked_for = case.given.partition("?\n")
    queries = [line[1:] for line in asked_for.splitlines()]
    told = ["found" if found else "-" for found in finds(text, queries)]
    assert dict(zip(queries, told, strict=True)) == dict(zip(queries, case.wanted, strict=True))


@pytest.mark.proves("SC4")
def test_a_long_word_of_an_inflected_script_is_found_in_its_other_forms() -> None:
    text = "Ряды статоров закреплены в корпусе; οι στάτορες της μηχανής; stators"
    assert finds(text, ["статоры", "статором", "корпус", "στάτορας"]) == [True] * 4
    assert finds(text, ["стакан", "ряда", "stator", "статика"]) == [False] * 4


@pytest.mark.proves("SC6")
def test_an_owner_and_a_word_with_an_elided_article_are_found_by_their_roots() -> None:
    text = "Ada Finch and her sister; l’eau froide; the kite"
    assert finds(text, ["Ada's", "finch’s", "d'eau", "kite's"]) == [True] * 4
    assert finds(text, ["ad's", "r'ada", "ada't"]) == [False] * 3


@pytest.mark.proves("SC1")
@given(text=LETTERS)
def test_every_character_of_a_run_finds_its_text(text: str) -> None:
    wanted = [character for character in "漢字かカ한" if character in text]
    assert all(finds(text, wanted))


@pytest.mark.proves("SC2")
@given(text=LETTERS)
def test_folding_is_done_once_and_for_all(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(indexed(text.upper())) == fold(indexed(text.upper().lower()))


@pytest.mark.anyio
@pytest.mark.proves("SC2")
async def test_titles_and_lines_are_found_folded_too(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "# Ёлка Ελλάδα\n\nfirst line\n\nздесь растёт ещё одна\n"})
    store = await opened()
    for query in ("елка", "ΕΛΛΑΔΑ"):
        assert (await store.lookup(query, match="catalog")).total == 1, query
    assert (await store.lookup("растет")).rows[0].snippet == "здесь растёт ещё одна"
