"""The structure of an independent implementation's results: blocks, stubs, relation lines, notes, order.

Binds where the result leaves 400 bytes of slack; what differs on purpose is named in docs/expansion.md.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mark_expand import Ask, Expansion, Failure
from mark_outline import decode, slugify, table_rows, terms
from tests.expand.scenario import BYTES, Doc, Row, drive, frame

SLACK = 400


def cases(shared: Path, name: str) -> Iterator[dict[str, Any]]:
    for line in (shared / "reference" / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def rows_of(given: dict[str, Any]) -> list[Row]:
    if given["table"] is not None:
        return [Row(path, anchor) for path, anchor in table_rows(given["table"])]
    return [Row(row["path"], row["anchor"]) for row in given["rows"]]


def ours(given: dict[str, Any], want: dict[str, Any]) -> str:
    docs: dict[str, Doc | Failure] = {}
    for path, doc in given["docs"].items():
        if doc.get("error"):
            docs[decode(path)] = Failure(doc["error"])
        else:
            docs[decode(path)] = Doc(decode(path), doc["body"], doc["version"] or None, doc["metadata"])
    rows = rows_of(given)
    head = "x" * (want["spent"] - 1) + "\n"
    ask = Ask(head, rows, len(rows), 0, terms(given["query"]), given["budget_tokens"])
    return drive(Expansion(ask, BYTES), docs, given["cancel_after"]).text[len(head) :]


def structure(text: str) -> list[str]:
    """Frame lines without what differs on purpose in their spelling.

    Covered counts and offsets (X2), reasons to stop (F5), sizes (X1), the opening-text note (O4), the canonical
    anchor (O6), percent-encoding (R1).
    """
    lines = [
        re.sub(r" \(\d+ covered\)|; \d+ more rows: offset=\d+| \(~\d+ tokens\)", "", line)
        for line in frame(text)
    ]
    lines = [re.sub(r"^note: stopped: .*", "note: stopped", line) for line in lines]
    lines = [line for line in lines if "opening text only" not in line]
    return [
        decode(re.sub(r"#([^,;]*?)(?= is within| encloses| above| not found|, |; |$)", _slug, line))
        for line in lines
    ]


def _slug(found: re.Match[str]) -> str:
    return "#" + slugify(found[1].strip(" #"))


def main() -> None:
    import sys

    shared = Path("/work/shared")
    total = bad = 0
    for name in ("expand.jsonl", "expand_fuzz.jsonl"):
        for case in cases(shared, name):
            given, want = case["in"], case["want"]
            slack = want["budget"] - want["spent"] - len(want["out"].encode())
            if slack < SLACK or not want["out"]:
                continue
            given.setdefault("cancel_after", None)
            total += 1
            a, b = structure(want["out"]), structure(ours(given, want))
            if a != b:
                bad += 1
                if len(sys.argv) > 1 and re.search(sys.argv[1], case["name"]):
                    print("=====", case["name"], given["query"], [(r.path, r.anchor) for r in rows_of(given)])
                    import difflib

                    print("\n".join(difflib.unified_diff(a, b, lineterm="", n=1)))
    print(total, bad)


if __name__ == "__main__":
    main()
