"""`python -m bench.policy_calls`: the policies through a spawned server and the protocol's own client.

Three folders of the evaluation are mounted by a settings file; sixty of their questions are asked with three
budgets, twice, under each policy. Counted are results over their budget, results that are not the same bytes
the second time, and rows of a page that the trace of the same lookup does not account for; told is how long
the calls took. Ends with exit code 1 where anything was counted.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from bench.servers import Program, connected
from bench.stores import STORES, questioned
from mark_outline import counter, spellings
from mark_server.arguments import lookup_arguments
from mark_server.calls import call_traced
from mark_server.configuration import configured
from mark_server.evidence.questions import read_questions
from mark_server.evidence.tables import table
from mark_server.opening import open_desk
from mark_server.settings import Settings

BUDGETS = (500, 1500, 4000)
NAMES = ("bips", "eips", "peps")
QUESTIONS = 20
POLICIES = {
    "rank": ['name = "rank"'],
    "knapsack": ['name = "knapsack"'],
    "knapsack, joint": ['name = "knapsack"', 'calibration = "joint"'],
    "knapsack, limits": ['name = "knapsack"', 'near = "drop"'],
    "slots": ['name = "slots"'],
    "everything, truncate": ['name = "everything"', "truncate = true"],
}
LIMITS = {
    "slots": ['share = "1/3"'],
    "knapsack, limits": ["weight = 0.7", "cap = 600", "minimum = 100", "floor = 0.2"],
}


@dataclass(slots=True)
class Tally:
    """What was counted under one policy."""

    calls: int = 0
    over: int = 0
    changed: int = 0
    lost_rows: int = 0
    other_text: int = 0
    milliseconds: list[float] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """How much was wrong."""
        return self.over + self.changed + self.lost_rows + self.other_text


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.policy_calls", description=__doc__)
    parser.add_argument("--stores", type=Path, default=STORES, metavar="FOLDER")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keep the indexes here")
    parser.add_argument("--policies", nargs="+", choices=list(POLICIES), default=list(POLICIES))
    parser.add_argument("--questions", type=int, default=QUESTIONS, metavar="N", help="of each store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marklookup-policies-") as place:
        stores = {store.name: store for store in questioned(options.stores, Path(place))}
        if lacking := set(NAMES) - stores.keys():
            sys.exit(f"bench: no store {', '.join(sorted(lacking))} below {options.stores}")
        asked = [
            question.text
            for name in NAMES
            for question in read_questions(stores[name].questions)[: options.questions]
        ]
        tallies = {}
        for policy in options.policies:
            file = Path(place) / "marklookup.toml"
            docs = {name: stores[name].docs.absolute() for name in NAMES}
            file.write_text("\n".join(_settings(policy, docs)) + "\n", encoding="utf-8")
            tallies[policy] = anyio.run(_measure, file, options.data or Path(place) / "data", asked)
    print("\n".join(table([HEADS, *(_row(policy, tally) for policy, tally in tallies.items())])))
    sys.exit(any(tally.faults for tally in tallies.values()))


HEADS = ["policy", "calls", "over", "changed", "rows lost", "other text", "ms 50 %", "ms 95 %"]


def _row(policy: str, tally: Tally) -> list[str]:
    times = sorted(tally.milliseconds)
    return [
        *(policy, str(tally.calls), str(tally.over), str(tally.changed), str(tally.lost_rows)),
        *(str(tally.other_text), f"{statistics.median(times):.1f}"),
        f"{times[math.ceil(0.95 * len(times)) - 1]:.1f}",
    ]


def _settings(policy: str, docs: Mapping[str, Path]) -> Iterator[str]:
    yield from ("[policy]", *POLICIES[policy])
    for name, folder in docs.items():
        yield from (f"[stores.{name}]", f'address = "{folder}"', *LIMITS.get(policy, []))


async def _measure(file: Path, data: Path, asked: Sequence[str]) -> Tally:
    tally = Tally()
    program = Program("mark_server", ("serve", "--config", str(file)), data)
    given = [(query, budget) for query in asked for budget in BUDGETS]
    async with connected(program) as client:
        while "indexing:" in await client.call("mark_lookup", query="any", budget=500):
            pass
        first = []
        for query, budget in given:
            seconds, text = await client.timed("mark_lookup", query=query, budget=budget)
            tally.milliseconds.append(seconds * 1000)
            first.append(text)
        second = [await client.call("mark_lookup", query=query, budget=budget) for query, budget in given]
    unit = counter("o200k_base")
    tally.calls = len(given)
    tally.over = sum(
        unit.tokens(unit.count(text)) > budget for text, (_, budget) in zip(first, given, strict=True)
    )
    tally.changed = sum(one != two for one, two in zip(first, second, strict=True))
    await _account(tally, file, data, dict(zip(given, first, strict=True)))
    return tally


async def _account(tally: Tally, file: Path, data: Path, texts: Mapping[tuple[str, int], str]) -> None:
    """Compare each served text and its rows with the same lookup made here, whose trace is known."""
    configuration = configured(file)
    settings = Settings(
        **configuration.values,  # type: ignore[arg-type]  # each was checked with the file
        stores=configuration.stores,
        data=data,
        patience=math.inf,
    )
    async with open_desk(settings) as desk:
        await desk.ready(math.inf)
        for (query, budget), text in texts.items():
            answer = await call_traced(desk, lookup_arguments({"query": query, "budget": budget}))
            page = await desk.store.lookup(query, limit=10)
            assert answer.trace is not None
            rows = [entry.location for entry in answer.trace.entries if entry.origin == "row"]
            # By document: one that the question names may be told by its opening, whatever its row's section.
            known = Counter(spellings(location)[0].path for location in rows)
            tally.lost_rows += (Counter(row.path for row in page.rows) - known).total()
            tally.other_text += answer.text != text


if __name__ == "__main__":
    main()
