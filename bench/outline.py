"""How fast outlines are made, beside other markdown parsers on the same bodies in the same run.

`python -m bench.outline [FOLDER]`; without a folder, the project's own documents. Nothing is asserted.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from markdown_it import MarkdownIt

from mark_outline import Counter, counter, front_matter, outline, with_costs

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
# Fixtures are few: they are read until a run takes some tenths of a second.
LEAST_BYTES = 2_000_000

Parse = Callable[[str], object]


def main() -> None:
    """Measure as the command line says, and print one line for each parser."""
    options = _parser().parse_args()
    bodies = list(read_bodies(options.folder))
    size = sum(len(body.encode("utf-8", "surrogatepass")) for body in bodies)
    if not size:
        raise SystemExit(f"no markdown in {options.folder}")
    rounds = max(1, LEAST_BYTES // size)
    print(f"{len(bodies)} bodies, {size / 1e6:.2f} MB, median of {options.runs} runs\n")
    parsers = dict(parsers_at_hand())
    # Runs alternate, so that a busy moment of the machine falls on all of them.
    runs = [
        {name: _seconds(parse, bodies, rounds) for name, parse in parsers.items()}
        for _ in range(options.runs)
    ]
    for name in parsers:
        seconds = statistics.median(run[name] for run in runs) / rounds
        print(f"{name:<34}{size / 1e6 / seconds:8.1f} MB/s{seconds / size * 20_000 * 1000:9.2f} ms for 20 kB")


def read_bodies(folder: Path) -> Iterator[str]:
    """Give the bodies of all markdown files below `folder`."""
    for path in sorted(folder.rglob("*.md")):
        yield front_matter(path.read_bytes().decode("utf-8", "replace")).body


def parsers_at_hand() -> Iterator[tuple[str, Parse]]:
    """Give what is measured: our own, markdown-it-py, and mistune where it is installed."""
    yield "outline", outline
    for encoding in ("bytes", "o200k_base"):
        yield f"outline with costs ({encoding})", _with_costs(counter(encoding))
    yield "markdown-it-py, whole parse", MarkdownIt("commonmark").parse
    if find_spec("mistune"):
        yield "mistune, whole parse", import_module("mistune").create_markdown(renderer=None)


def _with_costs(made: Counter) -> Parse:
    return lambda body: with_costs(outline(body), body, made)


def _seconds(parse: Parse, bodies: list[str], rounds: int) -> float:
    start = time.perf_counter()
    for _ in range(rounds):
        for body in bodies:
            parse(body)
    return time.perf_counter() - start


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.outline", description="Measure outlines.")
    parser.add_argument("folder", nargs="?", type=Path, default=FIXTURES, help="markdown to read (fixtures)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each parser (5)")
    return parser


if __name__ == "__main__":
    main()
