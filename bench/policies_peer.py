"""Measures `astromesh-context` on the candidates of `bench.policies`, in that package's own environment.

Knows nothing of marklookup: that environment has neither it nor its libraries. One call only where that takes
longer than a few seconds.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

PATIENT_SECONDS = 5.0


def main() -> None:
    """Measure, and print median, least and processor seconds."""
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    package: Any = importlib.import_module("astromesh_context")
    engine = _engine(package, given)
    runs: list[tuple[float, float]] = []
    while len(runs) < given["repeats"] and sum(wall for wall, _ in runs) < PATIENT_SECONDS:
        wall, processor = time.perf_counter(), time.process_time()
        window = asyncio.run(engine.build("What replaced the old backend?"))
        runs.append((time.perf_counter() - wall, time.process_time() - processor))
        assert window.trace
    middle = sorted(runs)[len(runs) // 2]
    print(json.dumps([[middle[0], min(runs)[0], middle[1]]]))


def _engine(package: Any, given: dict[str, Any]) -> Any:
    sources: dict[str, list[Any]] = {}
    for number, (source, text, score) in enumerate(given["texts"]):
        item = package.ContextItem(
            f"{source}:{number}", text, source, kind="knowledge", stability="volatile", score=score
        )
        sources.setdefault(source, []).append(item)
    policies = {
        "knapsack": package.ScoredKnapsack,
        "slots": lambda: package.FixedSlots(dict.fromkeys(sources, 1 / 3)),
        "everything": lambda: package.Everything(truncate=True),
    }
    return package.ContextEngine(
        [package.CallableSource(lambda *_, found=found: found, name=name) for name, found in sources.items()],
        budget=given["budget"],
        policy=policies[given["policy"]](),
        source_timeout=600.0,
    )


if __name__ == "__main__":
    main()
