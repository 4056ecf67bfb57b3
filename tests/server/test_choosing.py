"""Policies inside `mark_lookup`: rows of several stores chosen under limits, and one store left as it is."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest

from mark_outline import counter, outline
from mark_server.arguments import LookupArguments
from mark_server.calls import call, call_traced
from mark_server.checks import ArgumentError
from mark_server.choosing import check_policy
from mark_server.desk import Desk
from mark_server.mount import Mount
from mark_server.settings import Settings
from mark_store import (
    EVERYTHING,
    Document,
    History,
    LookupPage,
    NotFound,
    Page,
    Reader,
    Row,
    RowCosts,
)
from mark_store import Match as StoreMatch
from tests.expand.candidates import prose
from tests.server.web import environment

BYTES = counter("bytes")
QUERY = LookupArguments("quark", budget=2000)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Documents in memory, a row for each in the order given; what is no row can be fetched, too."""

    documents: Mapping[str, str]
    unlisted: frozenset[str] = frozenset()
    told: bool = True

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the name of the port's argument
        limit: int = 10,
        offset: int = 0,
        match: StoreMatch = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        del query, scope, filter, reader
        listed = [path for path in self.documents if path not in self.unlisted]
        rows = [self._row(path, place) for place, path in enumerate(listed)]
        return LookupPage(tuple(rows[offset : offset + limit]), len(rows), match)

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        del version, reader
        if path not in self.documents:
            raise NotFound(path)
        body = self.documents[path]
        return Document(path, 1, body, {}, "", "", "", 0, outline(body))

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        del path, cursor, page_size, reader
        raise NotFound("/")

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        del reader
        raise NotFound(path)

    async def aclose(self) -> None:
        return None

    def _row(self, path: str, place: int) -> Row:
        size = BYTES.count(f"{self.documents[path].strip()}\n\n")
        costs = RowCosts("bytes", size, size) if self.told else None
        return Row(path, "", f"Row {place}", (), 0.5, "", 100.0 - place, 1, costs)


def desk(
    documents: Mapping[str, str], *stores: Mount, unlisted: Sequence[str] = (), **settings: object
) -> Desk:
    async def ready(_: float) -> bool:
        return True

    made = Settings(stores=stores, encoding="bytes", **settings)  # type: ignore[arg-type]  # plain forwarding
    check_policy(made)
    shelf = Shelf(documents, frozenset(unlisted))
    return Desk(shelf, ready, lambda: None, BYTES, made)


def mount(name: str, **limits: object) -> Mount:
    return Mount(name, f"/{name}", **limits)  # type: ignore[arg-type]  # plain forwarding


def interleaved(*names: str, each: int = 3, words: int = 30) -> dict[str, str]:
    """Documents of several stores, row by row in turn, each with a text of its own."""
    return {
        f"mark://{name}/{number}.md": prose(number * 10 + place, words)
        for number in range(each)
        for place, name in enumerate(names)
    }


async def blocks(one: Desk, arguments: LookupArguments = QUERY) -> list[str]:
    """The locations of the blocks of a lookup, in order."""
    text = (await call_traced(one, arguments)).text
    assert BYTES.tokens(BYTES.count(text)) <= arguments.budget
    heads = [line for line in text.split("\n") if line.startswith(">>> mark://")]
    return [head.removeprefix(">>> ").removesuffix("/v1") for head in heads]


async def told(one: Desk, arguments: LookupArguments = QUERY) -> dict[str, tuple[str, str]]:
    """Outcome and reason by location, each once."""
    trace = (await call_traced(one, arguments)).trace
    assert trace is not None
    made: dict[str, tuple[str, str]] = {
        entry.location.removesuffix("/v1"): (entry.outcome, entry.reason) for entry in trace.entries
    }
    assert len(made) == len(trace.entries)
    assert json.dumps(trace.as_dict())
    return made


@pytest.mark.proves("PO20")
@pytest.mark.parametrize("budget", [0, 60, 200, 1000])
async def test_one_store_by_rank_gives_the_bytes_of_no_policy_and_so_do_several_without_limits(
    budget: int,
) -> None:
    documents = {f"/{number}.md": prose(number) for number in range(12)}
    arguments = replace(QUERY, budget=budget)
    plain = await call_traced(desk(documents), arguments)
    assert plain.trace is None or plain.trace.events == []
    for order in ("rank", "cache"):
        assert await call(desk(documents, order=order), arguments) == plain.text
    # A policy that has nothing to divide gives the same text, and the scores besides.
    scored = await call_traced(desk(documents, policy="knapsack"), arguments)
    assert scored.text == plain.text
    spread = interleaved("docs", "wiki")
    alone = await call_traced(desk(spread), arguments)
    assert (
        await call_traced(desk(spread, mount("docs"), mount("wiki", weight=3)), arguments)
    ).text == alone.text


@pytest.mark.proves("PO20", "PO8")
@pytest.mark.parametrize("policy", ["rank", "knapsack", "slots"])
async def test_a_cap_holds_for_what_is_printed(policy: str) -> None:
    documents = interleaved("docs", "wiki")
    one = desk(
        documents,
        mount("docs", cap=90, share=Fraction(1, 2)),
        mount("wiki", share=Fraction(1, 2)),
        policy=policy,
    )
    found = await blocks(one)
    assert sum(where.startswith("mark://docs/") for where in found) == 1
    assert sum(where.startswith("mark://wiki/") for where in found) == 3
    reasons = await told(one)
    assert [reasons[f"mark://docs/{number}.md"] for number in (1, 2)] == [("omitted", "source_cap")] * 2
    assert len(reasons) == 6


@pytest.mark.proves("PO20", "PO8")
async def test_a_floor_leaves_rows_out_before_they_are_fetched() -> None:
    one = desk(
        interleaved("docs", "wiki"),
        mount("docs", floor=0.9),
        mount("wiki"),
        policy="knapsack",
        calibration="rank",
    )
    assert await told(one) == {
        **dict.fromkeys(["mark://docs/0.md", "mark://docs/1.md"], ("printed", "")),
        "mark://docs/2.md": ("omitted", "below_floor"),
        **{f"mark://wiki/{number}.md": ("printed", "") for number in range(3)},
    }
    trace = (await call_traced(one, QUERY)).trace
    assert trace is not None
    assert "mark://docs/2.md" not in trace.fetches


@pytest.mark.proves("PO20", "PO12")
@pytest.mark.parametrize("policy", ["rank", "knapsack", "everything"])
async def test_a_minimum_is_printed_before_stronger_rows(policy: str) -> None:
    documents = {**interleaved("docs", each=6), **interleaved("wiki", each=2)}
    arguments = replace(QUERY, budget=260)
    limits = {} if policy == "everything" else {"minimum": 80}
    one = desk(documents, mount("docs"), mount("wiki", **limits), policy=policy)
    if policy == "everything":
        with pytest.raises(
            ArgumentError,
            match=r"^policy everything, beside \d+ for table and notes: \d+ tokens do not fit into 260: mark://",
        ):
            await blocks(one, arguments)
        return
    assert (await blocks(one, arguments))[0] == "mark://wiki/0.md"
    unmet = desk(documents, mount("docs"), mount("wiki", minimum=900), policy=policy)
    trace = (await call_traced(unmet, arguments)).trace
    assert trace is not None
    (event,) = [event for event in trace.events if event.startswith("minimum_unmet")]
    assert event.startswith("minimum_unmet:wiki:")


@pytest.mark.proves("PO20", "PO9")
async def test_slots_go_by_configured_order_and_a_store_without_a_share_prints_nothing() -> None:
    documents = interleaved("docs", "wiki", "lab", each=4)
    one = desk(
        documents,
        mount("wiki", share=Fraction(1, 4)),
        mount("docs", share=Fraction(1, 2)),
        mount("lab"),
        policy="slots",
    )
    found = await blocks(one, replace(QUERY, budget=800, limit=20))
    hosts = [where.split("/")[2] for where in found]
    assert hosts == sorted(hosts, reverse=True)
    assert set(hosts) == {"wiki", "docs"}
    reasons = await told(one, replace(QUERY, budget=800, limit=20))
    assert reasons["mark://lab/0.md"] == ("omitted", "no_share")
    assert reasons["mark://wiki/3.md"] == ("omitted", "share_exhausted")


@pytest.mark.proves("PO20", "PO10")
async def test_everything_is_all_rows_or_one_line_with_their_sizes() -> None:
    documents = interleaved("docs", "wiki")
    one = desk(documents, mount("docs"), mount("wiki"), policy="everything")
    assert len(await blocks(one)) == 6
    with pytest.raises(ArgumentError) as caught:
        await call(one, replace(QUERY, budget=200))
    assert "\n" not in str(caught.value)
    assert "mark://docs/2.md/v1 (~" in str(caught.value)
    many = desk({f"/{number}.md": "Short." for number in range(12)}, policy="everything")
    with pytest.raises(ArgumentError, match=r"rows were left out \(fetch_limit\)"):
        await call(many, replace(QUERY, limit=12))


@pytest.mark.proves("PO20", "PO11")
async def test_pins_come_first_also_such_as_no_row_is() -> None:
    documents = {
        **interleaved("docs", "wiki"),
        "mark://docs/index.md": "# Index\n\nStart here.",
        "mark://docs/b.md": "B.",
    }
    mounts = (mount("docs", pins=("/index.md", "/2.md", "/gone.md")), mount("wiki"))
    one = desk(documents, *mounts, unlisted=["mark://docs/index.md", "mark://docs/b.md"])
    text = (await call_traced(one, QUERY)).text
    found = await blocks(one)
    assert found[:3] == ["mark://docs/2.md", "mark://docs/index.md/v1#index", "mark://docs/0.md"]
    assert ">>> note: mark://docs/gone.md: not-found" in text
    assert "; " not in text.splitlines()[-1], "nothing is hidden, so no offset is named"


@pytest.mark.proves("PO20", "PO11")
async def test_pins_of_stores_that_were_not_asked_or_may_not_be_read_are_not_added() -> None:
    documents = {**interleaved("docs"), "mark://wiki/index.md": "# Index\n\nStart here."}
    mounts = (mount("docs", cap=900), mount("wiki", pins=("/index.md",)))
    one = desk(documents, *mounts, unlisted=["mark://wiki/index.md"])
    assert (await blocks(one))[0] == "mark://wiki/index.md/v1#index"
    assert "wiki" not in (await call_traced(one, replace(QUERY, url="mark://docs/"))).text
    barred = replace(one, reader=Reader(("mark://docs/**",)))
    assert "wiki" not in (await call_traced(barred, QUERY)).text


@pytest.mark.proves("PO20", "PO15")
async def test_near_copies_are_named_in_the_trace_or_dropped_with_a_note() -> None:
    body = prose(3, 40)
    documents = {
        "mark://docs/a.md": body,
        "mark://wiki/b.md": f"{body} indeed",
        "mark://wiki/c.md": f"{body} 7",
    }
    mounts = (mount("docs"), mount("wiki", cap=1000))
    flagged = (await call_traced(desk(documents, *mounts), QUERY)).trace
    assert flagged is not None
    assert flagged.events[0] == "similar_to:mark://wiki/b.md/v1:mark://docs/a.md/v1"
    dropped = await call_traced(desk(documents, near="drop"), QUERY)
    assert ">>> note: mark://wiki/b.md/v1 says the same as mark://docs/a.md/v1 above; skipped" in dropped.text
    assert await blocks(desk(documents, near="drop")) == ["mark://docs/a.md", "mark://wiki/c.md"]
    assert dropped.trace is not None
    (entry,) = [entry for entry in dropped.trace.entries if entry.reason == "similar_to"]
    assert (entry.outcome, entry.within) == ("covered", "mark://docs/a.md/v1")


@pytest.mark.proves("PO20")
async def test_the_offset_goes_on_with_the_first_row_of_the_store_that_was_hidden() -> None:
    documents = {**interleaved("docs", each=6), **interleaved("wiki", each=2)}
    one = desk(
        documents, mount("wiki", share=Fraction(1, 2)), mount("docs", share=Fraction(1, 2)), policy="slots"
    )
    text = (await call_traced(one, replace(QUERY, budget=160))).text
    # Rows 6 and 7 of the store, those of wiki, stand first; the first hidden one is counted on its page.
    assert ">>> mark://wiki/0.md/v1\n" in text
    hidden = int(text.rstrip().rpartition("offset=")[2])
    assert f"mark://docs/{hidden}.md" not in text
    assert all(f"mark://docs/{number}.md" in text for number in range(hidden))


@pytest.mark.proves("PO3", "PO20")
async def test_every_row_s_entry_has_its_scores() -> None:
    one = desk(
        interleaved("docs", "wiki"), mount("docs", weight=2), mount("wiki", floor=1), policy="knapsack"
    )
    trace = (await call_traced(one, QUERY)).trace
    assert trace is not None
    rows = [entry for entry in trace.as_dict()["entries"] if entry["origin"] in ("row", "candidate")]
    assert len(rows) == 6
    assert {row["source"] for row in rows} == {"docs", "wiki"}
    assert rows[0]["adjustments"] == ({"name": "weight", "value": 2, "origin": ""},)
    assert all(row["raw"] and 0 <= row["calibrated"] <= 1 for row in rows)


@pytest.mark.proves("PO13", "PO20")
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"policy": "slots"}, "policy slots: shares is"),
        ({"policy": "everything", "stores": (mount("docs", cap=5),)}, "policy everything: docs: cap is 5"),
        ({"policy": "everything", "near": "drop"}, "policy everything: near is"),
        ({"policy": "rank", "beta": 0.5}, "beta must be 0 with the policy rank"),
        ({"policy": "rank", "calibration": "zscore"}, "calibration must be left out with the policy rank"),
    ],
)
def test_settings_that_a_policy_would_ignore_are_refused(settings: Mapping[str, object], line: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{line}"):
        check_policy(Settings(**settings))  # type: ignore[arg-type]  # plain forwarding


@pytest.mark.proves("PO20")
def test_the_command_line_takes_a_policy(fixtures: Path, tmp_path: Path) -> None:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "mark_server",
                "lookup",
                "tide",
                "--store",
                str(fixtures / "music"),
                *options,
            ],
            env=environment(tmp_path / "data"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    plain = run("--budget", "900")
    assert plain.returncode == 0
    assert run("--budget", "900", "--policy", "knapsack").stdout == plain.stdout
    refused = run("--budget", "900", "--policy", "slots")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("marklookup: policy slots: ")
    short = run("--budget", "300", "--policy", "everything")
    assert (short.returncode, short.stdout) == (2, "")
    assert " tokens do not fit into 300: " in short.stderr
    assert short.stderr.count("\n") == 1
