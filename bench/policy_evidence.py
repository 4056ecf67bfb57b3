"""`python -m bench.policy_evidence`: what the policies are worth over several stores at once.

Three stores of the evaluation are mounted together and asked their own questions, in three mixtures: all of
equal worth; questions about one of them, so that the others are distractors; and a weak one beside two good
ones. Each mixture is asked under every policy, and under weights, floors and caps for the store that
disturbs. The stores are not part of this repository; without them there is nothing to measure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import anyio

from bench.stores import STORES, Questioned, questioned
from mark_server.evidence.choices import Choice
from mark_server.evidence.contest import under
from mark_server.evidence.files import claim, write_new
from mark_server.evidence.making import Making, make_run
from mark_server.evidence.places import placed
from mark_server.evidence.plot import plot
from mark_server.evidence.questions import read_questions
from mark_server.evidence.report import Run, to_json
from mark_server.evidence.tables import contest_lines
from mark_server.mount import Mount
from mark_server.settings import Settings

BUDGETS = (500, 1500, 4000)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Stores that are mounted together, those whose questions are asked, and the one that disturbs."""

    mounted: tuple[str, ...]
    asked: tuple[str, ...]
    disturbs: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to choose: a policy, settings besides, and limits of the store that disturbs."""

    policy: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, str]:
        """It in words, as a report has it."""
        limits = {f"its {name}": str(value) for name, value in self.limits.items()}
        settings = {key: str(value) for key, value in self.settings.items()}
        return {"policy": self.policy, **settings, **limits, **self.arguments}


MIXTURES = {
    "equals": Mixture(("bips", "eips", "peps"), ("bips", "eips", "peps")),
    "one asked": Mixture(("bips", "eips", "peps"), ("peps",)),
    "a weak one": Mixture(("bips", "claude-docs", "eips"), ("bips", "eips"), "claude-docs"),
    "its own": Mixture(("bips", "claude-docs", "eips"), ("claude-docs",), "claude-docs"),
    "no answers": Mixture(("bips", "keps", "peps"), ("bips", "peps"), "keps"),
}
POLICIES = (Variant("rank"), Variant("knapsack"), Variant("slots"), Variant("everything"))
JOINT = {"calibration": "joint"}
MODES = (
    Variant("knapsack", {"calibration": "minmax"}),
    Variant("knapsack", {"calibration": "zscore"}),
    Variant("knapsack", JOINT),
    Variant("knapsack", JOINT, arguments={"limit": "20"}),
    Variant("knapsack", {**JOINT, "beta": 0.2}),
    Variant("knapsack", {"beta": 0.2}),
)
LIMITS = (
    Variant("rank", limits={"weight": 0.5}),
    Variant("rank", limits={"weight": 0.25}),
    Variant("rank", limits={"cap": 300}),
    Variant("knapsack", JOINT),
    Variant("knapsack", JOINT, {"weight": 0.7}),
    Variant("knapsack", JOINT, {"weight": 0.5}),
    Variant("knapsack", JOINT, {"floor": 0.5}),
    Variant("slots", limits={"share": Fraction(1, 10)}),
)


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.policy_evidence", description=__doc__)
    parser.add_argument("--stores", type=Path, default=STORES, metavar="FOLDER")
    parser.add_argument("--mixtures", nargs="+", choices=list(MIXTURES), default=list(MIXTURES))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS, metavar="N")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keep the indexes here")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep a report of each mixture here")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the first mixture, .png or .svg")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-policies-") as place:
        stores = {store.name: store for store in questioned(options.stores, Path(place))}
        reports = {
            name: options.out / f"{name.replace(' ', '-')}.json" for name in options.mixtures if options.out
        }
        claim([*reports.values(), *([options.plot] if options.plot else [])])
        for number, name in enumerate(options.mixtures):
            if lacking := set(MIXTURES[name].mounted) - stores.keys():
                sys.exit(f"bench: no store {', '.join(sorted(lacking))} below {options.stores}")
            bench = Bench(stores, Path(place), options.data or Path(place) / "data", options.budgets)
            runs = list(bench.runs(name, MIXTURES[name]))
            print(f"## {name}: {_told(MIXTURES[name])}\n")
            print("\n".join(contest_lines(runs)), flush=True)
            if name in reports:
                write_new(reports[name], to_json(runs).encode())
            if options.plot and number == 0:
                drawn = [(run.name.removeprefix("policy="), run.answers) for run in runs[: len(POLICIES)]]
                write_new(options.plot, plot(drawn, options.plot.suffix.lower().removeprefix(".")))


def _told(mixture: Mixture) -> str:
    weak = f", limits for {mixture.disturbs}" if mixture.disturbs else ""
    return f"{', '.join(mixture.mounted)} mounted, asked about {', '.join(mixture.asked)}{weak}"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the stores are, and with which budgets they are asked."""

    stores: Mapping[str, Questioned]
    place: Path
    data: Path
    budgets: Sequence[int]

    def runs(self, name: str, mixture: Mixture) -> Iterator[Run]:
        """Ask the questions of a mixture under every variant."""
        file = self.place / f"{name.replace(' ', '-')}.jsonl"
        file.write_text("".join(_lines(self.stores, mixture)), encoding="utf-8")
        questions = placed(file, read_questions(file), mixture.mounted)
        making = Making(("o200k_base",), self.budgets, follow=False)
        for variant in (*POLICIES, *(LIMITS if mixture.disturbs else MODES)):
            yield anyio.run(make_run, making, self._choice(mixture, variant), file, questions)

    def _choice(self, mixture: Mixture, variant: Variant) -> Choice:
        mounts = tuple(Mount(name, str(self.stores[name].docs.absolute())) for name in mixture.mounted)
        settings = Settings(stores=mounts, data=self.data, patience=math.inf, **variant.settings)
        plain = under(variant.policy, Choice({}, {}, settings))  # type: ignore[arg-type]  # one of the four
        limited = [_limited(mount, mixture, variant) for mount in plain.settings.stores]
        return Choice(variant.named, variant.arguments, replace(plain.settings, stores=tuple(limited)))


def _limited(mount: Mount, mixture: Mixture, variant: Variant) -> Mount:
    if mount.name == mixture.disturbs:
        return replace(mount, **variant.limits)
    if "share" in variant.limits:
        rest = (1 - variant.limits["share"]) / (len(mixture.mounted) - 1)
        return replace(mount, share=rest)
    return mount


def _lines(stores: Mapping[str, Questioned], mixture: Mixture) -> Iterator[str]:
    for name in mixture.asked:
        for line in stores[name].questions.read_text(encoding="utf-8").splitlines():
            yield json.dumps({**json.loads(line), "store": name}) + "\n"


if __name__ == "__main__":
    main()
