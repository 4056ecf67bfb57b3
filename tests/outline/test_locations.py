"""Locations: how they print and every way a reader may write them (OL11); cells of the table (OL12)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import Location, decode, encode, escape_cell, spellings, table_rows, unescape_cell

TEXT = st.text(st.sampled_from("/abé漢\u0301 %#?,\\|[]_\t\n\0\x7f\u2028v12F"), max_size=24)


@pytest.mark.proves("OL11")
def test_only_what_would_mislead_is_encoded() -> None:
    assert encode("/a b%#?,\t\u00a0\x7f\u2028.md") == "/a%20b%25%23%3F%2C%09%C2%A0%7F%E2%80%A8.md"
    assert encode("/é(漢)[x]&=+:@!$'*;~\"<>.md") == "/é(漢)[x]&=+:@!$'*;~\"<>.md"


@pytest.mark.proves("OL11")
@given(TEXT)
def test_what_is_encoded_decodes(path: str) -> None:
    assert decode(encode(path)) == path
    assert not any(character.isspace() for character in encode(path))


@pytest.mark.proves("OL11")
@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/a%20b", "/a b"),
        ("/%e7%81%af", "/灯"),
        ("/100%", "/100%"),
        ("/%zz%2", "/%zz%2"),
        ("/%ff%20%E7%81", "/%ff %E7%81"),
        ("/%2520", "/%20"),
    ],
)
def test_what_is_no_utf_8_stays_as_written(written: str, path: str) -> None:
    assert decode(written) == path


@pytest.mark.proves("OL11")
@given(TEXT, st.none() | st.integers(1, 10**9), TEXT)
def test_a_printed_location_reads_back_first(path: str, version: int | None, anchor: str) -> None:
    location = Location(f"/{path}.md", version, anchor)
    assert spellings(str(location))[0] == location


@pytest.mark.proves("OL11")
@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("/a b.md", Location("/a b.md")),
        ("a.md#x", Location("/a.md", None, "x")),
        ("/a%20b.md", Location("/a%20b.md")),
        ("/a\\_b.md#c", Location("/a_b.md", None, "c")),
        ("/a.md/v3", Location("/a.md/v3")),
        ("/a.md/v3#x", Location("/a.md", 3, "x")),
        ("/c#.md", Location("/c#.md")),
        ("/c#.md#x%20y", Location("/c#.md", None, "x y")),
        ("/c#.md/v2#x", Location("/c#.md", 2, "x")),
        ("mark://host/a%20b.md/v2", Location("mark://host/a b.md", 2)),
        ("/\u00e9.md", Location("/e\u0301.md")),
        ("/e%CC%81.md", Location("/\u00e9.md")),
        ("/a.md/v0", Location("/a.md/v0")),
        ("", Location("/")),
    ],
)
def test_every_reading_is_offered(url: str, wanted: Location) -> None:
    assert wanted in spellings(url)


@pytest.mark.proves("OL11")
@given(TEXT)
def test_readings_are_few_and_distinct(url: str) -> None:
    readings = spellings(url)
    assert readings
    assert len(set(readings)) == len(readings)
    assert len(spellings("/é#" * 500)) < 200
    assert unicodedata.normalize("NFC", "e\u0301") == "é"


@pytest.mark.proves("OL12")
@given(TEXT)
def test_an_escaped_cell_reads_back(text: str) -> None:
    assert unescape_cell(escape_cell(text)) == text


@pytest.mark.proves("OL12")
@given(TEXT.map(lambda text: text.replace("\n", "").strip()), st.text(st.sampled_from("abc-1é"), max_size=5))
def test_the_location_of_a_row_reads_back(path: str, anchor: str) -> None:
    cell = escape_cell(path) + (f"#{anchor}" if anchor else "")
    table = f"| Path | Importance | Title | Tags |\n|------|---|---|---|\n| {cell} | 0.5 | a \\| b | c |\n"
    assert table_rows(table) == [(path, anchor)]


@pytest.mark.proves("OL12")
@pytest.mark.parametrize(
    ("cell", "row"),
    [
        ("/a\\#b#c", ("/a#b", "c")),
        ("/a\\\\#b", ("/a\\", "b")),
        ("/a\\\\\\#b", ("/a\\#b", "")),
        ("\\", ("\\", "")),
    ],
)
def test_a_location_is_cut_at_its_first_bare_sign(cell: str, row: tuple[str, str]) -> None:
    assert table_rows(f"| {cell} | 1 | 2 | 3 |") == [row]


@pytest.mark.proves("OL12")
def test_a_row_has_four_or_five_cells_between_bars() -> None:
    lines = (
        "",
        "| a | b | c |",
        "| a | b | c | d | e | f |",
        "| a | b | c | d",
        "| a | b | c | d \\|",
        "text",
    )
    assert table_rows("\n".join(lines)) == []
