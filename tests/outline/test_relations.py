"""Declared relations and their targets (R1), and which server a location belongs to (H6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import Rejected, Relation, authority, front_matter, relations, same_authority
from mark_outline.reference import resolve

REFERENCES = st.text(st.sampled_from("/.:#?%,@[]ab \t\u00a0é2Fmark"), max_size=20)


@pytest.mark.proves("R1")
def test_predicates_are_sorted_and_references_keep_their_order() -> None:
    found, dropped = relations("/d/a.md", {"rel-z": "/y.md, /x.md", "title": "T", "rel-b": "c.md#one#two"})
    assert found == (
        Relation("b", "/d/c.md", "one#two"),
        Relation("z", "/y.md", ""),
        Relation("z", "/x.md", ""),
    )
    assert dropped == ()


@pytest.mark.proves("R1")
def test_what_is_no_relation_is_dropped_with_a_reason() -> None:
    metadata = {"rel-": "/b.md", "rel-by": "two words.md, ./a.md#top, %61.md, /b.md"}
    found, dropped = relations("/a.md", metadata)
    assert found == (Relation("by", "/b.md", ""),)
    assert dropped == (
        Rejected("rel-", "/b.md", "empty predicate"),
        Rejected("rel-by", "two words.md", "whitespace in reference"),
        Rejected("rel-by", "./a.md#top", "self reference"),
        Rejected("rel-by", "%61.md", "self reference"),
    )


@pytest.mark.proves("R1")
def test_a_list_and_a_comma_string_are_the_same() -> None:
    texts = ("rel-by: /a.md, b.md#c", "rel-by: [/a.md, 'b.md#c']", "rel-by:\n- /a.md\n- b.md#c")
    found = {relations("/d.md", front_matter(f"---\n{text}\n---\n").metadata) for text in texts}
    assert len(found) == 1


@pytest.mark.proves("R1")
@pytest.mark.parametrize(
    ("source", "reference", "target"),
    [
        ("/d/s.md", "a.md", "/d/a.md"),
        ("/d/s.md", "../../../a.md", "/a.md"),
        ("/d/s.md", "./x/../y/.", "/d/y/"),
        ("/d/s.md", "x/..", "/d/"),
        ("/d/s.md", "..", "/"),
        ("/d/s.md", "/", "/"),
        ("s.md", "a.md", "/a.md"),
        ("/my d/s.md", "a.md", "/my%20d/a.md"),
        ("/d/s.md", "/灯%20é.md", "/灯%20é.md"),
        ("/d/s.md", "/%E7%81%AF.md", "/灯.md"),
        ("/d/s.md", "/a.md?x=1", "/a.md?x=1"),
        ("/d/s.md", "//host/a.md", "//host/a.md"),
        ("/d/s.md", "https://Web.example:443/../a b", "https://Web.example:443/../a b"),
        ("/d/s.md", "mailto:a@b.example", "mailto:a@b.example"),
        ("/d/s.md", "mark://u:p@Host:6309/../a.md?q", "mark://host/a.md"),
        ("/d/s.md", "MARK://host", "mark://host/"),
        ("/d/s.md", "mark://h:07000/a", "mark://h:7000/a"),
        ("/d/s.md", "mark://h:/a", "mark://h/a"),
        ("/d/s.md", "mark://h:0/a", "mark://h:0/a"),
        ("/d/s.md", "mark://h:99999/a", "mark://h:99999/a"),
        ("/d/s.md", "mark://h:" + "9" * 5000 + "/a", "mark://h:" + "9" * 5000 + "/a"),
        ("/d/s.md", "mark://[::1]:6309/a", "mark://[::1]/a"),
        ("mark://H:6309/d/s.md#top", "../a.md?q", "mark://h/a.md"),
        ("mark://h/d/s.md", "//other/a.md", "mark://other/a.md"),
        ("mark://h", "a.md", "mark://h/a.md"),
        ("https://h/d/s.md?q", "../a.md", "https://h/a.md"),
        ("urn:x", "a.md", "urn:a.md"),
        ("/d/s.md?q#f", "", "/d/s.md"),
    ],
)
def test_a_reference_is_resolved(source: str, reference: str, target: str) -> None:
    assert resolve(source, reference) == target


@pytest.mark.proves("R1")
@given(REFERENCES, REFERENCES)
def test_any_reference_is_a_relation_or_dropped(source: str, value: str) -> None:
    found, dropped = relations(source, {"rel-x": value})
    assert len(found) + len(dropped) == sum(1 for part in value.split(",") if part.strip())
    assert all(
        resolve(source, relation.target) == relation.target for relation in found if ":" in relation.target
    )


@pytest.mark.proves("H6")
@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("/a.md", ""),
        ("a.md", ""),
        ("//host/a.md", ""),
        ("mark://Host:6309/a.md", "host"),
        ("mark://host:7000", "host:7000"),
        ("mark://h:x/a", "mark://h:x"),
        ("https://Web.example/a", "https://web.example"),
        ("mailto:a@b", "mailto:"),
    ],
)
def test_the_authority_of_a_location(location: str, name: str) -> None:
    assert authority(location) == name


@pytest.mark.proves("H6")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/a", "/b", True),
        ("mark://h:6309/a", "mark://H/b", True),
        ("mark://h/a", "/a", False),
        ("mark://h/a", "mark://h:7000/a", False),
        ("mark://h/a", "https://h/a", False),
        ("https://h/a", "https://h/a", False),
        ("mark://h:0/a", "mark://h:0/a", False),
    ],
)
def test_locations_on_one_server(one: str, other: str, same: bool) -> None:
    assert same_authority(one, other) is same
