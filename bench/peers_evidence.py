"""`python -m bench.peers_evidence`: the evidence that other servers give over the same stores, beside ours.

Thirty questions of the stores, chosen by a fixed seed, are put to each server's own search tool; then a
scripted reader fetches what the answers name, in their order, until all evidence was seen, in six calls at
most. A quote counts wherever it stands in an answer, letters and digits only, so that no server loses by its
markup; a declared relation counts when the document and every target are named.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
from mcp import ClientSession, MCPError
from mcp_types import CallToolResult, EmbeddedResource, TextContent, TextResourceContents

from bench.peers import PEERS, Peer, found, opened
from bench.stores import STORES, Questioned, questioned
from mark_outline import counter, terms
from mark_server.arguments import FetchArguments, ToolName, checked
from mark_server.evidence.leads import leads
from mark_server.evidence.questions import Gold, Question, read_questions
from mark_server.evidence.tables import table

SEED = 30
QUESTIONS = 30
MOST_CALLS = 6
BUDGET = 1500
SECONDS = 900
# qmd takes no more searches at once.
_SEARCHES = 10
_PATH = re.compile(r"[^\s\"'(),;:\[\]|<>#]+\.md\b")
_WORDS = re.compile(r"\w+")

Call = tuple[str, Mapping[str, object]]
Follow = Callable[[Call, str], list[Call]]


@dataclass(frozen=True, slots=True)
class Contender:
    """A server, how it is asked for evidence, and which calls an answer of it leads to."""

    name: str
    peer: Peer
    follow: Follow


@dataclass(slots=True)
class Tally:
    """What one server gave over all questions; `reached` and `calls` are of those supported in the end."""

    questions: int = 0
    gold: int = 0
    met: int = 0
    supported: int = 0
    tokens: int = 0
    reached: int = 0
    calls: int = 0
    spent: int = 0
    failed: int = 0


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers_evidence", description=__doc__)
    parser.add_argument("--stores", type=Path, default=STORES, metavar="FOLDER")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--only", default="", metavar="NAME", help="servers whose names begin so")
    options = parser.parse_args()
    programs = dict(named.split("=", 1) for named in options.peer)
    with tempfile.TemporaryDirectory(prefix="marklookup-peers-") as place:
        chosen = choose(questioned(options.stores, Path(place) / "stores"), options.questions)
        rows = [_HEADS]
        for contender in (one for one in contenders() if one.name.startswith(options.only)):
            program = found(contender.peer, programs.get(contender.peer.name))
            if program is None:
                rows.append([contender.name, "not installed", *[""] * (len(_HEADS) - 2)])
                continue
            tally = Tally()
            for store, questions in chosen:
                _tell(f"{contender.name}: {store.name} …")
                home = Path(place) / contender.name.replace(" ", "-") / store.name
                _measure(contender, program, store, questions, home, tally)
            rows.append(_row(contender.name, tally))
    print("\n".join(table(rows)))


def choose(stores: Sequence[Questioned], count: int) -> list[tuple[Questioned, list[Question]]]:
    """Choose questions by a fixed seed, the stores in turn."""
    chance = random.Random(SEED)  # noqa: S311 - the same questions every time is the point
    shuffled = {}
    for store in stores:
        questions = list(read_questions(store.questions))
        chance.shuffle(questions)
        shuffled[store.name] = questions
    number = {
        store.name: count // len(stores) + (place < count % len(stores)) for place, store in enumerate(stores)
    }
    return [(store, shuffled[store.name][: number[store.name]]) for store in stores]


def contenders() -> Iterator[Contender]:
    """Give the servers with the way of asking that serves each best.

    Two of them match only documents that hold every word; they are asked for any of the question's words.
    """
    known = {peer.name: peer for peer in PEERS}
    ours, sift = known["marklookup"], known["mdsift"]
    yield Contender(f"marklookup, budget {BUDGET}", _asking(ours, budgeted(BUDGET)), follow_leads)
    yield Contender("marklookup, budget 500", _asking(ours, budgeted(500)), follow_leads)
    yield Contender(
        "markdown-vault-mcp",
        _asking(known["markdown-vault-mcp"], lambda query: {"query": _any(query), "mode": "keyword"}),
        following("read", "path"),
    )
    yield Contender(
        "qmd (lexical)",
        _asking(known["qmd"], lambda query: {"searches": _each(query), "rerank": False}),
        following("get", "file", lineNumbers=False),
    )
    yield Contender(
        "agents-docs",
        _asking(known["agents-docs"], lambda query: {"query": query}),
        following("get_doc", "name", "tree/"),
    )
    read = following("read_section", "path")
    yield Contender("mdsift gather", _asking(sift, lambda query: {"task": query}, "gather"), read)
    yield Contender("mdsift search", _asking(sift, _sifted), read)


def following(tool: str, argument: str, prefix: str = "", **more: object) -> Follow:
    """Fetch whole documents, in the order in which an answer names them."""

    def follow(_call: Call, text: str) -> list[Call]:
        paths = dict.fromkeys(path.removeprefix("/").removeprefix(prefix) for path in _PATH.findall(text))
        return [(tool, {argument: prefix + path, **more}) for path in paths]

    return follow


def follow_leads(call: Call, text: str) -> list[Call]:
    """Make the calls that a result of ours suggests, as the scripted reader of the evaluation does."""
    tool, given = call
    name: ToolName = "mark_fetch" if tool == "mark_fetch" else "mark_lookup"
    found = leads(checked(name, given), text, str(given.get("query", "")))
    return [
        ("mark_fetch", {"url": lead.url, **({} if lead.start is None else {"start": lead.start})})
        if isinstance(lead, FetchArguments)
        else ("mark_lookup", {**given, "offset": getattr(lead, "offset", 0)})
        for lead in found
    ]


def budgeted(budget: int) -> Callable[[str], dict[str, object]]:
    """Give the arguments of our lookups."""
    return lambda query: {"query": query, "budget": budget}


def _sifted(query: str) -> dict[str, object]:
    return {"query": query, "granularity": "section", "snippet_compress": "off"}


def _asking(peer: Peer, arguments: Callable[[str], dict[str, object]], tool: str = "") -> Peer:
    return replace(peer, arguments=arguments, tool=tool or peer.tool)


def _any(query: str) -> str:
    return " OR ".join(f'"{term}"' for term in terms(query))


def _each(query: str) -> list[dict[str, str]]:
    longest = sorted(terms(query), key=len, reverse=True)[:_SEARCHES]
    return [{"type": "lex", "query": term} for term in longest]


def _measure(
    contender: Contender,
    program: Sequence[str],
    store: Questioned,
    questions: Sequence[Question],
    home: Path,
    tally: Tally,
) -> None:
    async def ask_all() -> None:
        with anyio.fail_after(SECONDS):
            async with opened(contender.peer, program, store.docs, home) as (session, _):
                for question in questions:
                    await _ask(session, contender, question, tally)

    before = tally.questions
    try:
        anyio.run(ask_all)
    except (subprocess.CalledProcessError, MCPError, OSError, BaseExceptionGroup) as error:
        _tell(f"{contender.name}: {store.name} failed: {error!r}"[:200])
    for question in questions[tally.questions - before :]:
        tally.questions += 1
        tally.failed += 1
        tally.gold += len(question.gold)


async def _ask(session: ClientSession, contender: Contender, question: Question, tally: Tally) -> None:
    unit = counter("o200k_base")
    left = set(range(len(question.gold)))
    asked: list[Call] = [(contender.peer.tool, contender.peer.arguments(question.text))]
    known: list[Call] = list(asked)
    calls = spent = 0
    while asked and left and calls < MOST_CALLS:
        call = asked.pop(0)
        text = _text(await session.call_tool(call[0], dict(call[1])))
        calls, tokens = calls + 1, unit.count(text)
        spent += tokens
        plain = _plain(text)
        left -= {place for place in left if _holds(text, plain, question.gold[place])}
        if calls == 1:
            tally.met += len(question.gold) - len(left)
            tally.supported += not left
            tally.tokens += tokens
        fresh = [lead for lead in contender.follow(call, text) if lead not in known]
        known += fresh
        asked += fresh
    tally.questions += 1
    tally.gold += len(question.gold)
    tally.spent += spent
    if not left:
        tally.reached += 1
        tally.calls += calls


def _text(result: CallToolResult) -> str:
    """What a model may be shown: the text, or the structured part where that says more."""
    parts = [block.text for block in result.content if isinstance(block, TextContent)]
    parts += [
        block.resource.text
        for block in result.content
        if isinstance(block, EmbeddedResource) and isinstance(block.resource, TextResourceContents)
    ]
    text = "".join(parts)
    structured = json.dumps(result.structured_content or "", ensure_ascii=False)
    return structured if len(structured) > len(text) + 200 else text


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text.replace("\\n", "\n").replace('\\"', '"').lower()))


def _holds(text: str, plain: str, gold: Gold) -> bool:
    if _plain(gold.quote) in plain:
        return True
    return bool(gold.targets) and all(path.removeprefix("/") in text for path in (gold.path, *gold.targets))


_HEADS = [
    *("server", "n", "all-gold, one call", "evidence", "tokens"),
    *("supported in 6", "calls", "tokens per supported"),
]


def _row(name: str, tally: Tally) -> list[str]:
    count = max(1, tally.questions)
    return [
        name,
        str(tally.questions) + (f" ({tally.failed} failed)" if tally.failed else ""),
        f"{tally.supported / count:.2f}",
        f"{tally.met / max(1, tally.gold):.2f}",
        f"{tally.tokens / max(1, count - tally.failed):.0f}",
        f"{tally.reached / count:.2f}",
        f"{tally.calls / tally.reached:.2f}" if tally.reached else "-",
        f"{tally.spent / tally.reached:.0f}" if tally.reached else "-",
    ]


def _tell(line: str) -> None:
    print(f"bench: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
