"""The policy that docs/extending.md shows works as it stands there, from outside of the package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mark_expand
from mark_expand import Candidate, Filling, Policy, Selection, SelectionLimits
from tests.conftest import REPO

PAGE = REPO / "docs" / "extending.md"


def shown(kind: str) -> str:
    """The first block of a kind on the page."""
    found = re.search(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.mark.proves("PO19")
def test_the_worked_example_prints_what_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "turns.py").write_text(shown("python"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "turns.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shown("text")


@pytest.mark.proves("PO19")
def test_the_worked_example_imports_only_public_names() -> None:
    imports = re.findall(r"^from (\S+) import \(?([^)]*?)\)?\n\n", shown("python"), re.MULTILINE | re.DOTALL)
    names = {
        name for module, found in imports if module == "mark_expand" for name in re.findall(r"\w+", found)
    }
    assert names
    assert names <= set(mark_expand.__all__)
    assert {module for module, _ in imports} == {"collections.abc", "mark_expand"}


@pytest.mark.proves("PO19")
def test_what_a_policy_never_offers_is_skipped_and_still_in_the_trace() -> None:
    class OnlyTheFirst:
        def select(self, candidates: list[Candidate], limits: SelectionLimits) -> Selection:
            filling = Filling(candidates, limits)
            for item in filling.open[:1]:
                assert filling.offer(item)
                assert filling.offer(item), "a decision stays"
            return filling.selection()

    given = [Candidate("docs", f"/{number}.md", f"Text {number}.", rank=number) for number in (1, 2)]
    policy: Policy = OnlyTheFirst()  # type: ignore[assignment]  # a list is narrower than a sequence
    selection = policy.select(given, SelectionLimits(100))
    assert [(entry.location, entry.outcome) for entry in selection.trace.entries] == [
        ("/1.md", "printed"),
        ("/2.md", "skipped"),
    ]
