"""The examples of docs/outline.md run."""

import doctest

from tests.conftest import REPO


def test_the_page_s_examples_give_what_they_say() -> None:
    outcome = doctest.testfile(str(REPO / "docs" / "outline.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted == 8
    assert outcome.failed == 0
