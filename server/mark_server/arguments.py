"""Which tool takes which arguments, and the values that they become.

Arguments that a tool does not know are ignored: some clients add their own. How one is checked, and what is
said about a wrong one, is `checks`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from mark_expand import Detail
from mark_server.checks import MOST, Given, Match, Text, Whole, detail_of, flag, match_of

ToolName = Literal["mark_lookup", "mark_fetch", "mark_list", "mark_versions"]

MOST_ROWS = 1000
# Rows of a lookup for excerpts where neither rows nor tokens were asked for.
FEW_ROWS = 5

_QUERY = Text(
    "query",
    'query="what replaced the old backend", or query=* for every document',
    longest=20_000,
    required=True,
)
_SCOPE = Text("url", "url=/adr", default="/")
# An anchor is as long as its heading, and what a result prints has to fetch.
_LOCATION = Text("url", "url=/adr/0001.md#context", required=True, longest=100_000)
_DOCUMENT = Text("url", "url=/adr/0001.md", required=True)
_FILTER = Text("filter", "filter=tag=adr")
_CURSOR = Text("cursor", "the next-cursor of the page before")
_ROWS = f"a whole number from 1 to {MOST_ROWS}"
_LIMIT = Whole("limit", _ROWS, "limit=10", 10, 1, MOST_ROWS)
_PAGE_SIZE = Whole("page_size", _ROWS, "page_size=100", 100, 1, MOST_ROWS)
_OFFSET = Whole("offset", f"a whole number from 0 to {MOST}", "offset=10", 0, 0)
_BUDGET = Whole("budget", f"a whole number of tokens up to {MOST}, 0 for none", "budget=1500", 0, None)
_START = Whole("start", f"a whole number of characters from 0 to {MOST}, or -1", "start=0", -1, -1)


@dataclass(frozen=True, slots=True)
class LookupArguments:
    """Arguments of `mark_lookup`; `budget` is in tokens, 0 for that of the `detail`."""

    query: str
    url: str = "/"
    filter: str = ""
    limit: int = 10
    offset: int = 0
    match: Match = "body"
    budget: int = 0
    detail: Detail = "sections"
    verbose: bool = False

    @property
    def is_budgeted(self) -> bool:
        """Whether the result has text below its table, and so a budget to be spent (B5)."""
        return self.budget > 0 or self.detail != "sections"


@dataclass(frozen=True, slots=True)
class FetchArguments:
    """Arguments of `mark_fetch`; `start` is in characters, None when not given."""

    url: str
    budget: int = 0
    start: int | None = None
    force: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class ListArguments:
    """Arguments of `mark_list`."""

    url: str = "/"
    cursor: str = ""
    page_size: int = 100


@dataclass(frozen=True, slots=True)
class VersionsArguments:
    """Arguments of `mark_versions`."""

    url: str


Arguments = LookupArguments | FetchArguments | ListArguments | VersionsArguments


def checked(tool: ToolName, given: Given) -> Arguments:
    """Check the arguments of a tool.

    Raises:
        ArgumentError: An argument is missing, of another type, or out of its range.
    """
    match tool:
        case "mark_lookup":
            return lookup_arguments(given)
        case "mark_fetch":
            return _fetch_arguments(given)
        case "mark_list":
            return ListArguments(_SCOPE.read(given) or "/", _CURSOR.read(given), _PAGE_SIZE.read(given))
        case "mark_versions":
            return VersionsArguments(_DOCUMENT.read(given))
        case _:
            assert_never(tool)


def lookup_arguments(given: Given) -> LookupArguments:
    """Check the arguments of `mark_lookup`.

    Raises:
        ArgumentError: An argument is missing, of another type, or out of its range.
    """
    detail, budget = detail_of(given), _budget(given)
    few = detail == "excerpts" and not budget and given.get("limit") is None
    return LookupArguments(
        query=_QUERY.read(given),
        url=_SCOPE.read(given) or "/",
        filter=_FILTER.read(given),
        limit=FEW_ROWS if few else _LIMIT.read(given),
        offset=_OFFSET.read(given),
        match=match_of(given),
        budget=budget,
        detail=detail,
        verbose=flag(given, "verbose"),
    )


def _fetch_arguments(given: Given) -> FetchArguments:
    start = _START.read(given)
    return FetchArguments(
        url=_LOCATION.read(given),
        budget=_budget(given),
        start=None if start < 0 else start,
        force=flag(given, "force"),
        verbose=flag(given, "verbose"),
    )


def _budget(given: Given) -> int:
    """Zero and negative budgets mean none (B5)."""
    return max(0, _BUDGET.read(given))
