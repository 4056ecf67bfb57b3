"""What a package exports is exactly what its `__init__` brings in: nothing forgotten, nothing invented."""

import ast
import importlib

import pytest

from tests.house.sources import PACKAGES, REPO


def order(name: str) -> tuple[bool, bool, str]:
    """The order that ruff keeps (RUF022): constants, classes, then the rest."""
    return len(name) == 1 or not name.isupper(), not name[:1].isupper(), name


def brought_in(package: str, source: str) -> set[str]:
    """Public names that an `__init__` imports from its own package or defines itself."""
    names: set[str] = set()
    for node in ast.parse(source).body:
        match node:
            case ast.ImportFrom(module=module, names=aliases, level=level):
                if level or (module or "").partition(".")[0] == package:
                    names |= {alias.asname or alias.name for alias in aliases}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("_")}


def exported(package: str) -> list[str]:
    return list(getattr(importlib.import_module(package), "__all__", []))


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_in_order_and_names_nothing_twice(package: str) -> None:
    assert exported(package) == sorted(set(exported(package)), key=order)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_exists(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in exported(package) if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_exactly_what_the_package_brings_in(package: str) -> None:
    source = (REPO / PACKAGES[package] / package / "__init__.py").read_text(encoding="utf-8")
    assert set(exported(package)) == brought_in(package, source)


def test_an_import_of_something_foreign_is_not_part_of_the_surface() -> None:
    foreign = "import os\nfrom re import X\nfrom p.a import _d\n__all__ = []\n"
    source = foreign + "from p.a import B as C\nfrom .e import F\nG: int = 1\ndef h(): ..."
    assert brought_in("p", source) == {"C", "F", "G", "h"}
