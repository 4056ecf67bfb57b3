"""The house rules about one module. A rule is given a `Module` and yields a sentence per violation.

ruff holds complexity and style, import-linter the arrows between packages; here stands what neither knows.
"""

import ast
import re
from collections.abc import Callable, Iterator

from tests.house.sources import Module, length

CODE_LINES = 400
TEST_LINES = 600
FUNCTION_LINES = 50
POSITIONAL = 6
VAGUE = {"util", "utils", "helper", "helpers", "common", "base", "manager", "managers", "types"}
PURE = ("mark_outline", "mark_expand")
IO_MODULES = (
    *("anyio", "asyncio", "fcntl", "glob", "http", "httpx", "httpx2", "mmap", "multiprocessing", "os"),
    *("pathlib", "requests", "select", "selectors", "shutil", "signal", "socket", "socketserver", "sqlite3"),
    *("ssl", "subprocess", "tempfile", "trio", "urllib.request"),
)
# A look-ahead, so that one comment may hold several. Kinds without an entry below are not used here at all.
SUPPRESSION = re.compile(
    r"(?=#\s*(?:ruff:\s*)?(noqa|type:\s*ignore|pragma:|pyright:|mypy:|fmt:|nosec)(.*))", re.IGNORECASE
)
CODE_AND_REASON = {
    "noqa": re.compile(r":\s*[A-Z]+[0-9]+(,\s*[A-Z]+[0-9]+)*\W+(?![A-Z]+[0-9])\w+\W+\w+"),
    "type: ignore": re.compile(r"\[[\w, -]+\]\s*#\s*\w+\W+\w+"),
    "pragma:": re.compile(r"\s*no (cover|branch)\W+\w+\W+\w+"),
}

Rule = Callable[[Module], Iterator[str]]


def files_are_short(module: Module) -> Iterator[str]:
    limit = TEST_LINES if module.is_test else CODE_LINES
    if module.lines > limit:
        yield f"has {module.lines} lines, more than {limit}"


def functions_are_short(module: Module) -> Iterator[str]:
    for function in module.functions():
        if (lines := length(function)) > FUNCTION_LINES:
            yield f"{function.name} has {lines} lines, more than {FUNCTION_LINES}"


def positional_parameters_are_few(module: Module) -> Iterator[str]:
    for function in module.functions():
        named = [*function.args.posonlyargs, *function.args.args]
        count = len(named) - (bool(named) and named[0].arg in {"self", "cls"})
        if count > POSITIONAL:
            yield f"{function.name} has {count} positional parameters, more than {POSITIONAL}"


def names_are_the_field_s_nouns(module: Module) -> Iterator[str]:
    for part in module.path.with_suffix("").parts:
        if vague := VAGUE.intersection(part.split("_")):
            yield f"is named {part!r}: {vague.pop()!r} says nothing about what is inside"


def modules_say_why_they_exist(module: Module) -> Iterator[str]:
    if not (ast.get_docstring(module.tree) or "").strip():
        yield "has no module docstring"


def errors_are_caught_by_name(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or "Exception" in _names(node.type)):
            yield f"line {node.lineno} catches every error"
        if (
            isinstance(node, ast.Call)
            and _called(node).endswith("suppress")
            and "Exception" in _names(*node.args)
        ):
            yield f"line {node.lineno} suppresses every error"


def tests_wait_for_a_condition(module: Module) -> Iterator[str]:
    """A constant pause is a guess about the machine; `tests/waiting.py` guesses too, but with a bound."""
    if not module.is_test or str(module.path) == "tests/waiting.py":
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and _called(node).rpartition(".")[2] == "sleep" and _is_fixed(node):
            yield f"line {node.lineno} sleeps for a fixed time; use tests.waiting.until"


def pure_packages_do_no_io(module: Module) -> Iterator[str]:
    if not set(PURE).intersection(module.path.parts[:2]):
        return
    for line, name in _imports(module):
        if any(f"{name}.".startswith(f"{banned}.") for banned in IO_MODULES):
            yield f"line {line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and _called(node) in {"open", "io.open"}:
            yield f"line {node.lineno} opens a file"


def suppressions_have_code_and_reason(module: Module) -> Iterator[str]:
    for line, kind, rest in suppressions(module):
        form = CODE_AND_REASON.get(kind)
        if form is None or not form.match(rest):
            yield f"line {line} suppresses without a code and a reason of two words or more: {kind}{rest}"


def suppressions(module: Module) -> Iterator[tuple[int, str, str]]:
    """Comments that silence a tool: line, kind (`noqa`, `type: ignore`, `pragma:`, …), what follows it."""
    for line, comment in module.comments():
        for found in SUPPRESSION.finditer(comment):
            yield line, re.sub(r":\s*", ": ", found[1].lower()).strip(), found[2]


RULES: tuple[Rule, ...] = (
    files_are_short,
    functions_are_short,
    positional_parameters_are_few,
    names_are_the_field_s_nouns,
    modules_say_why_they_exist,
    errors_are_caught_by_name,
    tests_wait_for_a_condition,
    pure_packages_do_no_io,
    suppressions_have_code_and_reason,
)


def _names(*nodes: ast.expr) -> set[str]:
    """The last part of every name in an expression: `Exception` for `builtins.Exception`."""
    inside = [part for node in nodes for part in ast.walk(node)]
    return {part.id for part in inside if isinstance(part, ast.Name)} | {
        part.attr for part in inside if isinstance(part, ast.Attribute)
    }


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func)


def _is_fixed(call: ast.Call) -> bool:
    return any(
        isinstance(argument, ast.Constant) or (isinstance(argument, ast.Name) and argument.id.isupper())
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    )


def _imports(module: Module) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every absolute import; `from a import b` counts as `a.b`."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(source), names=names, level=0):
                yield from ((node.lineno, f"{source}.{alias.name}") for alias in names)
