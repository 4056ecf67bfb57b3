"""The titles and explicit ids of headings."""

import pytest

from mark_outline import outline, slugify
from mark_outline.heading_text import LONGEST_MARKED
from mark_outline.titles import MOST_MARKUP
from tests.outline.cases import Case, cases


@pytest.mark.proves("OL2", "OL3", "OL4")
@pytest.mark.parametrize("case", cases("titles"))
def test_titles_and_anchors(case: Case) -> None:
    found = outline(case.given).sections
    assert [f"{section.anchor} {section.title}" for section in found] == case.wanted


@pytest.mark.proves("OL4")
def test_a_section_keeps_the_slug_that_its_title_gives() -> None:
    [section] = outline("# Setup Guide {#install}\n").sections
    assert (section.anchor, section.slug) == ("install", "setup-guide")


@pytest.mark.proves("OL4")
def test_attributes_of_a_thousand_characters_are_text() -> None:
    [section] = outline(f"# a {{#b .{'x' * 1000}}}\n").sections
    assert section.title.startswith("a {#b")


@pytest.mark.proves("OL7")
def test_a_long_heading_keeps_its_markup_as_written() -> None:
    short, long = "*a* " * 10 + "b", "*a* " * LONGEST_MARKED + "b"
    titles = [section.title for section in outline(f"# {short}\n# {long}\n").sections]
    assert titles == ["a " * 10 + "b", long]


@pytest.mark.proves("OL7")
def test_a_heading_of_many_brackets_keeps_them_as_written() -> None:
    [section] = outline(f"# {'[' * 200} *a*\n").sections
    assert section.title == "[" * 200 + " *a*"


@pytest.mark.proves("OL7")
def test_after_much_markup_in_one_document_titles_stay_as_written() -> None:
    line = f"# *{'a' * 400}*\n"
    titles = [section.title for section in outline(line * (MOST_MARKUP // 400)).sections]
    assert titles[0] == "a" * 400
    assert titles[-1] == f"*{'a' * 400}*"


@pytest.mark.proves("OL3")
def test_a_slug_drops_what_is_no_letter_number_or_blank() -> None:
    assert slugify("  What's *New*?\u00a0\u2028_x_ \u001f-- ") == "--whats-new--_x_----"
