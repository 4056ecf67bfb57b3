"""Finding a section by what a reader wrote (OL5)."""

import pytest

from mark_outline import outline
from tests.outline.cases import Case, cases

pytestmark = pytest.mark.proves("OL5")


@pytest.mark.parametrize("case", cases("finding"))
def test_the_section_that_is_meant(case: Case) -> None:
    body, _, wanted = case.given.partition("\n?\n")
    found = outline(body)
    places = [found.find(line.removeprefix("?")) for line in wanted.removesuffix("\n").split("\n")]
    assert ["-" if place is None else found.sections[place].anchor for place in places] == case.wanted
