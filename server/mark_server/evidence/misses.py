"""Why a piece of evidence is not in a result, from the trace of the expansion and the document itself.

The first of these that is true: a candidate that holds the quote did not fit, was covered, failed or was
printed in part; another part of the document was a candidate; a printed document declares it and the hop did
not go there; nothing led to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mark_expand import Entry, Trace
from mark_outline import Location, decode, spellings
from mark_server.arguments import lookup_arguments
from mark_server.desk import Desk
from mark_server.evidence.answers import Miss
from mark_server.evidence.holders import Holders
from mark_server.evidence.judging import Reading
from mark_server.evidence.questions import Gold, Question

# Where a row that was not on the page is looked for.
_DEEP = 200


class Inspector:
    """Tells of missing evidence why it is missing; `given` are the arguments that the lookups had."""

    def __init__(self, desk: Desk, given: Mapping[str, Any]) -> None:
        self._desk = desk
        self._given = given
        self._holders = Holders(desk)

    async def inspect(self, question: Question, gold: Gold, reading: Reading, trace: Trace) -> Miss:
        """Say why `gold` is not in this result."""
        reason, detail = await self._reason(question, gold, reading, trace)
        return Miss(gold.path, gold.quote, reason, detail)

    async def _reason(
        self, question: Question, gold: Gold, reading: Reading, trace: Trace
    ) -> tuple[str, str]:
        path = decode(gold.path)
        places = await self._holders.anchors(gold)
        if places is None:
            return "failed", "the store has no such document, or the quote is not in it"
        mine = [entry for entry in trace.entries if _where(entry).path == path]
        holding = [entry for entry in mine if _may_hold(_where(entry).anchor, places)]
        for entry in sorted(holding, key=_weight):
            return told(entry)
        printed = [str(block.location) for block in reading.blocks if block.location.path == path]
        if printed:
            return "wrong section", f"printed {', '.join(printed)}"
        if mine:
            return "wrong section", f"ranked {', '.join(entry.location for entry in mine)}"
        if declared := _declared_by(reading, path):
            return "hop not taken", f"declared by {declared}, which is not followed"
        return "not ranked", await self._rank(question, path, places)

    async def _rank(self, question: Question, path: str, places: frozenset[str]) -> str:
        """Say where the document stands among more rows than the page had."""
        asked = lookup_arguments({**self._given, "query": question.text, "limit": _DEEP})
        page = await self._desk.store.lookup(
            asked.query,
            scope=asked.url,
            filter=asked.filter,
            limit=asked.limit,
            match=asked.match,
            reader=self._desk.reader,
        )
        ranks = [(rank, row.anchor) for rank, row in enumerate(page.rows, 1) if row.path == path]
        held = [rank for rank, anchor in ranks if _may_hold(anchor, places)]
        if held:
            return f"row {held[0]}"
        return f"another section is row {ranks[0][0]}" if ranks else f"not in {len(page.rows)} rows"


def _where(entry: Entry) -> Location:
    return spellings(entry.location)[0]


def _may_hold(anchor: str, anchors: frozenset[str]) -> bool:
    """Tell whether a candidate's text holds the quote; a whole document always does."""
    return not anchor or anchor in anchors


def _weight(entry: Entry) -> int:
    """Rows before targets, and what came nearest to being printed first."""
    order = ("printed", "stub", "covered", "omitted", "failed", "skipped")
    return order.index(entry.outcome)


def told(entry: Entry) -> tuple[str, str]:
    """Give reason and detail of a candidate whose text holds what is missing."""
    size = "" if entry.tokens is None else f", {entry.tokens} tokens"
    what = f"{entry.location} ({entry.kind or entry.origin}{size})"
    within = f" by {entry.within}" if entry.within else ""
    match entry.outcome:
        case "printed":
            return "wrong section", f"printed in part: {what}"
        case "covered" | "stub":
            return "covered", f"{what}{within}"
        case "failed":
            return "failed", f"{what}: {entry.reason}"
        case "omitted" if entry.reason == "budget":
            return "did not fit", what
        case _ if entry.origin == "row":
            return "failed", f"{what}: {entry.reason}"
        case _:
            return "hop not taken", f"{what}: {entry.reason}"


def _declared_by(reading: Reading, path: str) -> str:
    """Name the printed documents whose relation lines name this one."""
    names = [
        str(block.location)
        for block in reading.blocks
        if any(path in _targets(line) for line in block.relations)
    ]
    return ", ".join(dict.fromkeys(names))


def _targets(line: str) -> Sequence[str]:
    words = line.replace(";", ",").replace(",", " ").split()
    return [spellings(word)[0].path for word in words if word.startswith(("/", "mark://"))]
