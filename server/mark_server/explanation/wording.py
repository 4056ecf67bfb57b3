"""What explain says in plain words about pieces and reasons: every value of a closed set has its words.

Foreign texts are put on one line here; how they are escaped is left to whoever shows them.
"""

from __future__ import annotations

from collections.abc import Mapping

from mark_expand import Entry, Reason, Scored
from mark_server.explanation.account import Account, Decision, Item, ItemKind
from mark_server.explanation.plain_text import plain

ITEMS: Mapping[ItemKind, str] = {
    "head": "envelope and table",
    "block": "block",
    "stub": "same text as above",
    "note": "note",
    "stop": "note: time ran out",
    "omissions": "note: what did not fit",
    "count": "last line: how many rows",
    "overspend": "note: the table left no room",
}

PRINTED: Mapping[str, str] = {
    "section": "whole section",
    "own": "own text of the section; whole it did not fit",
    "document": "whole document",
    "opening": "opening text of the document; no more matched or fitted",
    "outline": "outline of the document; no more matched or fitted",
    "excerpt": "the window that matches best",
}

REASONS: Mapping[Reason, str] = {
    "": "",
    "budget": "did not fit into what was left",
    "covered": "printed already, all or part of it, in",
    "duplicate": "same text as",
    "empty": "the document is empty",
    "fetch_failed": "could not be read",
    "fetch_limit": "the limit of documents to be read was reached",
    "not_found": "there is no such section",
    "deadline": "time ran out before its document came",
    "is_row": "is a row of this lookup itself",
    "other_authority": "is on another server or store, which is not followed",
    "out_of_scope": "lies outside what the caller may read",
    "hop_limit": "enough related documents were printed",
    "truncated": "the window that matches best; whole it did not fit",
    "below_floor": "its score is below the store's floor",
    "source_cap": "its store has printed as much as its cap allows",
    "share_exhausted": "its store has spent its share of the budget",
    "no_share": "its store has no share of the budget",
    "deprecated": "superseded by",
    "similar_to": "says the same as",
    "minimum_unmet": "its store has less than its minimum",
    "source_error": "its store failed",
}

_OFF_TOPIC = "holds no term of the question"


def summary(account: Account) -> str:
    """Say in one line how much of the budget was used."""
    rest = f"{account.left} left" if account.left >= 0 else f"{-account.left} over"
    return f"{account.used} of {account.budget} tokens used, {rest} ({account.trace.encoding})"


def piece(item: Item) -> str:
    """Say what a line of the account is."""
    if item.kind == "block":
        return item.location
    words = ITEMS[item.kind]
    if item.kind == "stub":
        return f"{item.location} ({words})"
    return f"{words} on {item.location}" if item.location else words


def place(entry: Entry) -> str:
    """Say where a candidate stands: its row, or its place in the hop."""
    match entry.origin:
        case "row":
            return str(entry.rank)
        case "related":
            return f"hop {entry.rank}"
        case _:
            return "–"


def reason(decision: Decision) -> str:
    """Say in plain words why a candidate became what it is."""
    entry = decision.entry
    if entry.reason == "below_floor" and entry.origin == "related":
        words = _OFF_TOPIC
    elif entry.reason:
        words = REASONS[entry.reason]
    else:
        words = PRINTED.get(entry.kind, entry.kind)
    if decision.within:
        words += f" {plain(decision.within)}"
    return f"{words}: {plain(entry.detail)}" if entry.detail else words


def size(entry: Entry) -> str:
    """Say how large a candidate's text is, where that is known."""
    if entry.tokens is not None:
        return str(entry.tokens)
    least = entry.least if isinstance(entry, Scored) else None
    return "" if least is None else f"≥ {least}"


def adjustments(scored: Scored) -> str:
    """Say what a score was multiplied by."""
    return ", ".join(f"{one.name} ×{one.value:g}" for one in scored.adjustments)


def figure(value: float | None) -> str:
    """Spell a score."""
    return "" if value is None else f"{value:.3g}"
