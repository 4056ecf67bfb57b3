"""A reader that follows a script: it looks up, then fetches what it was told about, at most six calls.

It stops as soon as all evidence was seen, so its count is what the best reader of the same policy needs; it
never invents an address. What a result tells it about is `leads`', how policies begin is `policies`'.
"""

from __future__ import annotations

from collections import deque

from mark_outline import spellings
from mark_server.arguments import Arguments, FetchArguments, LookupArguments
from mark_server.calls import call
from mark_server.checks import ArgumentError
from mark_server.desk import Desk
from mark_server.evidence.judging import Reading
from mark_server.evidence.leads import leads
from mark_server.evidence.questions import Question

MOST_CALLS = 6

_Address = tuple[str, str, int | None]


class Reader:
    """One reader of one question; `tokens` counts the results of all its `calls`."""

    def __init__(self, desk: Desk, question: Question) -> None:
        self._desk = desk
        self._question = question
        self._left = set(range(len(question.gold)))
        self._leads: deque[Arguments] = deque()
        self._known: set[_Address] = set()
        self.calls = 0
        self.tokens = 0

    @property
    def done(self) -> bool:
        """Whether it has seen all evidence."""
        return not self._left

    async def read(self, first: LookupArguments, text: str | None = None) -> None:
        """Make the first call (its result is `text` where that is known), then one for each lead in turn."""
        self._take(first, await self._ask(first) if text is None else text)
        while self._leads and not self.done and self.calls < MOST_CALLS:
            asked = self._leads.popleft()
            self._take(asked, await self._ask(asked))

    async def _ask(self, asked: Arguments) -> str:
        try:
            return await call(self._desk, asked)
        except ArgumentError as error:
            return str(error)

    def _take(self, asked: Arguments, text: str) -> None:
        """Read one result: which evidence is in it, and where it leads."""
        self.calls += 1
        self.tokens += self._desk.counter.tokens(self._desk.counter.count(text))
        reading = Reading(f">>> {asked.url}\n\n{text}" if isinstance(asked, FetchArguments) else text)
        # A table without blocks is no evidence, whatever its snippets quote.
        if reading.blocks:
            self._left -= {place for place in self._left if reading.holds(self._question.gold[place])}
        for block in reading.blocks:
            self._known.add((block.location.path, block.location.anchor, None))
        for lead in leads(asked, text, self._question.text):
            if (address := _address(lead)) not in self._known:
                self._known.add(address)
                self._leads.append(lead)


def _address(asked: Arguments) -> _Address:
    """Tell one lead from another; a lookup that goes on is known by its offset."""
    match asked:
        case LookupArguments():
            return "", "", asked.offset
        case FetchArguments():
            where = spellings(asked.url)[0]
            return where.path, where.anchor, asked.start
        case _:
            return asked.url, "", None


async def count_calls(desk: Desk, question: Question, first: LookupArguments, text: str) -> int | None:
    """Count the calls until all evidence is seen, the first one, whose result is `text`, among them.

    None when it is not seen within six calls.
    """
    reader = Reader(desk, question)
    await reader.read(first, text)
    return reader.calls if reader.done else None
