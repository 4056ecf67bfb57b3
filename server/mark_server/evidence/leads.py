"""The calls that a result suggests to its reader, read from its text: the most direct first.

Whether they are made, and how many, is the reader's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mark_outline import table_rows, terms
from mark_server.arguments import Arguments, FetchArguments, LookupArguments
from mark_server.evidence.blocks import RELATED

_NOTE = ">>> note:"
_OMITTED = re.compile(r">>> note: did not fit: (.*)")
_NEXT = re.compile(r"mark_fetch url=(\S+) start=(\d+)")
_OFFSET = re.compile(r"offset=(\d+)\s*$")
_LOCATION = re.compile(r"(?:mark://[^/\s,;]+)?/[^\s,;]+")
_THIN = re.compile(r"^\| ((?:mark://|/)\S*) \|", re.MULTILINE)
_HEADING = re.compile(r"^ *- (.*) \(#(\S+), \d+ lines\)$", re.MULTILINE)
# Of an outline, so many sections are worth a call.
_SECTIONS = 2


def leads(asked: Arguments, text: str, query: str) -> Iterator[Arguments]:
    """Give what a reader of this result may ask next."""
    match asked:
        case LookupArguments(budget=0):
            yield from (
                FetchArguments(f"{path}#{anchor}" if anchor else path) for path, anchor in table_rows(text)
            )
        case LookupArguments():
            yield from _after_lookup(asked, text.split("\n"))
            yield from map(FetchArguments, _THIN.findall(text))
        case FetchArguments():
            yield from _after_outline(asked, text, query)


def _after_lookup(asked: LookupArguments, lines: list[str]) -> Iterator[Arguments]:
    """Omissions by name, excerpts that go on, documents named as related, rows that the budget hid."""
    notes = [line for line in lines if line.startswith(_NOTE)]
    omitted = [found[1] for line in notes if (found := _OMITTED.match(line))]
    related = [line for line in lines if line.startswith(RELATED)]
    for named in omitted:
        yield from map(FetchArguments, _LOCATION.findall(named))
    for line in notes:
        yield from (FetchArguments(url, start=int(start)) for url, start in _NEXT.findall(line))
    for line in related:
        yield from map(FetchArguments, _LOCATION.findall(line))
    for line in notes[-1:]:
        yield from (replace(asked, offset=int(offset)) for offset in _OFFSET.findall(line))


def _after_outline(asked: FetchArguments, text: str, query: str) -> Iterator[Arguments]:
    """Where an outline came instead: the sections whose headings share most words with the question."""
    if "mode: outline" not in text.partition("\n\n")[0]:
        return
    wanted = set(terms(query))
    headings = sorted(_HEADING.findall(text), key=lambda one: -len(wanted & set(terms(one[0]))))
    yield from (FetchArguments(f"{asked.url}#{anchor}") for _, anchor in headings[:_SECTIONS])
