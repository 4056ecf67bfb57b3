"""`mark_fetch` over every surface: which of its forms comes when, and whole results of each."""

# ruff: noqa: E501 - whole results stand here as they are

import pytest
from inline_snapshot import snapshot

from mark_server.envelope import declared, envelope
from tests.server.surfaces import Surface

LARGE = "/bands/pale-ferrymen.md"


@pytest.mark.proves("T6")
async def test_a_small_document_comes_whole(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/notes/rumours.md") == snapshot("""\
status: ok
version: 1

Things said at the bar of the Chandler's Arms, none of them checked. That the stokers of Orrin found the
held tone while asleep. That the lost reel of "Slack Water" is nailed under the Sluice Stage as a lucky
charm. That the dog on the reel belonged to Aud Rimstad and was paid in rope.

That the key to the harmonium opens something else as well.
""")


@pytest.mark.proves("T6")
async def test_a_section_comes_with_its_subsections(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/labels/north%20star.md/v1#tape-returns") == snapshot("""\
status: ok
version: 1

## Tape returns

A returned reel travels by hand and never by post. The archivist plays the first and last minute in
front of the band, writes the wear into the ledger, and both sides sign. A reel that sheds is baked for
eight hours at 54 degrees before it leaves the building.

""")


@pytest.mark.proves("T6")
async def test_a_large_document_comes_as_its_outline(music: Surface) -> None:
    assert await music.text("mark_fetch", url=LARGE) == snapshot("""\
status: ok
version: 1
mode: outline

- The Pale Ferrymen (#the-pale-ferrymen, 135 lines)
  - Beginnings on the car deck (#beginnings-on-the-car-deck, 16 lines)
  - The North Star years (#the-north-star-years, 21 lines)
    - The clause seven dispute (#the-clause-seven-dispute, 9 lines)
  - The Copperline years (#the-copperline-years, 17 lines)
    - Getting the tapes back (#getting-the-tapes-back, 9 lines)
  - How they sounded on stage (#how-they-sounded-on-stage, 12 lines)
  - The net loft (#the-net-loft, 12 lines)
  - Instruments and repairs (#instruments-and-repairs, 13 lines)
  - People around the band (#people-around-the-band, 10 lines)
  - What was written about them (#what-was-written-about-them, 14 lines)
  - The last crossing (#the-last-crossing, 8 lines)
  - What they left (#what-they-left, 6 lines)

The Pale Ferrymen were four people from Haldvik who played tidewave for twenty-five years, quarrelled
with one label, rescued their tapes from it and stopped on the day they had said they would. This page
follows them from the car deck to the last crossing.

fetch /bands/pale-ferrymen.md#<anchor> for a section; force=true for the full body
""")


@pytest.mark.proves("T6")
async def test_force_prints_a_large_document(music: Surface, fixtures_body: str) -> None:
    text = await music.text("mark_fetch", url=LARGE, force=True)
    assert text == f"status: ok\nversion: 1\n\n{fixtures_body}"


@pytest.mark.proves("T6")
async def test_a_section_of_a_large_document_needs_no_force(music: Surface) -> None:
    text = await music.text("mark_fetch", url="/festivals/saltpan.md#ferry-times")
    assert text == snapshot("""\
status: ok
version: 1

## Getting there {#ferry-times}

The last ferry back leaves at 23:40. Those who miss it sleep in the windmill, which is warm and turns.

""")


@pytest.mark.proves("T6", "T8")
async def test_a_page_says_where_the_next_one_starts(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/genres/tidewave.md", budget=60) == snapshot("""\
status: ok
version: 1
next: start=112

# Tidewave

Tidewave came out of the harbour bars of Haldvik in 1996. It took the held tone from kiln drone and
""")


@pytest.mark.proves("T6", "T8")
async def test_start_alone_gives_a_page_of_a_thousand_tokens(music: Surface) -> None:
    text = await music.text("mark_fetch", url=LARGE, start=0)
    assert text == await music.text("mark_fetch", url=LARGE, start=0, budget=1000, force=True)
    assert "\nnext: start=" in text


@pytest.mark.proves("T3")
async def test_verbose_adds_what_the_document_declares(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/labels/signing-policy-2016.md", verbose=True) == snapshot("""\
status: ok
version: 1
current-version: 1
content-hash: a673b12df5418bc8bda1cf9e0fccb82c954eb0e1c0ef400a30a3928b22c3db32
etag: a673b12df5418bc8bda1cf9e0fccb82c954eb0e1c0ef400a30a3928b22c3db32
modified: 2023-11-14T22:13:20Z
importance: 0.8
rel-because-of: /bands/pale-ferrymen.md#the-clause-seven-dispute
rel-by: /labels/north%20star.md
rel-supersedes: /labels/signing-policy-1997.md
tags: label, policy, contract
title: North Star signing policy of 2016
type: policy

# North Star signing policy of 2016

Replaces the policy of 1997. Solveig Rimstad wrote it in one evening, after reading the mediator's report.

## Terms

One album at a time. The royalty rises to 25 per cent. In return the advance of 4,000 crowns is gone:
new bands pay for their own studio nights.

## Masters

Master tapes go back to the band ten years after release. The rule also holds for records made under
the older policy.

## What stays

Letters are still answered on Mondays, and the label still asks for one copy of every sleeve, signed.
""")


@pytest.mark.proves("T3")
@pytest.mark.parametrize(
    "url",
    [
        "/nowhere.md",
        "/notes/rumours.md/v2",
        "/notes/rumours.md/v0",
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "../../etc/passwd",
        "/bands/../../etc/passwd.md",
        "mark://other.example/x.md",
        "/.git/config",
        "/x\0.md",
        "/" * 5000,
    ],
)
async def test_what_is_not_there_is_an_answer(music: Surface, url: str) -> None:
    assert await music.text("mark_fetch", url=url) == "status: not-found\n"
    assert await music.text("mark_fetch", url=url, budget=1, start=7) == "status: not-found\n"


@pytest.mark.proves("T3")
@pytest.mark.parametrize(("url", "folder"), [("/bands", "/bands/"), ("/bands/", "/bands/"), ("#", "/")])
async def test_a_folder_that_is_fetched_is_not_found_and_called_one(
    music: Surface, url: str, folder: str
) -> None:
    answer = f"status: not-found\n\n{folder} is a folder; list it instead\n"
    assert await music.text("mark_fetch", url=url) == answer
    assert await music.text("mark_fetch", url=url, budget=1, start=7) == answer


@pytest.mark.proves("T3")
async def test_an_archived_document_names_its_last_version(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/albums/harbour-tapes.md") == snapshot("""\
status: archived

last version: /albums/harbour-tapes.md/v1
""")
    text = await music.text("mark_fetch", url="/albums/harbour-tapes.md/v1")
    assert text.startswith("status: ok\nversion: 1\narchived: true\n\n# ")


@pytest.mark.proves("T6")
async def test_what_is_not_text_is_one_line(music: Surface) -> None:
    text = await music.text("mark_fetch", url="/notes/tape.md")
    assert text == snapshot("""\
status: ok
version: 1
mode: binary

/notes/tape.md is not text
""")
    assert await music.text("mark_fetch", url="/notes/tape.md#x", budget=500, start=3) == text


@pytest.mark.proves("T6")
async def test_an_empty_document_is_its_envelope(music: Surface) -> None:
    assert await music.text("mark_fetch", url="/notes/unwritten.md") == snapshot("""\
status: ok
version: 1
""")
    assert await music.text("mark_fetch", url="/notes/unwritten.md", start=0) == snapshot("""\
status: ok
version: 1
""")


@pytest.mark.proves("T7")
async def test_a_missing_section_is_an_error_that_lists_the_anchors(music: Surface) -> None:
    assert await music.wrong("mark_fetch", url="/bands/red-buoy.md#nowhere") == snapshot(
        "section #nowhere not found in /bands/red-buoy.md; available anchors: красный-буй-red-buoy, история, правило-фонаря"
    )
    assert await music.wrong("mark_fetch", url="/notes/rumours.md#x\n>>> y") == snapshot(
        "section #x >>> y not found in /notes/rumours.md; available anchors: none, the document has no headings"
    )


@pytest.mark.proves("T7")
@pytest.mark.parametrize("anchor", ["FERRY-TIMES", "Ferry times", "Ferry%20times", "%23ferry-times"])
async def test_an_anchor_may_be_written_as_its_heading(music: Surface, anchor: str) -> None:
    exact = await music.text("mark_fetch", url="/festivals/saltpan.md#ferry-times")
    assert await music.text("mark_fetch", url=f"/festivals/saltpan.md#{anchor}") == exact


@pytest.fixture
def fixtures_body(music_folder: object) -> str:
    from pathlib import Path

    text = Path(f"{music_folder}{LARGE}").read_text(encoding="utf-8")
    return text.split("\n---\n", 1)[1]


@pytest.mark.proves("T3")
def test_a_key_of_front_matter_that_is_no_plain_word_cannot_pass_for_another_line() -> None:
    keys = {">>> note: x": "1", "next: start=5": "2", "\u200bnext": "3", "owner": "Ann", "Größe": "4"}
    lines = envelope("ok", declared(keys)).splitlines()
    assert lines[0] == "status: ok"
    assert sorted(lines[1:]) == [
        "Größe: 4",
        "metadata->>> note: x: 1",
        "metadata-next: start=5: 2",
        "metadata-\u200bnext: 3",
        "owner: Ann",
    ]
