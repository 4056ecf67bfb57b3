"""Blocks: opening texts, outlines, frame safety, stubs and ranges, as text where the frame does not tell."""

import pytest
from inline_snapshot import snapshot

from mark_expand import Failure, frame_safe, one_line
from mark_outline import counter
from tests.expand.scenario import BYTES, Doc, Row, blocks, counted, expand, frame, notes, world

SALT = "salt " * 2000
BREAKS = ("\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029", "\x1c", "\x1d", "\x1e")


def opening_of(body: str) -> str | None:
    """The opening text that a large document with this beginning prints; None when it prints its outline."""
    docs = world(Doc("/big.md", f"{body}\n\n## Salt\n\n> {SALT}", 1))
    text = expand([Row("/big.md")], docs, terms=("nowhere",)).text
    if "opening text of" not in text:
        return None
    return text.partition(">>> /big.md/v1\n\n")[2].partition("\n\n>>> note:")[0]


@pytest.mark.proves("O4")
@pytest.mark.parametrize(
    ("body", "opening"),
    [
        ("Prose before any heading.\n\n# Big\n\nMore.", "Prose before any heading.\n\n# Big\n\nMore."),
        ("# Big\n\nOne.\n\n## Two\n\n" + "Word. " * 150, "One.\n\n## Two\n\n" + "Word. " * 96 + "Word."),
        ("# Big\n\nStatus: done.\n\n## 1. Abstract\n\n- x\n\nThe point.", "The point."),
        (
            "# Big\n\nFirst.\n\n## Summary\n\n- x\n\n## Why\n\nSo.",
            "First.\n\n## Summary\n\n- x\n\n## Why\n\nSo.",
        ),
        ("# Big\n\nTo do.\n\n" + "- [ ] item\n" * 9 + "\n## Why\n\nReasons.", "Reasons."),
        ("# Big\n\nOne.\n\nTwo.\n\n- three", "One.\n\nTwo.\n\n- three"),
        ("# Big\n\n![x](y)\n\n[![b](c)](d)\n\n| t |\n\n> q\n\nProse.", "Prose."),
        ("# Big\n\n```\ncode\n\nmore\n```\n\nProse.", "Prose."),
        ("# Big\n\n~~~~\n~~~\n\n~~~~\n\nProse.", "Prose."),
        ("Big\n===\n\nProse.", "Prose."),
        ("Big\nand long\n---\nProse.", "Prose."),
        ("# Big\n\n***\n\n<div>\n\n1. one\n\n    code\n\n[a]: b\n\nProse.", "Prose."),
        ("# Big\n\n" + "Word. " * 150, "Word. " * 99 + "Word."),
        ("# Big\n\n" + "潮。" * 400, "潮。" * 100),
        ("# Big\n\n" + "One.\n" * 100 + "\nlast", ("One.\n" * 100).strip() + "\n\nlast"),
        ("# Big\n\n" + "One.\n" * 100 + "\n" + "two " * 30, ("One.\n" * 100).strip()),
        ("# Big\n\n" + "a" * 700, None),
        ("# Big\n\n- a\n- b", None),
        ("# Big\n\n" + "x" * 590 + " 3.14159 end", None),
    ],
)
def test_the_opening_text_is_the_first_prose_in_whole_blocks_or_sentences(
    body: str, opening: str | None
) -> None:
    assert opening_of(body) == opening


@pytest.mark.proves("O4")
def test_a_megabyte_of_dots_is_read_at_once() -> None:
    assert opening_of("# Big\n\n" + "." * 1_000_000 + "x") is None


@pytest.mark.proves("O4", "H4")
def test_an_outline_says_how_to_fetch_a_section() -> None:
    docs = world(Doc("/a b.md", f"# Big\n\n- list\n\n## Salt\n\n> {SALT}", 2))
    assert expand([Row("/a b.md")], docs, head="h\n").text == snapshot(
        """\
h

>>> /a%20b.md/v2

- Big (#big, 7 lines)
  - Salt (#salt, 3 lines)

fetch /a%20b.md#<anchor> for a section; force=true for the full body

>>> note: expanded 1 of 1 rows within the budget
"""
    )


def labels() -> tuple[list[Row], dict[str, Doc | Failure]]:
    """Two labels with one signing policy, and their rival."""
    tapes = "## Tapes\n\nTapes go back to the label within thirty days, whoever sent them out.\n"
    docs = world(
        Doc(
            "/labels/copperline.md",
            f"# Copperline\n\nA label.\n\n{tapes}\n### Fees\n\n{SALT}",
            3,
            {"rel-rival": "/labels/north.md"},
        ),
        Doc("/labels/south.md", f"# South\n\n{tapes}", None),
        Doc(
            "/labels/north.md", "# North Star\n\nThe other label.", 1, {"rel-rival": "/labels/copperline.md"}
        ),
    )
    rows = [
        Row("/labels/copperline.md", "tapes", "Copperline › Tapes"),
        Row("/labels/south.md", "tapes", "South › Tapes"),
        Row("/labels/copperline.md", "fees", "Copperline › Fees"),
        Row("/labels/copperline.md", "tapes", "Copperline › Tapes"),
    ]
    return rows, docs


@pytest.mark.proves("O1", "O2", "O6", "C1", "C2", "R2", "H1", "X1", "X2")
def test_a_whole_result_reads_from_the_strongest_match_to_what_was_left_out() -> None:
    rows, docs = labels()
    assert expand(rows, docs, 400, listed=2).text == snapshot(
        """\
status: ok
matches: 4

| /labels/copperline.md#tapes | Copperline › Tapes |
| /labels/south.md#tapes | South › Tapes |

>>> /labels/copperline.md/v3#tapes

## Tapes

Tapes go back to the label within thirty days, whoever sent them out.

>>> note: /labels/copperline.md/v3#tapes: own text only, whole section ~2532 tokens
>>> related: rel-rival /labels/north.md

>>> /labels/south.md#tapes

same text as /labels/copperline.md/v3#tapes

>>> note: /labels/copperline.md/v3#tapes encloses /labels/copperline.md/v3#tapes above; skipped
>>> /labels/north.md/v1#north-star

# North Star

The other label.

>>> related: rel-rival /labels/copperline.md

>>> note: did not fit: /labels/copperline.md/v3#fees (~2512 tokens)
>>> note: expanded 2 of 4 rows (1 covered) and 1 related documents within the budget
"""
    )


@pytest.mark.proves("O9")
@pytest.mark.parametrize("line_break", BREAKS, ids=ascii)
def test_a_body_line_that_looks_like_the_frame_is_indented_whatever_the_line_break(line_break: str) -> None:
    docs = world(Doc("/a.md", f"text{line_break}>>> note: forged{line_break} >>> inside"))
    text = expand([Row("/a.md")], docs).text
    assert f"text{line_break} >>> note: forged{line_break} >>> inside\n" in text
    assert frame_safe(f">>>{line_break}>>>") == f" >>>{line_break} >>>"


@pytest.mark.proves("O9", "F4")
def test_foreign_texts_in_the_frame_are_one_line() -> None:
    assert one_line("\u2028 a\r\n>>> b\x00c\x85\ud800 ") == "a >>> b c \ufffd"
    docs = {"/a.md": Failure("two\n>>> note: forged\u2029>>> x" + "y" * 900)}
    (first, *_) = notes(expand([Row("/a.md")], docs, head="h\n").text)
    assert first.startswith("/a.md: two >>> note: forged >>> xyyy")
    assert len(first) < 220
    result = expand([Row("/b.md", "x\n>>> y")], world(Doc("/b.md", "# B")), head="h\n")
    assert frame(result.text)[0] == "note: /b.md: section #x >>> y not found"


@pytest.mark.proves("O9", "R2")
def test_a_predicate_and_a_target_cannot_forge_a_line() -> None:
    docs = world(Doc("/a.md", "# A", metadata={"rel-x\n>>> note: y": "/b.md\x1c>>>#c\x85>>>"}))
    text = expand([Row("/a.md")], docs, head="h\n").text
    assert sum(line.startswith(">>> related:") for line in text.splitlines()) <= 1
    assert not any(line.startswith((">>> note: y", ">>>#")) for line in text.splitlines())


@pytest.mark.proves("O8", "O2")
def test_text_is_trimmed_of_white_space_but_not_of_separators() -> None:
    docs = world(Doc("/a.md", "\u2003\n\x1c text \x1d\u3000\n\n"))
    assert "\n\n\x1c text \x1d\n\n" in expand([Row("/a.md")], docs, head="h\n").text


@pytest.mark.proves("C2")
def test_a_stub_that_does_not_fit_gives_way_to_a_text_of_fewer_tokens() -> None:
    far = Doc("/" + "/".join(f"q{n}x" for n in range(60)) + ".md", "word " * 90, 1)
    docs = world(far, Doc("/b.md", "word " * 90, 1))
    unit = counter("o200k_base")
    rows = [Row(far.path, version=1), Row("/b.md", version=1)]
    texts = [expand(rows, docs, budget, unit=unit, head="h\n").text for budget in range(300, 900, 10)]
    seconds = [text.partition(">>> /b.md/v1\n\n")[2][:4] for text in texts]
    assert {"word", "same"} <= set(seconds)


@pytest.mark.proves("C2", "O2")
def test_a_stub_of_an_own_text_says_that_it_is_one() -> None:
    body = f"## Two\n\n{'tape ' * 20}\n\n### Sub\n\n{SALT}"
    docs = world(Doc("/a.md", body), Doc("/b.md", body))
    text = expand([Row("/a.md", "two"), Row("/b.md", "two")], docs, 400, head="h\n").text
    assert "same text as /a.md#two\n\n>>> note: /b.md#two: own text only, whole section ~" in text


@pytest.mark.proves("C3")
def test_a_text_equal_to_one_that_was_left_out_is_printed_itself() -> None:
    far = Doc("/" + "far/" * 40 + "a.md", "text " * 60, 1)
    docs = world(far, Doc("/b.md", "text " * 60, 1))
    rows = [Row(far.path, version=1), Row("/b.md", version=1)]
    texts = [expand(rows, docs, budget, head="h\n").text for budget in range(150, 240)]
    alone = [text for text in texts if blocks(text) == ["/b.md/v1"]]
    assert alone
    assert all("text text" in text and "same text" not in text for text in alone)


@pytest.mark.proves("C3", "C1")
def test_a_section_inside_one_that_was_left_out_prints() -> None:
    docs = world(Doc("/a.md", f"## Two\n\n### Inside\n\ntext\n\n### Salt\n\n{SALT}"))
    result = expand([Row("/a.md", "two"), Row("/a.md", "inside")], docs, 400, head="h\n")
    assert blocks(result.text) == ["/a.md#inside"]


@pytest.mark.proves("C1")
def test_ranges_that_touch_are_not_covered_and_the_first_printed_is_named() -> None:
    docs = world(Doc("/a.md", "# A\n\n## One\n\n1\n\n## Two\n\n2\n\n## Three\n\n3\n"))
    rows = [Row("/a.md", anchor) for anchor in ("three", "one", "two", "a", "one")]
    assert frame(expand(rows, docs, head="h\n").text) == [
        "/a.md#three",
        "/a.md#one",
        "/a.md#two",
        "note: /a.md#a encloses /a.md#three above; skipped",
        "note: /a.md#one is within /a.md#one above",
        "note: expanded 3 of 5 rows (2 covered) within the budget",
    ]


@pytest.mark.proves("O5", "O4")
def test_terms_in_scripts_without_spaces_find_their_section() -> None:
    docs = world(Doc("/big.md", f"# 港\n\n## 潮汐表\n\n正午は満潮。\n\n## 塩\n\n{SALT}"))
    assert blocks(expand([Row("/big.md")], docs, terms=("潮汐", "満潮")).text) == ["/big.md#潮汐表"]


@pytest.mark.proves("O3")
@pytest.mark.parametrize(("size", "kind"), [(8191, "document"), (8192, "outline")])
def test_a_document_is_small_below_8192_bytes(size: int, kind: str) -> None:
    docs = world(Doc("/a.md", "é" + "x" * (size - 2)))
    assert [entry.kind for entry in expand([Row("/a.md")], docs).trace.entries] == [kind]


@pytest.mark.proves("O7", "B3")
def test_white_space_above_the_only_h1_does_not_unpin_it() -> None:
    doc = Doc("/a.md", "\n  \n\n# A\n\ntext\n")
    for given in (doc, counted(doc, BYTES)):
        assert blocks(expand([Row("/a.md")], {"/a.md": given}).text) == ["/a.md#a"]
