"""Front matter: taken off, read as strings, never fatal (OL9, OL10)."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import front_matter, yaml_values
from mark_outline.matter import LONGEST
from tests.outline.cases import Case, cases


def as_lines(text: str) -> list[str]:
    found = front_matter(text)
    warning = [] if found.warning is None else [f"warning={found.warning}"]
    return [*(f"{key}={value}" for key, value in found.metadata.items()), *warning, f"body={found.body}"]


@pytest.mark.proves("OL9", "OL10")
@pytest.mark.parametrize("case", cases("front_matter"))
def test_what_is_taken_off_and_what_stays(case: Case) -> None:
    assert as_lines(case.given) == case.wanted


@pytest.mark.proves("OL9")
@pytest.mark.parametrize("case", cases("front_matter"))
def test_the_pure_python_parser_gives_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mark_outline.yaml_values._LOADER", yaml.BaseLoader)
    found = as_lines(case.given)
    assert [line for line in found if not line.startswith("warning=")] == [
        line for line in case.wanted if not line.startswith("warning=")
    ]


@pytest.mark.proves("OL9", "OL10")
@given(
    st.text(st.sampled_from("-+.\n\r: [],{}&*!'\"#|>?%@\0\ta1é\ud800=\ufeff"), max_size=60),
    st.sampled_from("-+"),
)
def test_nothing_is_lost_and_nothing_raised(text: str, sign: str) -> None:
    whole = f"{sign * 3}\n{text}\n{sign * 3}\nbody"
    found = front_matter(whole)
    assert found.body == whole[found.body_start :]
    assert not found.body_start or found.raw in whole[: found.body_start]
    assert found.warning is None or "\n" not in found.warning
    assert all(isinstance(value, str) for value in found.metadata.values())


@pytest.mark.proves("OL9")
def test_the_body_starts_where_it_says() -> None:
    text = "\ufeff---\r\na: é🚀\r\n---\r\n# T\r\n"
    found = front_matter(text)
    assert (found.body_start, found.body, found.raw) == (text.index("# T"), "# T\r\n", "a: é🚀")


@pytest.mark.proves("OL10")
def test_aliases_do_not_multiply() -> None:
    levels = "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 10)}]\n" for n in range(30))
    found = front_matter(f"---\nl0: &l0 lol\n{levels}title: T\n---\n")
    assert found.metadata == {"l0": "lol", "title": "T"}


@pytest.mark.proves("OL10")
@pytest.mark.parametrize(
    "value",
    [
        "[" * 60_000,
        "{" * 60_000,
        "{a: " * 15_000,
        "[a, " * 10_000 + "]" * 10_000,
        "'" * 60_000,
        "? " * 30_000,
    ],
)
def test_depth_ends_neither_the_stack_nor_the_clock(value: str) -> None:
    start = time.perf_counter()
    assert len(value) < LONGEST
    found = front_matter(f"---\ntitle: T\nx: {value}\n---\nbody")
    assert (found.metadata["title"], found.body) == ("T", "body")
    front_matter(f"+++\ntitle = 'T'\nx = {value}\n+++\nbody")
    assert time.perf_counter() - start < 20


@pytest.mark.proves("OL10")
def test_of_very_long_front_matter_the_plain_lines_are_read() -> None:
    found = front_matter(f"---\ntitle: T\nx: {'y' * LONGEST}\n---\nbody")
    assert (found.metadata["title"], found.body) == ("T", "body")
    assert found.warning == f"front matter of {LONGEST + 12} characters: only plain lines are read"


@pytest.mark.proves("OL10")
def test_a_long_text_between_two_rules_is_body() -> None:
    text = f"---\n{'Some words of prose.' * LONGEST}\n---\n"
    assert front_matter(text).body == text


@pytest.mark.proves("OL10")
def test_what_is_no_mapping_is_told_apart_from_what_is_no_yaml() -> None:
    with pytest.raises(yaml_values.NoMappingError):
        yaml_values.yaml_values("- a")
    assert yaml_values.yaml_values("") == {}


@pytest.mark.proves("OL10")
def test_a_toml_key_of_thousands_of_parts_does_not_stop_the_clock() -> None:
    key = ".".join(["a"] * 30_000)
    started = time.monotonic()
    texts = [f"+++\n{line}\ntitle = 'T'\n+++\nbody" for line in (f"{key} = 1", f"[{key}]")]
    found = [front_matter(text) for text in texts]
    assert all(one.body.endswith("body") for one in found)
    assert found[1].metadata == {"title": "T"}
    assert found[1].warning == "broken front matter: a key of too many parts"
    assert time.monotonic() - started < 5  # it takes milliseconds; tomllib alone would take ten seconds


@pytest.mark.proves("OL9")
def test_a_toml_text_of_many_sentences_is_no_key() -> None:
    text = "It ends." * 200
    assert front_matter(f'+++\nabout = "{text}"\n+++\n').metadata == {"about": text}
