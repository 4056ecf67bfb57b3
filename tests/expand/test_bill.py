"""What each piece of a result cost: blocks by their parts, notes, relation lines, closing lines (EX1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mark_expand import Part
from mark_expand.bill import Charge, parts
from mark_outline import counter
from tests.expand.scenario import Doc, Row, expand, frame, world

UNIT = counter("o200k_base")
BODY = "# One\n\nA short text of its own.\n\n## Two\n\n" + "tide and salt " * 150
DOCS = world(
    Doc("/a.md", BODY, 3, {"rel-by": "/b.md, /gone.md"}),
    Doc("/b.md", "# B\n\nA text of some length that stands in two places.\n", 1),
    Doc("/c.md", "# B\n\nA text of some length that stands in two places.\n", 2),
)
ROWS = [
    Row("/a.md", "one"),
    Row("/a.md", "one"),
    Row("/b.md"),
    Row("/c.md"),
    Row("/a.md", "two"),
    Row("/x.md"),
]


@pytest.mark.proves("EX1")
def test_each_piece_is_charged_what_its_own_text_counts() -> None:
    result = expand(ROWS, DOCS, 400, unit=UNIT, head="status: ok\n\n| a |\n", listed=1)
    kinds = [(part.kind, part.location) for part in result.trace.parts]
    assert kinds == [
        ("head", ""),
        *[("header", "/a.md/v3#one"), ("text", "/a.md/v3#one"), ("remark", "/a.md/v3#one")],
        *[("relations", "/a.md/v3"), ("note", "/a.md/v3#one")],
        *[("header", "/b.md/v1#b"), ("text", "/b.md/v1#b")],
        *[("header", "/c.md/v2#b"), ("stub", "/c.md/v2#b")],
        *[("note", "/x.md"), ("note", "/gone.md")],
        *[("omissions", ""), ("count", "")],
    ]
    lines = [UNIT.count(f">>> {line}\n") for line in frame(result.text) if line.startswith("note: ")]
    notes = ("remark", "note", "omissions", "count")
    assert [part.tokens for part in result.trace.parts if part.kind in notes] == lines
    own = UNIT.count("# One\n\nA short text of its own.\n\n")
    stub = UNIT.count("same text as /b.md/v1#b\n\n")
    assert [part.tokens for part in result.trace.parts if part.kind in ("text", "stub")][::2] == [own, stub]
    assert sum(part.tokens for part in result.trace.parts) == UNIT.count(result.text) <= 400


@pytest.mark.proves("EX1")
@given(st.lists(st.integers(0, 50), max_size=30), st.sampled_from(["bytes", "o200k_base"]))
def test_tokens_of_charges_add_up_in_every_unit(units: list[int], encoding: str) -> None:
    unit = counter(encoding)
    made = parts([Charge("note", each, "/a.md") for each in units], unit)
    assert sum(part.tokens for part in made) == unit.tokens(sum(units))
    for part, each in zip(made, units, strict=True):
        assert unit.tokens(each) - 1 <= part.tokens <= unit.tokens(each)
    if encoding != "bytes":
        assert made == [Part("note", each, "/a.md") for each in units]
