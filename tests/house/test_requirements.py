"""The manifest and the tests name the same rules: no rule without a test, no test of an unknown rule."""

import ast
import re
import tomllib
from collections.abc import Iterator

import pytest

from tests.house.sources import REPO, Module, modules, parse

RULE = re.compile(r"[A-Z]{1,2}[1-9][0-9]?")


def manifest() -> dict[str, dict[str, str]]:
    """The sections of `tests/requirements.toml`: rule id to sentence."""
    return tomllib.loads((REPO / "tests" / "requirements.toml").read_text(encoding="utf-8"))


def known() -> set[str]:
    return {rule for section in manifest().values() for rule in section}


def proved(module: Module) -> Iterator[str]:
    """What the `pytest.mark.proves(...)` calls of a test module name; read, not imported."""
    if not module.path.name.startswith("test_"):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.proves"):
            yield from (_literal(argument) for argument in node.args)


def _literal(argument: ast.expr) -> str:
    """The id itself, or the source of an argument that is no string literal (and so no known id)."""
    is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return ast.literal_eval(argument) if is_text else ast.unparse(argument)


def test_every_rule_has_a_test() -> None:
    assert sorted(known() - {rule for module in modules() for rule in proved(module)}) == []


def test_no_test_names_an_unknown_rule() -> None:
    strangers = [
        f"{module.path}: {rule}" for module in modules() for rule in proved(module) if rule not in known()
    ]
    assert strangers == []


def test_ids_are_well_formed_and_in_one_section_only() -> None:
    ids = [rule for section in manifest().values() for rule in section]
    assert [rule for rule in ids if not RULE.fullmatch(rule)] == []
    assert len(ids) == len(set(ids))


def test_every_rule_is_one_sentence() -> None:
    sentences = {rule: text for section in manifest().values() for rule, text in section.items()}
    assert [rule for rule, text in sentences.items() if not re.fullmatch(r"[A-Z`].+[^.]\.", text)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@pytest.mark.proves('B1', 'B2')\ndef test_a(): ...", ["B1", "B2"]),
        ("pytestmark = [pytest.mark.anyio, pytest.mark.proves('H1')]", ["H1"]),
        ("CASES = [pytest.param(1, marks=pytest.mark.proves('X1'))]", ["X1"]),
        ("@pytest.mark.proves(RULE, *RULES)\ndef test_a(): ...", ["RULE", "*RULES"]),
        ("SOURCE = \"@pytest.mark.proves('B1')\"", []),
    ],
)
def test_marks_are_read_from_the_source(text: str, found: list[str]) -> None:
    assert list(proved(parse("tests/test_a.py", text))) == found
    assert list(proved(parse("tests/conftest.py", text))) == []
