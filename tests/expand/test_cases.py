"""The readable cases of `fixtures/cases/expansion.md`, one test each."""

from pathlib import Path

import pytest

from tests.conftest import REPO
from tests.expand.cases import Case, read
from tests.expand.scenario import shown

CASES = tuple(read(REPO / "fixtures" / "cases" / "expansion.md"))
PROVED = "B4 B6 C1 C2 C3 F1 F3 F4 F5 H1 H2 H3 H4 H5 H6 O1 O2 O3 O4 O6 O7 O8 O9 R1 R2 X1 X2 X3"


@pytest.mark.proves("B4", "B6", "C1", "C2", "C3", "F1", "F3", "F4", "F5", "H1", "H2", "H3", "H4", "H5", "H6")
@pytest.mark.proves("O1", "O2", "O3", "O4", "O6", "O7", "O8", "O9", "R1", "R2", "X1", "X2", "X3")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_frame_of_a_case_is_the_one_written_down(case: Case) -> None:
    assert case.frame
    assert shown(case.run().text) == case.frame


def test_the_cases_are_many_and_show_every_rule_that_they_prove() -> None:
    assert len(CASES) >= 40
    assert {rule for case in CASES for rule in case.shows} == set(PROVED.split())


def test_a_document_inside_a_case_may_hold_headings(tmp_path: Path) -> None:
    file = tmp_path / "cases.md"
    file.write_text("## T\n\n~~~~ask\nshows: O1\nrow: /a.md\n~~~~\n\n~~~~/a.md\n# A\n\n## B\n~~~~\n")
    (case,) = read(file)
    assert case.run().text.count("## B") == 1
