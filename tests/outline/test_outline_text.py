"""The outline as text, and the trail down to a section (OL8)."""

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from mark_outline import outline
from tests.outline.documents import bodies

pytestmark = pytest.mark.proves("OL8")

BODY = "# Billing\n\nHow we\nbill.\n\n## Storage\n\n#### Cold\n\n## Traffic\n\n# Support\n"


def test_the_tree_has_one_line_a_heading() -> None:
    assert outline(BODY).render() == snapshot("""\
- Billing (#billing, 11 lines)
  - Storage (#storage, 4 lines)
      - Cold (#cold, 2 lines)
  - Traffic (#traffic, 2 lines)
- Support (#support, 1 lines)
""")


def test_the_outline_of_a_body_adds_opening_and_advice() -> None:
    assert outline(BODY).render_body("/b.md") == snapshot("""\
- Billing (#billing, 11 lines)
  - Storage (#storage, 4 lines)
      - Cold (#cold, 2 lines)
  - Traffic (#traffic, 2 lines)
- Support (#support, 1 lines)

How we
bill.

fetch /b.md#<anchor> for a section; force=true for the full body
""")


def test_a_body_without_headings_says_so() -> None:
    assert outline("").render_body("/b.md") == snapshot("""\
(document has no headings)

fetch /b.md#<anchor> for a section; force=true for the full body
""")


def test_the_opening_is_the_first_paragraph_in_no_container() -> None:
    assert outline("# A\n\n- x\n\n> q\n\n[r]: /s\n\n real\n  text  \n\nmore\n").opening == "real\n  text"


def test_a_trail_names_the_headings_above() -> None:
    found = outline(BODY)
    assert found.trails() == [
        ("Billing",),
        ("Billing", "Storage"),
        ("Billing", "Storage", "Cold"),
        ("Billing", "Traffic"),
        ("Support",),
    ]


@given(bodies)
def test_one_trail_is_the_same_as_all_trails(body: str) -> None:
    found = outline(body)
    assert [found.trail(index) for index in range(len(found.sections))] == found.trails()
