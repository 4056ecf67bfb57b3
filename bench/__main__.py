"""`make bench`: one run that measures everything and prints it; nothing is asserted.

A slow machine is no failure; whoever runs this reads the aims beside the figures. Temporary folders and
spawned servers are gone when it ends, also when it is stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import anyio

from bench import calls
from bench.figures import Figures, TreeFigures
from bench.indexing import measure_help, measure_indexing
from bench.questions import WARM_SEED, questions, survey
from bench.report import report
from bench.servers import marklookup
from bench.trees import REPO, Tree, make_trees

WARMING = 20


def main() -> None:
    """Measure as the command line says."""
    options = _parser().parse_args()
    # As an interrupt does, so that everything is cleared away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="marklookup-bench-") as place:
        figures = anyio.run(_measure, options, Path(place))
    print(report(figures), end="")
    if options.json:
        options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure marklookup.")
    parser.add_argument(
        "--trees",
        type=Path,
        default=REPO.parent / "shared" / "eval" / "trees",
        metavar="FOLDER",
        help="archives (*.tar.gz) of markdown trees; without any, varied fixtures are measured",
    )
    parser.add_argument("--files", type=_several, default=500, help="size of the smaller tree (500)")
    parser.add_argument("--lookups", type=_several, default=200, help="lookups to time on every tree (200)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file, too")
    return parser


def _several(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError("at least 2")
    return number


async def _measure(options: argparse.Namespace, place: Path) -> Figures:
    machine = _machine()
    trees = make_trees(options.trees, place / "trees", options.files)
    measured = tuple([await _measure_tree(tree, place, options.lookups) for tree in trees])
    words = await calls.measure_words(marklookup(trees[0].root, place / trees[0].name))
    return Figures(machine, calls.BUDGET, words, measure_help(), measured)


async def _measure_tree(tree: Tree, place: Path, lookups: int) -> TreeFigures:
    """Measure one tree; its index stays below `place` under the tree's name."""
    data = place / tree.name
    program = marklookup(tree.root, data)
    _tell(tree, "questions")
    census, passages = survey(tree.root)
    queries = calls.Queries(questions(passages, WARMING, WARM_SEED), questions(passages, lookups))
    _tell(tree, "index")
    indexing = measure_indexing(tree, data)
    _tell(tree, "cold start")
    cold_start = await calls.measure_cold_start(program)
    _tell(tree, "calls")
    bare_call, bare = await calls.measure_bare(lookups)
    found, present = await calls.measure_lookups(program, queries)
    _tell(tree, "memory after indexing")
    indexed = await calls.measure_first_indexing(tree.root, queries)
    return TreeFigures(
        tree.name, tree.made_of, census, indexing, cold_start, found, bare_call, bare, present, indexed
    )


def _tell(tree: Tree, step: str) -> None:
    print(f"bench: {tree.name}: {step} …", file=sys.stderr, flush=True)


def _machine() -> str:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"
    # Whatever else runs is in the figures, too; not every system tells.
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    return f"{system}, Python {platform.python_version()}{load}"


if __name__ == "__main__":
    main()
