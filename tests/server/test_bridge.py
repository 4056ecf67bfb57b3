"""The second look over what the best row names; named documents, and what others declare to them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from mark_server.arguments import checked
from mark_server.calls import call, call_traced
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_store import Document, Reader, Store, StoreError, Unavailable
from tests.expand.scenario import blocks
from tests.store.tree import plant

LABEL = "# Saltwind Records\n\nSaltwind Records is a label. It was founded by Ada Finch in the old harbour.\n"
FOUNDER = "# Ada Finch\n\nAda Finch was born in Lower Quay, where her mother kept a shop.\n"
QUESTION = "In which town was the founder of the label Saltwind Records born?"
NOISE = {f"/town-{n:02}.md": f"# Town {n}\n\nThe town of {n} was born of a market.\n" for n in range(12)}
WORLD = {"/label.md": LABEL, "/people/finch.md": FOUNDER, **NOISE}

DELTA: dict[str, object] = {"query": "delta", "budget": 200}


async def asked(place: Path, world: dict[str, str], ask: Callable[[Desk], Awaitable[str]]) -> str:
    plant(place / "docs", world)
    settings = Settings(store=str(place / "docs"), data=place / "data", patience=60)
    async with open_desk(settings) as desk:
        return await ask(desk)


def lookup(**arguments: object) -> Callable[[Desk], Awaitable[str]]:
    given = checked("mark_lookup", {"query": QUESTION, "budget": 400, **arguments})
    return lambda desk: call(desk, given)


@pytest.mark.proves("RK5")
async def test_what_the_best_row_names_is_found_though_the_question_does_not_name_it(tmp_path: Path) -> None:
    text = await asked(tmp_path, WORLD, lookup())
    assert "born in Lower Quay" in text
    assert text.index(">>> /label.md") < text.index(">>> /people/finch.md")


ISLES = {
    f"/isle-{n}.md": f"# Isle {n}\n\nIsle {n} lies in the Koro district of Oaha county, Hava island.\n"
    for n in range(9)
}
SONGS = {f"/{n}.md": f"# {n}\n\nShe {word} it.\n" for n, word in enumerate(["wrote", "song", "luau"] * 9)}
SONG = {"/song.md": f"# Lullaby\n\nAda wrote a song after a luau. {'La la. ' * 3}\n"}
PLACE = "in the Koro district on Hava island in Oaha county?"


@pytest.mark.proves("RK6")
@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("wrote a song after a luau", [2]),
        ("wrote a song", []),
        ("wrote a song after a luau, a hymn, praise, prose and verse", []),
    ],
    ids=["three words are left open", "two words are", "more than half of them are"],
)
async def test_words_that_the_best_row_leaves_open_are_looked_up_alone(
    tmp_path: Path, words: str, places: list[int]
) -> None:
    async def order(desk: Desk) -> str:
        given = checked("mark_lookup", {"query": f"Who {words} {PLACE}", "budget": 3000, "limit": 8})
        answer = await call_traced(desk, given)  # type: ignore[arg-type]  # checked by its name
        assert answer.trace is not None
        rows = [entry.location for entry in answer.trace.entries if entry.origin == "row"]
        assert len([where for where in rows if where.startswith("/isle-")]) == 8
        return str([n for n, where in enumerate(rows) if where.startswith("/song.md")])

    assert await asked(tmp_path, {**ISLES, **SONGS, **SONG}, order) == str(places)


@pytest.mark.proves("RK6", "HP3")
async def test_a_document_that_only_the_second_look_names_is_not_treated_as_named(tmp_path: Path) -> None:
    named = {"/song.md": "# Wrote song luau\n\nAda wrote a song after a luau.\n"}
    source = {"/q.md": "---\nrel-requires: /song.md\n---\n# Q\n\nx\n"}
    question = f"Who wrote in Koro a song on Hava after the luau {PLACE}"
    text = await asked(tmp_path, {**ISLES, **SONGS, **named, **source}, lookup(query=question, budget=3000))
    assert "/song.md/v1#wrote-song-luau" in blocks(text)
    assert "is rel-requires of" not in text


@pytest.mark.proves("RK5")
@pytest.mark.parametrize(
    ("declared", "place"),
    [("", [2]), ("rel-based-in: /town-00.md", [4]), ("rel-founded-by: /people/finch.md", [])],
    ids=["nothing", "another document", "the one that is found"],
)
async def test_what_the_named_document_declares_comes_by_the_hop_and_more_rows_before_the_second_look(
    tmp_path: Path, declared: str, place: list[int]
) -> None:
    async def order(desk: Desk) -> str:
        given = checked("mark_lookup", {"query": QUESTION, "budget": 2000, "limit": 8})
        answer = await call_traced(desk, given)  # type: ignore[arg-type]  # checked by its name
        assert answer.trace is not None
        assert answer.text.count(">>> /people/finch.md/") == 1
        rows = [entry.location for entry in answer.trace.entries if entry.origin == "row"]
        return str([n for n, where in enumerate(rows) if where.startswith("/people/finch.md")])

    label = {"/label.md": f"---\ntitle: Saltwind Records\n{declared}\n---\n{LABEL}"}
    assert await asked(tmp_path, {**WORLD, **label}, order) == str(place)


MANY = {f"/t/{n}.md": f"# Thing {n}\n\nIt is a thing.\n" for n in range(4)}
SECTIONS = "".join(f"## Founder town {n}\n\nborn founder town {n}. Ada Finch.\n\n" for n in range(3))
OWNERS = {f"/{name}.md": f"# {name}\n\n{SECTIONS}" for name in ("trust", "guild")}


@pytest.mark.proves("RK5")
@pytest.mark.parametrize(
    ("declared", "others"),
    [
        (f"rel-mentions: [{', '.join(MANY)}, /people/finch.md]", MANY),
        ("rel-founded-by: /people/finch.md#biography", {}),
        (f"rel-owner: [{', '.join(OWNERS)}]", OWNERS),
    ],
    ids=["more is declared than the hop prints", "a section is declared", "its rows come first"],
)
async def test_what_is_declared_keeps_nothing_from_the_second_look(
    tmp_path: Path, declared: str, others: dict[str, str]
) -> None:
    label = {"/label.md": f"---\ntitle: Saltwind Records\n{declared}\n---\n{LABEL}"}
    text = await asked(tmp_path, {**WORLD, **others, **label}, lookup(budget=3000, limit=3))
    assert "born in Lower Quay" in text


@pytest.mark.proves("RK5", "C1")
async def test_a_row_that_the_second_look_finds_too_stays_named(tmp_path: Path) -> None:
    mill = f"# Old Mill\n\nIt grinds.\n\n## Walls\n\n{'Stone upon stone. ' * 300}\n\n"
    mill += f"## Wheels\n\nThe founder knew who was born here. {'Wheel upon wheel. ' * 30}\n"
    world = {"/label.md": LABEL, "/quay.md": "# Lower Quay\n\nA quay.\n", "/mill.md": mill, **NOISE}
    question = "Was the founder of Saltwind Records, who knew Lower Quay, born at the Old Mill?"
    text = await asked(tmp_path, world, lookup(query=question, budget=900))
    assert ">>> /mill.md/v1" in text
    assert "encloses" not in text


@pytest.mark.proves("RK5")
@pytest.mark.parametrize(
    ("question", "found"), [("ADR 17", False), ("0017-label.md", False), ("ADR 17 born", True)]
)
async def test_the_name_of_a_document_leaves_no_word_open(tmp_path: Path, question: str, found: bool) -> None:
    world = {"/adr/0017-label.md": LABEL, "/people/finch.md": FOUNDER}
    text = await asked(tmp_path, world, lookup(query=question, limit=1, budget=900))
    assert ">>> /adr/0017-label.md" in text
    assert ("/people/finch.md" in text) == found


@pytest.mark.proves("RK5")
async def test_names_are_looked_up_for_the_longest_question_too(tmp_path: Path) -> None:
    words = " ".join(f"zq{n}w" for n in range(64))
    text = await asked(tmp_path, WORLD, lookup(query=f"Where was Saltwind Records {words}", budget=3000))
    assert ">>> /people/finch.md" in text


@pytest.mark.proves("F5", "F1")
async def test_the_second_look_ends_with_the_deadline_and_reads_nothing_twice(tmp_path: Path) -> None:
    fetched: list[str] = []

    @dataclass
    class Slow:
        """The store, whose answer for the best document never comes, or is a failure."""

        inner: Store
        failure: StoreError | None

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

        async def fetch(self, path: str, **given: Any) -> Document:
            fetched.append(path)
            if path != "/label.md":
                return await self.inner.fetch(path, **given)
            if self.failure is None:
                await anyio.sleep_forever()
            raise self.failure or Unavailable(path, "never")

    async def ask(desk: Desk, failure: StoreError | None) -> str:
        settings = replace(desk.settings, deadline=0.5)
        slow = cast("Store", Slow(desk.store, failure))
        return await call(replace(desk, store=slow, settings=settings), checked("mark_lookup", BEST))

    text = await asked(tmp_path / "a", WORLD, lambda desk: ask(desk, None))
    assert ">>> note: stopped: deadline of 0." in text
    fetched.clear()
    text = await asked(tmp_path / "b", WORLD, lambda desk: ask(desk, Unavailable("/label.md", "gone")))
    assert fetched.count("/label.md") == 1
    assert ">>> note: /label.md: " in text


BEST: dict[str, object] = {"query": QUESTION, "budget": 900}


@pytest.mark.proves("RK5")
@pytest.mark.parametrize("arguments", [{"detail": "excerpts"}, {"offset": 1}, {"match": "catalog"}])
async def test_other_lookups_have_their_own_rows_alone(tmp_path: Path, arguments: dict[str, object]) -> None:
    text = await asked(tmp_path, WORLD, lookup(limit=4, **arguments))
    assert "/people/finch.md" not in text


@pytest.mark.proves("RK5", "X3")
async def test_every_row_of_the_page_stays_and_is_accounted_for_once(tmp_path: Path) -> None:
    async def traced(desk: Desk) -> str:
        given = checked("mark_lookup", {"query": QUESTION, "budget": 400, "limit": 8})
        answer = await call_traced(desk, given)  # type: ignore[arg-type]  # checked by its name
        rows = await desk.store.lookup(QUESTION, limit=8)
        assert answer.trace is not None
        told = [entry.location for entry in answer.trace.entries if entry.origin == "row"]
        assert len(told) == 9
        paths = {where.partition("#")[0].partition("/v")[0] for where in told}
        assert paths == {"/people/finch.md", *(row.path for row in rows.rows)}
        return answer.text

    assert "of 9 rows" in await asked(tmp_path, WORLD, traced)


@pytest.mark.proves("RK5", "X2")
async def test_continuing_skips_no_row(tmp_path: Path) -> None:
    async def all_paths(desk: Desk) -> str:
        seen, offset = "", 0
        while True:
            given = {"query": QUESTION, "budget": 200, "limit": 6, "offset": offset}
            text = await call(desk, checked("mark_lookup", given))
            seen += text
            more = text.rpartition("offset=")[2].strip() if "offset=" in text.splitlines()[-1] else ""
            rows = await desk.store.lookup(QUESTION, limit=6, offset=offset)
            offset = int(more) if more else offset + len(rows.rows)
            if not more and len(rows.rows) < 6:
                return seen

    seen = await asked(tmp_path, WORLD, all_paths)
    assert [path for path in WORLD if path not in seen and path != "/people/finch.md"] == []


@pytest.mark.proves("HP3")
async def test_a_document_that_declares_several_places_is_named_once(tmp_path: Path) -> None:
    several = "---\nrel-depends-on: [/hub.md#a, /hub.md#b, /hub.md]\n---\n# Several\n"
    world = {"/hub.md": "# Hub\n\n## A\n\nx\n\n## B\n\ny\n", "/several.md": several}
    text = await asked(tmp_path, world, lookup(query="what is Hub"))
    assert ">>> related: /hub.md is rel-depends-on of /several.md\n" in text


@pytest.mark.proves("HP5")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which plans build on the Tide Table?", ["/ferry.md", "/pilot.md"]),
        ("who depends on tide-table, please", ["/ferry.md", "/pilot.md"]),
        (
            "who depends on mark://any.host:6309/plans/tide-table.md/v3#tide-table?",
            ["/ferry.md", "/pilot.md"],
        ),
        ("what requires /plans/tide-table.md", ["/ferry.md", "/pilot.md"]),
        ("What does the Tide Table depend on?", ["/moon.md"]),
        ("the requirements of the Tide Table", ["/moon.md"]),
        ("Which plans build on another table?", []),
    ],
)
async def test_a_question_asked_backwards_is_answered_by_those_that_declare(
    tmp_path: Path, question: str, first: list[str]
) -> None:
    world = {
        "/plans/tide-table.md": "---\nrel-depends-on: /moon.md\n---\n# Tide Table\n\nHeights by the hour.\n",
        "/moon.md": "# Moon\n\nIt pulls.\n",
        "/ferry.md": "---\nrel-depends-on: /plans/tide-table.md\n---\n# Ferry\n\nIt sails.\n",
        "/pilot.md": "---\nrel-depends-on: /plans/tide-table.md\n---\n# Pilot\n\nHe waits.\n",
        "/old.md": "---\nrel-cites: /plans/tide-table.md\n---\n# Old\n\nGone.\n",
    }
    text = await asked(tmp_path, world, lookup(query=question, budget=300, limit=1))
    found = [line[4:] for line in text.splitlines() if line.startswith(">>> /")]
    told = [where.partition("/v")[0] for where in found]
    assert told[1 : 1 + len(first)] == first
    assert "/old.md" not in told


@pytest.mark.proves("HP3", "HP5")
async def test_what_is_asked_for_backwards_stands_first_in_its_line(tmp_path: Path) -> None:
    many = {f"/a{n:02}.md": "---\nrel-amends: /hub.md\n---\n# A\n\nx\n" for n in range(30)}
    world = {**many, "/hub.md": "# Hub\n\nold\n", "/next.md": "---\nrel-requires: /hub.md\n---\n# N\n\nnew\n"}
    text = await asked(tmp_path, world, lookup(query="which one requires Hub", budget=300))
    assert ">>> related: /hub.md is rel-requires of /next.md; rel-amends of /a00.md" in text
    assert blocks(text)[:2] == ["/hub.md/v1#hub", "/next.md/v1#n"]


@pytest.mark.proves("HP3")
async def test_loose_predicates_of_many_do_not_hide_the_one_that_counts(tmp_path: Path) -> None:
    linking = {f"/l{n:04}.md": "---\nrel-links: /hub.md\n---\nlinks\n" for n in range(1100)}
    world = {**linking, "/hub.md": "# Hub\n\nold\n", "/next.md": "---\nrel-supersedes: /hub.md\n---\nnew\n"}
    text = await asked(tmp_path, world, lookup(query="what supersedes Hub", budget=600))
    assert ">>> related: /hub.md is rel-supersedes of /next.md\n" in text


@pytest.mark.proves("RS1", "RK1")
async def test_what_may_not_be_read_does_not_choose_the_section_of_a_named_document(tmp_path: Path) -> None:
    open_ = {"/public/ada.md": "# Ada Finch\n\n## Born\n\nIn June.\n\n## Town\n\nLower Quay.\n"}
    hidden = {f"/secret/{n}.md": "## Town\n\nUpper Quay.\n" for n in range(9)}

    async def ask(desk: Desk) -> str:
        given = checked("mark_lookup", {"query": "Ada Finch born town", "budget": 300, "limit": 1})
        return await call(desk.within(Reader(("/public/**",))), given)

    told = {await asked(tmp_path / str(len(more)), {**open_, **more}, ask) for more in ({}, hidden)}
    assert len(told) == 1


@pytest.mark.proves("RS1", "RK4")
async def test_what_may_not_be_read_does_not_decide_whether_a_word_is_a_name(tmp_path: Path) -> None:
    open_ = {"/public/delta.md": "# Delta Rule\n\nintro words\n\n## lease\n\nlease text\n"}
    hidden = {
        "nothing": {},
        "rare": {f"/secret/{n}.md": "unrelated words\n" for n in range(600)},
        "common": {f"/secret/{n}.md": "a delta here\n" for n in range(600)},
    }

    async def ask(desk: Desk) -> str:
        return await call(desk.within(Reader(("/public/**",))), checked("mark_lookup", DELTA))

    told = {await asked(tmp_path / name, {**open_, **secret}, ask) for name, secret in hidden.items()}
    assert len(told) == 1
