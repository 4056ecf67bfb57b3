"""Where sections lie: own sections tile the body, and byte and character offsets agree."""

import pytest
from hypothesis import given

from mark_outline import Outline, outline, pieces
from tests.outline.documents import bodies, fixture_bodies

pytestmark = pytest.mark.proves("OL6")


def check(body: str, found: Outline) -> None:
    encoded = body.encode("utf-8", "surrogatepass")
    assert (found.size, found.chars) == (len(encoded), len(body))
    assert "".join(pieces(found, body)) == body
    for section in found.sections:
        own = body[section.char_start : section.char_own_end].encode("utf-8", "surrogatepass")
        assert own == encoded[section.start : section.own_end]
        whole = body[section.char_start : section.char_end]
        assert whole.encode("utf-8", "surrogatepass") == encoded[section.start : section.end]
        assert section.line == body.count("\n", 0, section.char_start)
        assert section.lines == whole.count("\n") + (not whole.endswith("\n"))


def check_tree(found: Outline) -> None:
    sections = found.sections
    for index, section in enumerate(sections):
        following = sections[index + 1 :]
        end = next((later.start for later in following if later.level <= section.level), found.size)
        assert section.end == end
        assert section.own_end == (following[0].start if following else found.size)
        assert section.last == index + 1 + sum(later.start < end for later in following)


@given(bodies)
def test_own_sections_tile_the_body_and_offsets_are_exact(body: str) -> None:
    found = outline(body)
    check(body, found)
    check_tree(found)


def test_real_documents_are_tiled_too() -> None:
    for body in fixture_bodies():
        check(body, outline(body))


@pytest.mark.proves("OL3")
@given(bodies)
def test_anchors_are_unique_and_each_is_found(body: str) -> None:
    found = outline(body)
    assert len({anchor.lower() for anchor in found.anchors()}) == len(found.sections)
    assert [found.find(anchor) for anchor in found.anchors()] == list(range(len(found.sections)))


def test_a_lone_surrogate_is_three_bytes() -> None:
    body = "\ud800\n# one\n"
    check(body, outline(body))


def test_a_section_starts_at_its_line_whatever_stands_before_the_sign() -> None:
    found = outline("\ufeff# one\n\n  - > ## two\n\ntext\n===\n")
    assert [section.char_start for section in found.sections] == [0, 8, 22]


def test_a_body_without_headings_is_one_piece() -> None:
    assert pieces(outline("text\n"), "text\n") == ["text\n"]
    assert pieces(outline(""), "") == [""]
