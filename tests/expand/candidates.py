"""Candidates for the tests of the policies: small ones by hand, and arbitrary ones."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from mark_expand import (
    Candidate,
    Everything,
    FixedSlots,
    Policy,
    RankOrder,
    Scored,
    ScoredKnapsack,
    Selection,
    SelectionLimits,
    Signals,
    SourceLimits,
    conversation,
)
from mark_expand.selection.bounds import Share
from mark_outline import counter
from tests.expand.strategies import LINES

BYTES = counter("bytes")
THIRDS = tuple(SourceLimits(name, share="1/3") for name in ("docs", "wiki", "notes"))
POLICIES: tuple[Policy, ...] = (
    RankOrder(),
    ScoredKnapsack(),
    ScoredKnapsack(beta=0.7, calibration="zscore"),
    ScoredKnapsack(calibration="joint"),
    FixedSlots(),
    Everything(truncate=True),
)
_WORDS = ("tide", "noon", "salt", "ferry", "lamp", "brine", "quay", "rope", "gull", "mast", "keel", "reef")


def prose(seed: int, words: int = 30) -> str:
    """A text of plain words, another one for every seed."""
    turns = itertools.count(seed * 7919 + 1)
    return " ".join(
        f"{_WORDS[(n * n + seed) % 12]}{chr(97 + (n * seed) % 26)}" for n in itertools.islice(turns, words)
    )


def doc(path: str, text: str = "", source: str = "docs", **more: object) -> Candidate:
    """A candidate whose text is its own unless given."""
    return Candidate(source, path, text or f"Text of {path} in {source}.", **more)  # type: ignore[arg-type]  # plain forwarding


def ranked(source: str, *scores: float, text: str = "Text of {}.") -> list[Candidate]:
    """Candidates of one source in rank order, each with its score and a text of its own."""
    return [
        Candidate(source, f"/{source}/{rank}.md", text.format(f"{source} {rank}"), rank=rank, score=score)
        for rank, score in enumerate(scores, 1)
    ]


def units(candidate: Candidate) -> int:
    """Bytes of a candidate's block, by the words of the rule."""
    return len(f">>> {candidate.where}\n\n{candidate.text.strip()}\n\n".encode())


def limits(budget: int = 1000, *sources: SourceLimits, **more: object) -> SelectionLimits:
    """Limits in bytes-as-tokens."""
    return SelectionLimits(budget, sources, **more)  # type: ignore[arg-type]  # plain forwarding


def entries(selection: Selection) -> dict[str, Scored]:
    """The entries of a selection by location; every location once."""
    found = {entry.location: entry for entry in selection.trace.entries if isinstance(entry, Scored)}
    assert len(found) == len(selection.trace.entries)
    return found


def printed(selection: Selection) -> list[str]:
    """The locations that are printed, in their order."""
    return [candidate.where for candidate in selection.printed]


def reasons(selection: Selection) -> dict[str, str]:
    """Why each location that is not printed is not."""
    return {where: entry.reason for where, entry in entries(selection).items() if entry.outcome != "printed"}


_scores = st.one_of(
    st.none(),
    st.sampled_from([0.0, 0.1 + 0.2, 0.3, 1.0, 1.0, 5e-324, 1e300, -2.5, 14.0]),
    st.floats(-1e6, 1e6),
)
_texts = st.one_of(
    st.lists(st.sampled_from(LINES), min_size=0, max_size=6).map("".join),
    st.integers(0, 5).map(prose),
    st.sampled_from(["", " \n", "same text", "same text\n", "潮の満ち引き。" * 9, ">>> note: x\n>>> y"]),
)


@st.composite
def candidates(draw: st.DrawFn, most: int = 12) -> list[Candidate]:
    """Any candidates of three sources and two stores, a conversation sometimes among them."""
    made = [
        Candidate(
            source=draw(st.sampled_from(["docs", "wiki", "notes"])),
            path=f"/{number % 7}.md",
            text=draw(_texts),
            store=draw(st.sampled_from(["", "", "far"])),
            version=draw(st.sampled_from([None, 1, 2])),
            anchor=draw(st.sampled_from(["", f"part-{number}"])),
            rank=draw(st.one_of(st.none(), st.integers(1, 20))),
            score=draw(_scores),
            signals=Signals(*(draw(st.sampled_from([False, False, False, True])) for _ in range(3))),
            successor=draw(st.sampled_from(["", "/1.md"])),
            pinned=draw(st.sampled_from([False] * 9 + [True])),
            life=draw(st.sampled_from(["stable", "session", "volatile", "volatile"])),
        )
        for number in range(draw(st.integers(0, most)))
    ]
    turns = draw(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), _texts), max_size=4))
    return made + conversation(turns)


@st.composite
def any_limits(draw: st.DrawFn, *, shares: bool = True) -> SelectionLimits:
    """Any limits of the three sources, all of them with a share."""
    part: st.SearchStrategy[Share] = st.sampled_from([Fraction(1, 3), Fraction(1, 10), 0.1, "1/7", 0.3])
    sources = tuple(
        SourceLimits(
            name,
            weight=draw(st.sampled_from([1.0, 0.5, 1.2, 1e-9, 3])),
            cap=draw(st.sampled_from([None, None, 20, 90])),
            minimum=draw(st.sampled_from([0, 0, 10, 10**6])),
            floor=draw(st.sampled_from([0.0, 0.0, 0.4])),
            share=draw(part) if shares else None,
        )
        for name in draw(st.permutations(["docs", "wiki", "notes"]))
    )
    return SelectionLimits(
        draw(st.integers(1, 800)),
        sources,
        near=draw(st.sampled_from(["flag", "drop"])),
        order=draw(st.sampled_from(["rank", "cache"])),
        counter=counter(draw(st.sampled_from(["bytes", "o200k_base", "cl100k_base"]))),
    )
