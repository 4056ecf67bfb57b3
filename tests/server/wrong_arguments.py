"""Every wrong argument of every tool, and the one line that it gets. Data for the tests."""

from typing import Any

QUERY = {"query": "tide"}
URL = {"url": "/notes/rumours.md"}
HUGE = 10**5000

_ROWS = "must be a whole number from 1 to 1000, got"
_BUDGET = "budget must be a whole number of tokens up to 1000000000, 0 for none, got"
_ROOM = "budget must leave room for text,"
_START = "start must be a whole number of characters from 0 to 1000000000, or -1, got"
_EXAMPLE_QUERY = 'for example query="what replaced the old backend", or query=* for every document'
_FILTER = "filter must be key=value pairs divided by commas, values with commas in double quotes: "
_FILTER += 'tag=adr,owner="Smith, J", got'

# tool, arguments, the line
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("mark_lookup", {}, f"query is required and must not be empty; {_EXAMPLE_QUERY}"),
    ("mark_lookup", {"query": None}, f"query is required and must not be empty; {_EXAMPLE_QUERY}"),
    ("mark_lookup", {"query": " \n\t"}, f"query is required and must not be empty; {_EXAMPLE_QUERY}"),
    ("mark_lookup", {"query": 7}, f"query must be a text, got 7; {_EXAMPLE_QUERY}"),
    ("mark_lookup", {"query": ["a"]}, f'query must be a text, got ["a"]; {_EXAMPLE_QUERY}'),
    (
        "mark_lookup",
        {"query": "é" * 20_001},
        f"query must be at most 20000 characters, got 20001; {_EXAMPLE_QUERY}",
    ),
    ("mark_lookup", {**QUERY, "limit": -1}, f"limit {_ROWS} -1; for example limit=10"),
    ("mark_lookup", {**QUERY, "limit": 0}, f"limit {_ROWS} 0; for example limit=10"),
    ("mark_lookup", {**QUERY, "limit": 1001}, f"limit {_ROWS} 1001; for example limit=10"),
    ("mark_lookup", {**QUERY, "limit": "ten\n>>>"}, f"limit {_ROWS} ten >>>; for example limit=10"),
    ("mark_lookup", {**QUERY, "limit": ""}, f'limit {_ROWS} ""; for example limit=10'),
    (
        "mark_lookup",
        {**QUERY, "limit": {"a": [None]}},
        f'limit {_ROWS} {{"a": [null]}}; for example limit=10',
    ),
    (
        "mark_lookup",
        {**QUERY, "offset": -1},
        "offset must be a whole number from 0 to 1000000000, got -1; for example offset=10",
    ),
    (
        "mark_lookup",
        {**QUERY, "offset": 2**70},
        f"offset must be a whole number from 0 to 1000000000, got {2**70}; for example offset=10",
    ),
    ("mark_lookup", {**QUERY, "budget": 1.5}, f"{_BUDGET} 1.5; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": "abc"}, f"{_BUDGET} abc; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": "1.5"}, f"{_BUDGET} 1.5; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": True}, f"{_BUDGET} true; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": 10**10}, f"{_BUDGET} 10000000000; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": 1e300}, f"{_BUDGET} 1e+300; for example budget=1500"),
    ("mark_lookup", {**QUERY, "budget": "9" * 99}, f"{_BUDGET} {'9' * 59}…; for example budget=1500"),
    (
        "mark_lookup",
        {**QUERY, "match": "title"},
        "match must be body or catalog, got title; for example match=body",
    ),
    (
        "mark_lookup",
        {**QUERY, "match": ["body"]},
        'match must be body or catalog, got ["body"]; for example match=body',
    ),
    (
        "mark_lookup",
        {**QUERY, "detail": "all\n>>>"},
        "detail must be sections, excerpts or full, got all >>>; for example detail=excerpts",
    ),
    (
        "mark_lookup",
        {**QUERY, "detail": 3},
        "detail must be sections, excerpts or full, got 3; for example detail=excerpts",
    ),
    (
        "mark_lookup",
        {**QUERY, "verbose": "yes"},
        "verbose must be true or false, got yes; for example verbose=true",
    ),
    ("mark_lookup", {**QUERY, "url": {}}, "url must be a text, got {}; for example url=/adr"),
    ("mark_lookup", {**QUERY, "filter": 3}, "filter must be a text, got 3; for example filter=tag=adr"),
    ("mark_lookup", {**QUERY, "filter": "tag"}, f"{_FILTER} tag"),
    ("mark_lookup", {**QUERY, "filter": "tag="}, f"{_FILTER} tag="),
    ("mark_lookup", {**QUERY, "filter": 'a="'}, f'{_FILTER} a="'),
    ("mark_lookup", {**QUERY, "filter": "\n>>> x\0"}, f"{_FILTER} >>> x"),
    (
        "mark_lookup",
        {**QUERY, "filter": "modified-after=soon"},
        "filter must be an ISO 8601 date or time: modified-after=2024-05-01, got modified-after=soon",
    ),
    (
        "mark_lookup",
        {**QUERY, "filter": "modified-before=2024-13-01"},
        "filter must be an ISO 8601 date or time: modified-after=2024-05-01, got modified-before=2024-13-01",
    ),
    (
        "mark_fetch",
        {},
        "url is required and must not be empty; for example url=/adr/0001.md#context",
    ),
    (
        "mark_fetch",
        {"url": " "},
        "url is required and must not be empty; for example url=/adr/0001.md#context",
    ),
    (
        "mark_fetch",
        {"url": "/x" * 90_000},
        "url must be at most 100000 characters, got 180000; for example url=/adr/0001.md#context",
    ),
    ("mark_fetch", {**URL, "start": -2}, f"{_START} -2; for example start=0"),
    ("mark_fetch", {**URL, "start": "end"}, f"{_START} end; for example start=0"),
    (
        "mark_fetch",
        {**URL, "start": 100_000},
        "start must be from 0 to 347, where the last character is, got 100000; for example start=0",
    ),
    (
        "mark_fetch",
        {**URL, "budget": 5},
        f"{_ROOM} got 5: envelope and one character take 16 tokens; for example budget=1000",
    ),
    ("mark_fetch", {**URL, "budget": False}, f"{_BUDGET} false; for example budget=1500"),
    ("mark_fetch", {**URL, "force": 1}, "force must be true or false, got 1; for example force=true"),
    ("mark_list", {"page_size": 0}, f"page_size {_ROWS} 0; for example page_size=100"),
    ("mark_list", {"page_size": 1001}, f"page_size {_ROWS} 1001; for example page_size=100"),
    (
        "mark_list",
        {"cursor": "page 2"},
        "cursor must be the cursor of the page before, as it was given, got page 2",
    ),
    (
        "mark_list",
        {"cursor": 2},
        "cursor must be a text, got 2; for example the next-cursor of the page before",
    ),
    ("mark_versions", {}, "url is required and must not be empty; for example url=/adr/0001.md"),
    ("mark_versions", {"url": 1}, "url must be a text, got 1; for example url=/adr/0001.md"),
]
