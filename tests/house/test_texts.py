"""Texts of the repository: nothing about the machine they were written on, and pages that stay short."""

import re
import tomllib
from collections.abc import Iterator

import pytest

from tests.house.sources import REPO, texts, tracked

# The bracketed letters keep this file from matching itself.
MACHINE = re.compile(
    r"(?<![\w.-])/[w]ork/|/[t]mp/w\b|(?<![\w./-])/(?:[h]ome|[U]sers)/\w+|(?<![\w.-])/[r]oot/"
    r"|\b(?:[p]ypi\.org|[p]ythonhosted\.org|[r]egistry\.npmjs\.org|[c]rates\.io|[p]roxy\.golang\.org"
    r"|[m]aven\.org|[m]aven\.apache\.org|[d]eb\.debian\.org)\b"
)
CONSTRAINT = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.+!]+")
DECISION_LINES = 40
CONTRIBUTING_LINES = 100


def machine_names(text: str) -> Iterator[str]:
    yield from (found[0] for found in MACHINE.finditer(text))


def constraints() -> list[str]:
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_no_text_names_a_machine_a_home_folder_or_a_registry() -> None:
    assert [f"{path}: {name}" for path, text in texts() for name in machine_names(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "see /" + "work/main",
        "'/" + "tmp/w/x'",
        "/" + "home/ann/a.md",
        "=/" + "root/x",
        "https://files.python" + "hosted.org/a",
    ],
)
def test_such_a_name_is_found(text: str) -> None:
    assert list(machine_names(text))


@pytest.mark.parametrize(
    "text", ["/art/" + "work/", "/" + "home.md", "/var/x", "mark://host/" + "home/a.md", "/" + "work.md"]
)
def test_an_ordinary_path_is_not_taken_for_one(text: str) -> None:
    assert list(machine_names(text)) == []


def test_decisions_fit_forty_lines_and_contributing_a_hundred() -> None:
    limits = {path: DECISION_LINES for path in tracked() if path.parts[:2] == ("docs", "decisions")}
    limits |= {path: CONTRIBUTING_LINES for path in tracked() if path.name == "CONTRIBUTING.md"}
    assert any(path.name == "CONTRIBUTING.md" for path in limits)
    lines = {path: len((REPO / path).read_text(encoding="utf-8").splitlines()) for path in limits}
    assert [f"{path}: {lines[path]} lines" for path in limits if lines[path] > limits[path]] == []


def test_constraints_are_exact_versions_in_order() -> None:
    assert [line for line in constraints() if not CONSTRAINT.fullmatch(line)] == []
    assert constraints() == sorted(constraints(), key=str.upper)


def test_every_dependency_is_constrained() -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    # Registries take `-` and `_` for one; an extra may name the project itself.
    names = {re.split(r"[^\w.-]", line)[0].lower() for line in wanted} - {"marklookup"}
    known = {line.partition("==")[0].lower().replace("_", "-") for line in constraints()}
    assert names - known == set()
