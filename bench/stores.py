"""The stores with questions that are evaluated: archives or folders of NAME/docs and NAME/questions.jsonl.

They are not part of this repository. Where they are missing, the two worlds of the fixtures stand in.
"""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.trees import FIXTURES, REPO

STORES = REPO.parent / "shared" / "eval" / "stores"


@dataclass(frozen=True, slots=True)
class Questioned:
    """One store: its documents and the questions about them."""

    name: str
    docs: Path
    questions: Path


def questioned(stores: Path, place: Path) -> list[Questioned]:
    """Give the stores below `stores`, unpacked into `place` where they are archives."""
    for path in sorted(stores.glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(place, filter="data")
    found = [
        Questioned(file.parent.name, file.parent / "docs", file)
        for root in (place, stores)
        for file in sorted(root.glob("*/questions.jsonl"))
    ]
    return found or _fixtures(place)


def _fixtures(place: Path) -> list[Questioned]:
    rows: dict[str, list[str]] = defaultdict(list)
    for name in ("questions.jsonl", "everyday.jsonl"):
        for line in (REPO / "fixtures" / name).read_text(encoding="utf-8").splitlines():
            rows[json.loads(line)["world"]].append(line + "\n")
    made = [Questioned(world, REPO / "fixtures" / world, place / f"{world}.jsonl") for world in FIXTURES]
    for store in made:
        store.questions.write_text("".join(rows[store.name]), encoding="utf-8")
    return made
