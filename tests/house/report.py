"""Prints the figures of the house at the end of `make check`; the limits themselves are tests.

Aims, not limits: a median file of at most 150 lines, a median function of at most 10.
"""

import sys
from collections import Counter
from statistics import median

from tests.house.rules import suppressions
from tests.house.sources import CODE, Module, length, modules


def figures(name: str, chosen: list[Module]) -> str:
    """One line of the report: how many files and functions, how long in lines."""
    files = [module.lines for module in chosen]
    functions = [length(function) for module in chosen for function in module.functions()]
    return f"{name:<8} {spread(files)} files; {spread(functions)} functions"


def spread(lines: list[int]) -> str:
    """Count, median and longest, in lines."""
    middle, longest = (median(lines), max(lines)) if lines else (0, 0)
    return f"{len(lines):>5} (median {middle:>5g}, longest {longest:>3})"


def report() -> str:
    """The figures per folder, for the code as a whole, and the number of suppressions by kind."""
    by_folder = {
        folder: [module for module in modules() if module.path.parts[0] == folder]
        for folder in (*CODE, "tests")
    }
    lines = [figures(folder, chosen) for folder, chosen in by_folder.items()]
    lines.append(figures("code", [module for module in modules() if not module.is_test]))
    kinds = Counter(kind for module in modules() for _, kind, _ in suppressions(module))
    listed = ", ".join(f"{count} {kind.rstrip(':')}" for kind, count in sorted(kinds.items()))
    return "\n".join([*lines, f"suppressions: {listed or 'none'}"])


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
