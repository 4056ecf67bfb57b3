"""The house rules hold for every module, and each of them catches the violation that it is there for."""

import pytest

from tests.house import rules
from tests.house.sources import Module, modules, parse

DOC = '"""Why."""\n'
LONG_BODY = "\n".join(f"    x = {number}" for number in range(rules.FUNCTION_LINES))

# rule, path of the offender, its text
OFFENDERS = [
    (rules.files_are_short, "store/mark_store/folder.py", "\n" * (rules.CODE_LINES + 1)),
    (rules.files_are_short, "tests/test_folder.py", "\n" * (rules.TEST_LINES + 1)),
    (rules.functions_are_short, "bench/scale.py", f"def long():\n{LONG_BODY}"),
    (rules.functions_are_short, "tests/test_scale.py", f"class A:\n  async def long(self):\n{LONG_BODY}"),
    (rules.positional_parameters_are_few, "store/mark_store/wire.py", "def f(a, b, c, d, e, /, f, g): ..."),
    (rules.names_are_the_field_s_nouns, "store/mark_store/utils.py", DOC),
    (rules.names_are_the_field_s_nouns, "store/mark_store/common/wire.py", DOC),
    (rules.names_are_the_field_s_nouns, "server/mark_server/http_helpers.py", DOC),
    (rules.modules_say_why_they_exist, "expand/mark_expand/hop.py", "x = 1"),
    (rules.modules_say_why_they_exist, "tests/test_hop.py", '""" """'),
    (rules.errors_are_caught_by_name, "bench/a.py", "try: f()\nexcept: pass"),
    (rules.errors_are_caught_by_name, "bench/a.py", "try: f()\nexcept (OSError, Exception) as e: pass"),
    (rules.errors_are_caught_by_name, "bench/a.py", "with contextlib.suppress(Exception): f()"),
    (rules.tests_wait_for_a_condition, "tests/test_a.py", "time.sleep(0.1)"),
    (rules.tests_wait_for_a_condition, "tests/test_a.py", "async def f(): await anyio.sleep(delay=1)"),
    (rules.tests_wait_for_a_condition, "tests/test_a.py", "from time import sleep\nsleep(PAUSE)"),
    (rules.pure_packages_do_no_io, "outline/mark_outline/a.py", "import os.path"),
    (rules.pure_packages_do_no_io, "expand/mark_expand/a.py", "from urllib import request"),
    (rules.pure_packages_do_no_io, "expand/mark_expand/a.py", "def f():\n    from pathlib import Path"),
    (rules.pure_packages_do_no_io, "expand/mark_expand/a.py", "with open('x') as file: ..."),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # noqa"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # noqa: S603"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # noqa: S603, S607, E501"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # type: ignore[misc]"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # type: ignore # because of that"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # why it is  # pragma: no cover"),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "# mypy: ignore-errors"),
]
# what the rules must let pass
NEIGHBOURS = [
    (rules.errors_are_caught_by_name, "bench/a.py", "try: f()\nexcept (OSError, ValueError): pass"),
    (
        rules.positional_parameters_are_few,
        "bench/a.py",
        "class A:\n  def f(self, a, b, c, d, e, f, *, g): ...",
    ),
    (rules.pure_packages_do_no_io, "outline/mark_outline/a.py", "from urllib.parse import quote"),
    (rules.pure_packages_do_no_io, "store/mark_store/a.py", "import os"),
    (
        rules.suppressions_have_code_and_reason,
        "bench/a.py",
        "x = 1  # noqa: S603, S607 - the command is ours",
    ),
    (
        rules.suppressions_have_code_and_reason,
        "bench/a.py",
        "x = 1  # type: ignore[misc]  # the stub is wrong",
    ),
    (rules.suppressions_have_code_and_reason, "bench/a.py", "x = 1  # pragma: no cover - only on Windows"),
    (rules.tests_wait_for_a_condition, "tests/test_a.py", "async def f(delay): await anyio.sleep(delay)"),
    (rules.tests_wait_for_a_condition, "store/mark_store/a.py", "time.sleep(1)"),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_every_module_keeps_the_rule(rule: rules.Rule) -> None:
    violations = [f"{module.path} {sentence}" for module in modules() for sentence in rule(module)]
    assert violations == []


@pytest.mark.parametrize(("rule", "path", "text"), OFFENDERS)
def test_a_rule_catches_its_offender(rule: rules.Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text)))


@pytest.mark.parametrize(("rule", "path", "text"), NEIGHBOURS)
def test_a_rule_leaves_the_neighbour_alone(rule: rules.Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text))) == []


def test_every_rule_is_known_to_catch_something() -> None:
    assert {rule for rule, _, _ in OFFENDERS} == set(rules.RULES)


def test_the_checks_read_all_packages_and_themselves() -> None:
    def folder(module: Module) -> str:
        return module.path.parts[0]

    assert {folder(module) for module in modules()} == {
        "outline",
        "store",
        "expand",
        "server",
        "bench",
        "tests",
    }
