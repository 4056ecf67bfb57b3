"""Which lines of a body open sections: a table of cases, and markdown-it-py's own parser beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mark_outline import outline
from mark_outline.blocks import parse_blocks
from tests.outline.cases import Case, cases

LINES = (
    *("", " ", "text", "text", "# one", "## two ##", "   # three", "    # code", "#no", "####### no", "#"),
    *(
        "===",
        "---",
        "-",
        "=",
        "***",
        "* * *",
        "```",
        "````",
        "~~~ x",
        "``` a`b",
        "- item",
        "- # one",
        "+",
        "* a",
    ),
    *("1. # one", "2) a", "1.", "10. a", "  - sub", "   cont", "> # one", "> text", ">", "> - a", "\tcode"),
    *(
        "-\t# one",
        "<div>",
        "</div>",
        "<b>",
        "<!-- c",
        "-->",
        "<script>",
        "</script>",
        "<?x",
        "?>",
        "<!X",
        "<![CDATA[",
    ),
    *("[x]: /y", "[x]:", "'title'", "[x]: /y 't", "[x]", "|-|-|", "a\\", "é", "🚀"),
)


@pytest.mark.proves("OL1")
@pytest.mark.parametrize("case", cases("headings"))
def test_the_lines_that_open_sections(case: Case) -> None:
    found = outline(case.given).sections
    assert [f"{section.level} {section.title} {section.line}" for section in found] == case.wanted


@pytest.mark.proves("OL1")
@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
def test_the_short_cut_decides_as_markdown_it_does(body: str) -> None:
    tokens = MarkdownIt("commonmark").parse(body)
    stock = [(int(t.tag[1]), t.map[0]) for t in tokens if t.type == "heading_open" and t.map]
    assert [(heading.level, heading.line) for heading in parse_blocks(body).headings] == stock


@pytest.mark.proves("OL1")
@given(st.text(st.sampled_from("#=-*+>` \t\n\r\0[]()<!\\1.ab\ufeff\u2028é🚀{}~_:'\"/")))
def test_no_text_is_too_odd(body: str) -> None:
    assert all(1 <= section.level <= 6 and section.title for section in outline(body).sections)


@pytest.mark.proves("OL1")
def test_lazy_lines_keep_their_indentation_in_quotes_within_quotes() -> None:
    assert [section.title for section in outline(">> a\n    # b\n> > ===\n").sections] == ["a# b"]
