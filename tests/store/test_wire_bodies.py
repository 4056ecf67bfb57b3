"""Bodies of LOOKUP, LIST and VERSIONS answers: read strictly, and back as they were written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mark_outline import escape_cell
from mark_store import Entry, Match, ProtocolError, Version
from mark_store.wire_listing import read_entries, read_versions, write_entries, write_versions
from mark_store.wire_table import read_table
from tests.store.wires import PEER

HEAD = "| Path | Importance | Title | Tags | Snippet |\n|------|------|------|------|---------|\n"
ROW = "| /a.md#two | 0.90 | A › Two | x, y z | text |\n"
names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/"), min_size=1, max_size=12
).filter(lambda name: name not in {".", ".."})
plain_names = names.filter(lambda name: name.isprintable() and "](" not in name)


@pytest.mark.proves("WI6")
def test_a_table_is_read_with_its_escapes_undone_once() -> None:
    text = '# Lookup matches for "x" in /\n\n' + HEAD + ROW
    text += r"| /odd/a b\#c%20?,\|d\\#e.md#x%20y | 0 | \[A\](b) \`c\` \| d |  | a \# b |" + "\n"
    first, second = read_table(text, "body", PEER)
    assert (first.path, first.anchor, first.title, first.tags) == ("/a.md", "two", "A › Two", ("x", "y z"))
    assert (first.importance, first.snippet, first.version, first.costs) == (0.9, "text", None, None)
    assert (second.path, second.anchor) == ("/odd/a b#c%20?,|d\\", "e.md#x y")
    assert (second.title, second.tags, second.snippet) == ("[A](b) `c` | d", (), "a # b")


@pytest.mark.proves("WI6")
def test_a_catalog_table_has_four_columns_and_an_empty_one_no_rows() -> None:
    head = "| Path | Importance | Title | Tags |\n|---|:---:|---|---|\n"
    (row,) = read_table(head + "| /a.md | 1 | A |  |", "catalog", PEER)
    assert (row.path, row.anchor, row.snippet) == ("/a.md", "", "")
    assert read_table(head, "catalog", PEER) == []


@pytest.mark.proves("WI6")
@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "body"),
        ("# a heading alone\n", "body"),
        ("prose\n" + HEAD + ROW, "body"),
        (HEAD.splitlines()[0], "body"),
        (HEAD.replace("Title", "Name") + ROW, "body"),
        (HEAD.replace("|------|", "|-|") + ROW, "body"),
        (HEAD + ROW, "catalog"),
        (HEAD + "| /a.md | 0.50 | A | x |\n", "body"),
        (HEAD + ROW + "and prose\n", "body"),
        (HEAD + ROW + "\n" + ROW, "body"),
        (HEAD + "| a.md | 0.50 | A | x | s |\n", "body"),
        (HEAD + "| https://x/a.md | 0.50 | A | x | s |\n", "body"),
        *(
            (HEAD + f"| /a.md | {number} | A | x | s |\n", "body")
            for number in ("", "2", "1.01", "-0", "nan", "٠", "1e-1")
        ),
    ],
)
def test_what_is_no_table_is_refused_and_names_the_peer(text: str, match: Match) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_table(text, match, PEER)
    assert caught.value.place == PEER
    assert "table" in caught.value.words


@pytest.mark.proves("WI6")
@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), max_size=20),
    st.text(max_size=60),
)
def test_every_path_comes_back_and_no_text_crashes(name: str, text: str) -> None:
    line = f"| {escape_cell('/' + name)}#anchor | 0.50 | {escape_cell(name)} |  |  |\n"
    (row,) = read_table(HEAD + line, "body", PEER)
    assert (row.path, row.anchor, row.title) == ("/" + name, "anchor", name)
    for start in ("", HEAD, HEAD + "| "):
        assert places(start + text) is not None


def places(text: str) -> list[str]:
    """The paths of a table, or who is to blame that there is none."""
    try:
        return [row.path for row in read_table(text, "body", PEER)]
    except ProtocolError as error:
        return [error.place]


@pytest.mark.proves("WI7")
@given(st.lists(plain_names, max_size=5), st.lists(names, max_size=5), st.text(max_size=30))
@example(["a](a) - b"], [], "")
@example(["a"], [], "x](a) - x")
def test_a_directory_is_read_as_it_was_written(documents: list[str], folders: list[str], title: str) -> None:
    stated = (
        *(
            Entry(f"/in/{name.replace('](', ']-')}/", "folder", "", 3)
            for name in folders
            if name.isprintable()
        ),
        *(
            Entry(f"/in/{name.replace('](', ']-')}", "document", " ".join(title.split()) or name, 1)
            for name in documents
        ),
        Entry("/in/tape.md", "binary", "", 1),
        Entry("/in/(not text)", "document", "(not text)", 1),
    )
    stated = tuple(entry for entry in stated if entry.title == " ".join(entry.title.split()))
    assert read_entries(write_entries(stated), "/in/", PEER) == stated


@pytest.mark.proves("WI7")
def test_a_name_that_its_line_cannot_hold_is_percent_encoded() -> None:
    text = write_entries([Entry("/a](a).md", "document", "A\nB", 1), Entry("/b\nc/", "folder", "", 1)])
    assert text == "- [a%5D(a).md](a%5D(a).md) - A B\n- [b%0Ac/](b%0Ac/) - 1 document\n"
    assert [entry.path for entry in read_entries(text, "/", PEER)] == ["/a%5D(a).md", "/b%0Ac/"]
    assert write_versions("/b\nc.md", [Version(1, "t", 2, "ab")]).startswith("- [v1](/b%0Ac.md/v1) - t")


@pytest.mark.proves("WI7")
def test_the_lines_of_another_server_are_read_with_what_they_have() -> None:
    text = "# Index\n\n- [a.md](a.md)\n- [deep dir/](deep dir/)\n- [b (c).md](b (c).md) - A title - of two\n"
    assert read_entries(text, "/", PEER) == (
        Entry("/a.md", "document", "a.md", 1),
        Entry("/deep dir/", "folder", "", 0),
        Entry("/b (c).md", "document", "A title - of two", 1),
    )
    lines = "- [v1](/a.md/v1) - 2026-01-05T00:00:00Z\n- [v2](https://x/a.md/v2) - 2026-01-06\n"
    assert read_versions(lines, PEER) == (
        Version(2, "2026-01-06", 0, ""),
        Version(1, "2026-01-05T00:00:00Z", 0, ""),
    )


@pytest.mark.proves("WI7")
@pytest.mark.parametrize(
    "line",
    [
        "a.md",
        "- a.md",
        "- [a.md]",
        "- [a.md](b.md)",
        "- [../a.md](../a.md)",
        "- [..](..)",
        "- [](])",
        "- [/](/)",
        "- [a](a)x",
        "- [a\x01](a\x01)",
        "- [" + "](" * 50000,
    ],
)
def test_a_line_that_lists_nothing_is_refused(line: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_entries(f"- [a.md](a.md)\n{line}\n", "/", PEER)
    assert caught.value.place == PEER


@pytest.mark.proves("WI7")
@pytest.mark.parametrize(
    "line",
    ["- [v0](/a/v0) - t", "- [v2](/a/v3) - t", "- [v1](/a/v1)", "- [v1](/a/v1) - t", "- [x](/a/x) - t", "v2"],
)
def test_a_line_that_is_no_version_or_one_twice_is_refused(line: str) -> None:
    with pytest.raises(ProtocolError):
        read_versions(f"- [v1](/a/v1) - t\n{line}\n", PEER)


@pytest.mark.proves("WI7")
@given(st.lists(st.integers(1, 10**9), unique=True, max_size=6), names, st.booleans())
def test_versions_are_read_as_they_were_written(numbers: list[int], name: str, pruned: bool) -> None:
    stated = tuple(
        Version(number, "2026-01-05T00:00:00Z", number, "0f" * 32, pruned)
        for number in sorted(numbers, reverse=True)
    )
    assert read_versions(write_versions(f"/{name}", stated), PEER) == stated
