"""Named documents, seeds, chains, incoming relations: what is told at a glance, and in which order."""

import re
from dataclasses import replace

import pytest

from mark_expand import Ask, Expansion, Limits
from tests.expand.scenario import BYTES, Doc, Row, blocks, drive, frame, notes, world

HEAD = "status: ok\n"
LONG = "The pilot waits for the tide. " * 400


def told(
    rows: list[Row],
    *docs: Doc,
    terms: tuple[str, ...] = (),
    budget: int = 2000,
    limits: Limits | None = None,
    incoming: dict[str, list[tuple[str, str]]] | None = None,
    backwards: frozenset[str] = frozenset(),
) -> str:
    """The result with the hop right after the strongest match, and nothing read on unless `limits` say so."""
    limits = limits or Limits(read_on=False)
    ask = Ask(HEAD, rows, len(rows), 0, terms, budget, hop="early", limits=limits)
    ask = replace(ask, incoming=incoming or {}, backwards=backwards)
    return drive(Expansion(ask, BYTES), world(*docs)).text


def related(*targets: str, predicate: str = "by") -> dict[str, str]:
    return {f"rel-{predicate}": ", ".join(targets)}


@pytest.mark.proves("RK2")
def test_a_named_document_is_told_by_its_opening_and_a_short_one_whole() -> None:
    long = Doc("/long.md", f"# Long\n\nWhat it is.\n\n## More\n\n{LONG}", 1)
    short = Doc("/short.md", "# Short\n\nAll of it.\n\n## End\n\nReally.", 1)
    text = told([Row("/long.md", named=True), Row("/short.md", named=True)], long, short)
    assert blocks(text) == ["/long.md/v1", "/short.md/v1#short"]
    assert "What it is." in text
    assert "Really." in text
    assert any("opening text of" in note for note in notes(text))


@pytest.mark.proves("RK2")
def test_a_named_document_prints_the_section_that_was_asked_for() -> None:
    doc = Doc("/a.md", f"# A\n\nOpening.\n\n## Costs\n\nThree crowns.\n\n## More\n\n{LONG}", 1)
    assert blocks(told([Row("/a.md", "costs", named=True)], doc))[0] == "/a.md/v1#costs"


@pytest.mark.proves("RK2")
def test_where_its_relations_are_asked_for_the_opening_stands_for_it() -> None:
    doc = Doc("/a.md", f"# A\n\nOpening.\n\n## Costs\n\n{LONG}", 1, related("/b.md", predicate="depends-on"))
    text = told([Row("/a.md", "costs", named=True)], doc, Doc("/b.md", "B."), terms=("dependencies",))
    assert blocks(text) == ["/a.md/v1", "/b.md"]


@pytest.mark.proves("RK2", "X3")
def test_the_section_that_other_words_head_follows_the_relations_that_were_asked_for() -> None:
    declared = related("/b.md", predicate="depends-on")
    docs = [
        Doc("/a.md", f"# A\n\nOpening.\n\n## More\n\n{LONG}\n\n## Costs\n\nThree crowns.", 1, declared),
        Doc("/b.md", "B."),
        Doc("/c.md", f"# C\n\nOther.\n\n## More\n\n{LONG}", 1),
    ]
    rows = [Row("/a.md", "costs", named=True), Row("/c.md", "", named=True), Row("/c.md", "c")]
    text = told(rows, *docs, terms=("dependencies", "costs"))
    assert blocks(text)[:4] == ["/a.md/v1", "/b.md", "/c.md/v1", "/a.md/v1#costs"]
    assert "Three crowns." in text


@pytest.mark.proves("RK3")
@pytest.mark.parametrize(("budget", "whole"), [(400, True), (200, False)])
def test_the_strongest_document_prints_whole_where_it_is_small(budget: int, whole: bool) -> None:
    small = Doc("/a.md", "# A\n\nWhat it is.\n\n## Costs\n\nThree crowns.\n\n## End\n\n" + "Tide. " * 20, 1)
    found = blocks(told([Row("/a.md", "costs"), Row("/b.md", "two")], small, small_b(), budget=budget))
    assert found[0] == ("/a.md/v1#a" if whole else "/a.md/v1#costs")
    assert "/b.md/v1#two" in found, "only the strongest"
    none = told([Row("/a.md", "costs")], small, budget=budget, limits=Limits(leading=0))
    assert blocks(none) == ["/a.md/v1#costs"]


def small_b() -> Doc:
    return Doc("/b.md", "# B\n\nWhat it is.\n\n## Two\n\nTen crowns.", 1)


@pytest.mark.proves("RK3")
@pytest.mark.parametrize(("budget", "shown"), [(4000, True), (300, False)])
def test_the_opening_of_the_strongest_follows_where_it_is_cheap(budget: int, shown: bool) -> None:
    doc = Doc("/a.md", f"# A\n\n{'What it is. ' * 30}\n\n## More\n\n{LONG}\n\n## Costs\n\nThree crowns.", 1)
    found = blocks(told([Row("/a.md", "costs")], doc, budget=budget))
    assert found == (["/a.md/v1#costs", "/a.md/v1"] if shown else ["/a.md/v1#costs"])


@pytest.mark.proves("RK2", "X2", "R2")
def test_a_section_is_not_put_off_where_nothing_can_stand_for_its_document() -> None:
    chapters = "".join(f"## Chapter {n}\n\n" for n in range(200))
    declared = related("/b.md", predicate="depends-on")
    docs = Doc("/a.md", f"# A\n\n{chapters}## Costs\n\n- one", 1, declared), Doc("/b.md", "B is needed.")
    text = told([Row("/a.md", "costs", named=True)], *docs, terms=("depend", "costs"), budget=400)
    assert blocks(text) == ["/a.md/v1#costs", "/b.md"]
    assert notes(text) == ["expanded 1 of 1 rows and 1 related documents within the budget"]


@pytest.mark.proves("RK2", "H5")
def test_with_the_hop_last_a_section_that_was_put_off_comes_after_it() -> None:
    declared = related("/b.md", predicate="depends-on")
    body = f"# A\n\nWhat it is.\n\n## More\n\n{LONG}\n\n## Costs\n\nThree crowns."
    rows = [Row("/a.md", "costs", named=True), Row("/c.md")]
    docs = world(Doc("/a.md", body, 1, declared), Doc("/b.md", "B."), Doc("/c.md", "C."))
    ask = Ask(HEAD, rows, 2, 0, ("depend",), 2000, limits=Limits(read_on=False), hop="last")
    text = drive(Expansion(ask, BYTES), docs).text
    assert blocks(text) == ["/a.md/v1", "/c.md", "/b.md", "/a.md/v1#costs"]


@pytest.mark.proves("O8")
def test_a_heading_alone_prints_no_block() -> None:
    doc = Doc("/a.md", f"# A\n\n{LONG}\n\n## Empty\n\n## Costs\n\nThree crowns.", 1)
    text = told([Row("/a.md", "empty"), Row("/a.md", "costs")], doc)
    assert blocks(text)[0] == "/a.md/v1#costs"
    assert "## Empty" not in text


@pytest.mark.proves("O8")
def test_comments_count_as_nothing() -> None:
    comments = "<!-- pilot: lint off -->\n<!--\non again -->"
    doc = Doc("/a.md", f"{comments}\n\n# A\n\n{comments}\n\n## Costs\n\nTea.\n\n## More\n\n{LONG}", 1)
    text = told([Row("/a.md", "a"), Row("/a.md"), Row("/a.md", "costs")], doc, terms=("pilot",), budget=600)
    assert "<!--" not in text
    assert "Tea." in text


@pytest.mark.proves("O4")
@pytest.mark.parametrize("nothing", ["Date: 2020-01-02", "⏱ [[2022-08-16]] 23:07", "Accepted"])
def test_an_opening_begins_where_something_is_said(nothing: str) -> None:
    doc = Doc("/a.md", f"# A\n\n{nothing}\n\n## Context\n\nWhat it is.\n\n## More\n\n{LONG}", 1)
    text = told([Row("/a.md", named=True)], doc, budget=400)
    assert "What it is." in text
    assert nothing not in text
    alone = told([Row("/a.md", named=True)], Doc("/a.md", f"# A\n\n{nothing}\n\n```\n{LONG}\n```", 1))
    assert nothing in alone


@pytest.mark.proves("HP2", "H3")
def test_a_chain_does_not_lead_back_to_a_document_whose_relations_were_followed() -> None:
    docs = [
        Doc("/a.md", f"# A\n\nWhat it is.\n\n## Two\n\n{LONG}", 1, related("/b.md")),
        Doc("/b.md", "B.", 1, related("/a.md", "/c.md")),
        Doc("/c.md", "C."),
    ]
    assert blocks(told([Row("/a.md", "two")], *docs, budget=4000)) == ["/a.md/v1#two", "/b.md/v1", "/c.md"]


@pytest.mark.proves("HP3")
def test_what_others_declare_is_told_once_and_counted_by_predicate() -> None:
    incoming = {"/a.md": [("needs", "/n.md"), *(("supersedes", f"/s{n}.md") for n in range(3))]}
    doc = Doc("/a.md", f"# A\n\nWhat it is.\n\n## One\n\nText.\n\n## Two\n\nText.\n\n## More\n\n{LONG}", 1)
    rows = [Row("/a.md", "one", named=True), Row("/a.md", "two", named=True)]
    text = told(rows, doc, budget=4000, incoming=incoming)
    lines = [line for line in text.splitlines() if " is rel-" in line]
    assert lines == [">>> related: /a.md is rel-needs of /n.md; rel-supersedes of /s0.md, /s1.md, /s2.md"]
    short = [told(rows[:1], doc, budget=budget, incoming=incoming) for budget in range(100, 240, 4)]
    assert any(
        ">>> related: /a.md is rel-needs of /n.md; +3 under other predicates\n" in one for one in short
    )


@pytest.mark.proves("X1")
def test_an_opening_that_does_not_fit_is_listed_with_the_size_of_what_a_fetch_brings() -> None:
    docs = Doc("/a.md", "A.", 1, related("/b.md")), Doc("/b.md", f"# B\n\n{LONG}", 1)
    texts = [told([Row("/a.md")], *docs, budget=budget) for budget in range(60, 160, 4)]
    listed = {note for text in texts for note in notes(text) if note.startswith("did not fit: /b")}
    assert listed == {"did not fit: /b.md/v1#b (~3006 tokens)"}


@pytest.mark.proves("HP3", "HP5")
def test_a_line_that_is_asked_for_may_name_more() -> None:
    doc, rows = Doc("/a.md", "# A\n\nText.", 1), [Row("/a.md", named=True)]
    incoming = {"/a.md": [("depends-on", f"/services/{n:02}.md") for n in range(12)]}
    names = [
        told(rows, doc, budget=330, incoming=incoming, backwards=frozenset(asked)).count("/services/")
        for asked in ((), ("depends-on",))
    ]
    assert names[0] < 12
    assert names[1] >= 12


@pytest.mark.proves("H1", "H4")
def test_three_documents_seed_the_hop_and_three_related_ones_print() -> None:
    docs = [Doc(f"/{i}.md", f"# Row {i}\n\nText.", 1, related(f"/t{i}.md")) for i in range(4)]
    targets = [Doc(f"/t{i}.md", f"Target {i}.") for i in range(4)]
    found = blocks(told([Row(f"/{i}.md") for i in range(4)], *docs, *targets))
    assert found[:6] == ["/0.md/v1#row-0", "/t0.md", "/1.md/v1#row-1", "/t1.md", "/2.md/v1#row-2", "/t2.md"]
    assert found[6:] == ["/3.md/v1#row-3"]


@pytest.mark.proves("HP1")
def test_targets_that_the_question_asks_for_come_first() -> None:
    metadata = {**related("/a.md", predicate="depends-on"), **related("/z.md", predicate="superseded-by")}
    docs = (Doc("/s.md", "S.", 1, metadata), Doc("/a.md", "A."), Doc("/z.md", "Z."))
    assert blocks(told([Row("/s.md")], *docs, terms=("successor",))) == ["/s.md/v1", "/z.md", "/a.md"]
    assert blocks(told([Row("/s.md")], *docs, terms=("tides",))) == ["/s.md/v1", "/a.md", "/z.md"]


@pytest.mark.proves("HP1")
def test_targets_that_are_not_asked_for_wait_until_other_named_documents_were_told() -> None:
    docs = [
        Doc(f"/{n}.md", f"Film {n}.", 1, {"rel-directed-by": f"/d{n}.md", "rel-cast": f"/c{n}.md"})
        for n in (1, 2)
    ]
    docs += [Doc(f"/{letter}{n}.md", f"Person {letter}{n}.") for letter in "cd" for n in (1, 2)]
    docs += [Doc("/e.md", "Another.")]
    for asked, named, order in (
        ("directed", True, ["/1.md/v1", "/d1.md", "/2.md/v1", "/d2.md", "/c1.md", "/e.md"]),
        ("directed", False, ["/1.md/v1", "/d1.md", "/c1.md", "/2.md/v1", "/d2.md", "/e.md"]),
        ("tides", True, ["/1.md/v1", "/c1.md", "/d1.md", "/2.md/v1", "/c2.md", "/e.md"]),
    ):
        rows = [Row("/1.md", named=True), Row("/2.md", named=named), Row("/e.md")]
        assert blocks(told(rows, *docs, terms=(asked,))) == order


@pytest.mark.proves("HP1", "HP2")
def test_a_chain_goes_on_behind_a_target_that_is_not_asked_for() -> None:
    first = {"rel-directed-by": "/d.md", "rel-cast": "/c.md"}
    docs = [Doc("/1.md", "Film.", 1, first), Doc("/d.md", "D."), Doc("/c.md", "C.", 1, related("/e.md"))]
    docs += [Doc("/e.md", "E.")]
    found = blocks(told([Row("/1.md", named=True)], *docs, terms=("directed",)))
    assert found == ["/1.md/v1", "/d.md", "/c.md/v1", "/e.md"]


@pytest.mark.proves("HP1")
def test_of_equal_targets_those_that_are_rows_come_first() -> None:
    metadata = {**related("/a.md", "/c.md", predicate="depends-on"), **related("/z.md", predicate="by")}
    docs = (Doc("/s.md", "S.", 1, metadata), Doc("/a.md", "A."), Doc("/c.md", "C."), Doc("/z.md", "Z."))
    rows = [Row("/s.md"), Row("/c.md"), Row("/z.md")]
    assert blocks(told(rows, *docs)) == ["/s.md/v1", "/c.md", "/z.md", "/a.md"]
    asked = told(rows, *docs, terms=("dependencies",))
    assert blocks(asked) == ["/s.md/v1", "/c.md", "/a.md", "/z.md"]


@pytest.mark.proves("HP2")
def test_a_chain_is_followed_to_the_third_document_and_a_circle_ends() -> None:
    line = [Doc(f"/{i}.md", f"Link {i}.", 1, related(f"/{i + 1}.md")) for i in range(6)]
    assert blocks(told([Row("/0.md")], *line)) == ["/0.md/v1", "/1.md/v1", "/2.md/v1", "/3.md/v1"]
    circle = [Doc("/a.md", "A.", 1, related("/b.md")), Doc("/b.md", "B.", 1, related("/a.md"))]
    assert blocks(told([Row("/a.md")], *circle)) == ["/a.md/v1", "/b.md/v1"]


@pytest.mark.proves("HP3")
def test_what_others_declare_is_one_line_and_the_rest_a_count() -> None:
    sources = [("depends-on", f"/s{i:02}.md") for i in range(40)]
    text = told([Row("/a.md", named=True)], Doc("/a.md", "A.", 1), incoming={"/a.md": sources})
    line = next(line for line in frame(text) if line.startswith("related: "))
    assert line.startswith("related: /a.md is rel-depends-on of /s00.md, /s01.md")
    assert line.endswith("/s11.md +28 more")
    few = told([Row("/a.md", named=True)], Doc("/a.md", "A.", 1), incoming={"/a.md": sources}, budget=160)
    assert "related: " not in few or few.count("/s") <= 3


@pytest.mark.proves("HP2")
def test_the_relations_of_a_lone_target_are_followed_where_all_of_them_may_print() -> None:
    ends = [Doc(f"/t{n}.md", f"Target {n}.") for n in range(4)]
    for number, found in ((2, ["/t0.md", "/t1.md"]), (4, [])):
        middle = Doc("/m.md", "M.", 1, related(*(f"/t{n}.md" for n in range(number))))
        text = told([Row("/s.md")], Doc("/s.md", "S.", 1, related("/m.md")), middle, *ends)
        assert blocks(text) == ["/s.md/v1", "/m.md/v1", *found]


@pytest.mark.proves("HP5", "H3")
def test_what_is_asked_for_backwards_is_followed_first_and_nothing_else_changes() -> None:
    sources = {"/a.md": [("depends-on", "/x.md"), ("depends-on", "/y.md"), ("replaces", "/z.md")]}
    docs = [Doc("/a.md", "A.", 1, related("/own.md", "/x.md"))]
    docs += [Doc(path, f"Text of {path}.") for path in ("/own.md", "/x.md", "/y.md", "/z.md")]
    rows = [Row("/a.md", named=True)]
    text = told(rows, *docs, incoming=sources, backwards=frozenset({"depends-on"}))
    assert blocks(text) == ["/a.md/v1", "/x.md", "/y.md", "/own.md"]
    assert blocks(told(rows, *docs, incoming=sources)) == ["/a.md/v1", "/own.md", "/x.md"]


@pytest.mark.proves("H4")
def test_related_documents_leave_room_for_the_named_ones_below() -> None:
    seed, target = Doc("/a.md", "A.", 1, related("/t.md")), Doc("/t.md", f"# T\n\n{LONG}", 1)
    other = Doc("/b.md", f"# B\n\n{LONG}", 1)
    alone, both = (
        told([Row("/a.md", named=True), Row("/b.md", named=named)], seed, target, other, budget=300)
        for named in (False, True)
    )
    assert blocks(both) == ["/a.md/v1", "/t.md/v1", "/b.md/v1"]
    assert opening(both, "/t.md/v1") < opening(alone, "/t.md/v1")


@pytest.mark.proves("H4")
@pytest.mark.parametrize(("words", "printed"), [(40, True), (70, True), (200, False)])
def test_a_related_document_tells_its_first_sentence_where_its_share_is_shorter(
    words: int, printed: bool
) -> None:
    sentence = f"It {'is long ' * (words // 2)}so it ends."
    targets = [Doc(f"/t{n}.md", f"# T\n\n{sentence} {LONG}", 1) for n in range(2)]
    seed = Doc("/a.md", "A.", 1, related("/t0.md", "/t1.md"))
    text = told([Row("/a.md")], seed, *targets, budget=250)
    assert (f">>> /t0.md/v1\n\n{sentence}" in text) == printed
    assert (f">>> /t1.md/v1\n\n{sentence}" in text) == (words == 40)


@pytest.mark.proves("RK3")
@pytest.mark.parametrize(("anchor", "printed"), [("context", False), ("costs", True)])
def test_an_opening_that_a_row_below_holds_is_left_to_that_row(anchor: str, printed: bool) -> None:
    parts = ("Context\n\nWhat it is.", f"More\n\n{LONG}", "Costs\n\nTea.", "End\n\nIt ends.")
    doc = Doc("/a.md", "\n\n## ".join(("# A", *parts)), 1)
    text = told([Row("/a.md", "end"), Row("/a.md", anchor)], doc)
    assert ("note: opening text of" in text) == printed
    assert f">>> /a.md/v1#{anchor}\n" in text
    assert "encloses" not in text


@pytest.mark.proves("RK2")
@pytest.mark.parametrize(
    ("metadata", "others", "whole"),
    [({}, [], True), (related("/b.md"), [], False), ({}, [Row("/c.md", named=True)], False)],
    ids=["alone", "it declares a relation", "another one is named"],
)
def test_a_named_document_prints_whole_where_it_is_alone_and_leaves_a_quarter(
    metadata: dict[str, str], others: list[Row], whole: bool
) -> None:
    doc = Doc("/a.md", f"# A\n\n{'It is so. ' * 100}\n\n## End\n\nIt ends.", 1, metadata)
    docs = [doc, Doc("/b.md", "B."), Doc("/c.md", "C.")]
    text = told([Row("/a.md", named=True), *others], *docs, budget=440)
    assert ("It ends." in text) == whole
    assert "It ends." not in told([Row("/a.md", named=True)], doc, budget=360)


NUMBERED = "".join(f"Step {n} of the pilot is done.\n\n" for n in range(200))


@pytest.mark.proves("RK7")
def test_what_room_is_left_goes_to_what_follows_a_window_and_an_opening() -> None:
    doc = Doc("/a.md", f"# A\n\n## Two\n\n{NUMBERED}", 1)
    for row in (Row("/a.md", "two"), Row("/a.md", named=True)):
        ask = Ask(HEAD, [row], 1, 0, ("pilot",), 900, hop="early", oversized="excerpt")
        text = drive(Expansion(ask, BYTES), world(doc)).text
        steps = [int(step) for step in re.findall(r"Step (\d+) of", text)]
        assert steps == [*range(steps[0], steps[-1] + 1)], "verbatim, without gap and repetition"
        assert len(blocks(text)) == 2
        assert 800 * 4 < len(text.encode()) <= 900 * 4
        off = replace(ask, limits=Limits(read_on=False))
        assert len(drive(Expansion(off, BYTES), world(doc)).text) < len(text) / 2


@pytest.mark.proves("RK7")
def test_a_row_whose_section_holds_the_opening_prints_what_follows_it() -> None:
    parts = ("# A", f"Reasons\n\nThere are these. {NUMBERED[:1500]}The last.", f"More\n\n{LONG}")
    doc = Doc("/a.md", "\n\n## ".join(parts), 1)
    for budget, whole in ((900, True), (500, False)):
        text = told([Row("/a.md", named=True), Row("/a.md", "reasons")], doc, budget=budget, limits=Limits())
        assert blocks(text)[:2] == ["/a.md/v1", "/a.md/v1#reasons"]
        steps = [int(step) for step in re.findall(r"Step (\d+) of", text)]
        assert steps == [*range(len(steps))]
        assert ("The last." in text) == whole
        assert "expanded 2 of 2 rows within" in text
    # The section of a title is the document, of which the opening is told and no more.
    titled = Doc("/a.md", f"# A\n\n{NUMBERED}", 1)
    text = told([Row("/a.md", named=True), Row("/a.md", "a")], titled)
    assert blocks(text) == ["/a.md/v1"]


@pytest.mark.proves("C1")
def test_no_note_says_that_a_row_is_within_its_own_block() -> None:
    docs = [Doc("/a.md", "A.", 1, related("/b.md")), Doc("/b.md", "# B\n\nText.", 1)]
    text = told([Row("/a.md"), Row("/b.md", "b")], *docs)
    assert blocks(text) == ["/a.md/v1", "/b.md/v1#b"]
    assert "is within" not in text
    assert "(1 covered)" in text
    assert "more rows" not in text


@pytest.mark.proves("O4")
def test_a_summary_that_ends_a_document_is_not_its_opening() -> None:
    chapter = Doc("/a.md", f"# A\n\nWhat comes.\n\n## Two\n\n{LONG}\n\n## Summary\n\nWell done!", 1)
    assert "What comes." in told([Row("/a.md", named=True)], chapter, budget=500)
    proposal = Doc("/a.md", f"# A\n\nStatus of it.\n\n## Summary\n\nWhat it is.\n\n## Two\n\n{LONG}", 1)
    text = told([Row("/a.md", named=True)], proposal, budget=500)
    assert "What it is." in text
    assert "Status of it." not in text


@pytest.mark.proves("O4")
def test_an_opening_that_announces_a_list_tells_of_its_first_items() -> None:
    items = "".join(f"- Reason {n} is a good one.\n" for n in range(90))
    doc = Doc("/a.md", f"# A\n\nThe reasons are:\n\n{items}", 1)
    text = told([Row("/a.md", named=True)], doc, budget=500)
    assert "The reasons are:\n\n- Reason 0 is a good one.\n- Reason 1 is a good one." in text
    assert text.count("- Reason") == text.count("is a good one.")
    plain = Doc("/a.md", f"# A\n\nThere are reasons.\n\n{items}", 1)
    assert "- Reason" not in told([Row("/a.md", named=True)], plain, budget=500)


@pytest.mark.proves("RK7", "C1")
def test_reading_on_ends_where_other_text_of_the_document_printed() -> None:
    parts = ("# A\n\nWhat it is.", f"Two\n\n{NUMBERED[:600]}", "Costs\n\nThree crowns.", f"More\n\n{LONG}")
    doc = Doc("/a.md", "\n\n## ".join(parts), 1)
    rows = [Row("/a.md", named=True), Row("/a.md", "costs")]
    text = told(rows, doc, budget=700, limits=Limits())
    assert text.count("Three crowns.") == 1
    assert text.count("Step 5 of") == 1
    assert "overlap" not in text


@pytest.mark.proves("RK7", "B1")
def test_reading_on_keeps_to_the_budget_and_leaves_no_scraps() -> None:
    doc = Doc("/a.md", f"# A\n\nWhat it is.\n\n## Two\n\n{NUMBERED}", 1)
    for budget in range(60, 400, 7):
        text = told([Row("/a.md", named=True)], doc, budget=budget, limits=Limits())
        assert len(text.encode()) <= budget * 4
        pages = re.findall(r">>> /a.md/v1\n\n(.*?)\n\n>>> note: characters", text, re.DOTALL)
        assert all(len(page) >= 120 for page in pages)


@pytest.mark.proves("X1")
def test_what_stands_before_the_first_heading_is_listed_with_the_size_of_the_document() -> None:
    doc = Doc("/a.md", f"{'Boats wait here. ' * 20}\n\n# A\n\n{LONG}", 1)
    rows = [Row("/b.md"), Row("/a.md")]
    texts = [told(rows, doc, Doc("/b.md", "B."), terms=("boats",), budget=budget) for budget in (90, 100)]
    assert [note for text in texts for note in notes(text) if note.startswith("did not fit: /a.md/v1 (~3")]
    assert not [note for text in texts for note in notes(text) if "(~8" in note]


@pytest.mark.proves("X2")
def test_the_row_that_the_page_begins_with_is_named_though_a_policy_tries_it_last() -> None:
    docs = [Doc(f"/{n}.md", f"# Row {n}\n\n{LONG[:600]}", 1) for n in range(4)]
    rows = [Row(f"/{n}.md") for n in (3, 2, 1, 0)]
    ask = Ask(HEAD, rows, 1, 8, (), 260, limits=Limits())
    text = drive(Expansion(replace(ask, places=[3, 2, 1, 0]), BYTES), world(*docs)).text
    assert blocks(text) == ["/3.md/v1#row-3"]
    assert any(note.startswith("did not fit: /0.md/v1#row-0 ") for note in notes(text))
    assert "offset=8" not in text


@pytest.mark.proves("X2", "F1")
def test_the_row_that_the_page_begins_with_is_named_though_nothing_was_fetched_for_it() -> None:
    docs = [Doc(f"/{n}.md", f"# Row {n}\n\n{LONG[:600]}", 1) for n in range(14)]
    rows = [Row(f"/{n}.md") for n in range(13, -1, -1)]
    ask = Ask(HEAD, rows, 1, 8, (), 260, limits=Limits(fetches=3))
    text = drive(Expansion(replace(ask, places=[*range(13, -1, -1)]), BYTES), world(*docs)).text
    assert any(note.startswith("did not fit: /0.md") for note in notes(text))
    assert text.endswith("offset=9\n")


@pytest.mark.proves("HP1")
def test_a_target_that_is_asked_for_of_one_document_is_not_put_aside_for_another() -> None:
    first = {"rel-founded-by": "/f.md", "rel-part-of": "/p1.md, /p2.md, /z.md/"}
    docs = [Doc("/s.md", "S.", 1, first), Doc("/g.md", "G.", 1, {"rel-founded-by": "/z.md"})]
    docs += [Doc(path, f"Text of {path}.") for path in ("/f.md", "/p1.md", "/p2.md", "/z.md", "/z.md/")]
    rows = [Row("/s.md", named=True), Row("/g.md", named=True)]
    ask = Ask(HEAD, rows, 2, 0, ("founded",), 2000, hop="early", limits=Limits(read_on=False))
    result = drive(Expansion(ask, BYTES), world(*docs))
    found = blocks(result.text)
    assert found[:3] == ["/s.md/v1", "/f.md", "/g.md/v1"]
    assert found[3].startswith("/z.md")
    assert [path for path in result.trace.fetches if path.startswith("/z.md")] == ["/z.md/"]


@pytest.mark.proves("RK2", "X2")
def test_a_stub_that_is_put_off_counts_as_expanded() -> None:
    body = f"# Old Mill\n\nsame text here.\n\n## Overview\n\nmoon and tide.\n\n## More\n\n{LONG}"
    docs = [Doc(f"/{n}.md", body, 1, related("/z.md", predicate="depends-on")) for n in "ab"]
    rows = [Row(f"/{n}.md", "overview", named=True) for n in "ab"]
    text = told(rows, *docs, Doc("/z.md", "Z."), terms=("depends",))
    assert "same text as /a.md/v1" in text
    assert "expanded 2 of 2 rows and 1 related" in text


@pytest.mark.proves("H4", "H3")
def test_two_spellings_of_a_path_are_one_document() -> None:
    metadata = related("/f.md#life", "/f.md/#death", "/cafe\u0301.md", "/a.md/", "/o.md")
    docs = [Doc("/a.md", "A.", 1, metadata), Doc("/f.md", "# Life\n\nx\n\n# Death\n\ny")]
    docs += [Doc("/caf\u00e9.md", "C."), Doc("/o.md", "O.")]
    text = told([Row("/a.md"), Row("/caf\u00e9.md")], *docs)
    assert blocks(text) == ["/a.md/v1", "/caf\u00e9.md", "/f.md#life", "/f.md#death", "/o.md"]


def opening(text: str, where: str) -> int:
    return len(text.partition(f">>> {where}\n\n")[2].partition("\n\n>>>")[0])


@pytest.mark.proves("C1", "X3")
def test_no_note_says_what_covers_a_row_of_a_named_document() -> None:
    doc = Doc("/a.md", "# A\n\nAll of it.\n\n## End\n\nReally.", 1)
    for named, said in ((True, False), (False, True)):
        text = told([Row("/a.md", named=named), Row("/a.md", "end")], doc)
        assert ("is within /a.md/v1#a above" in text) == said
        assert "expanded 1 of 2 rows (1 covered)" in text
        assert "more rows" not in text


MANY = tuple(f"/t{n:03}.md" for n in range(300))


@pytest.mark.proves("R2", "H1", "B2")
def test_a_line_that_is_too_long_names_what_is_asked_for_and_only_that_is_followed() -> None:
    seed = Doc("/s.md", "S.", 1, {**related(*MANY), **related("/z.md", predicate="superseded-by")})
    docs = (seed, *(Doc(path, f"Target {path}.") for path in (*MANY, "/z.md")))
    for budget in (150, 250, 400):
        text = told([Row("/s.md")], *docs, terms=("successor",), budget=budget)
        line = next(line for line in frame(text) if line.startswith("related: "))
        *names, last = re.findall(r"/\w+\.md", line)
        assert [*names, last] == [*MANY[: len(names)], "/z.md"]
        assert line.endswith(f" +{300 - len(names)} more")
        assert len(names) < 40
        assert len(text.encode()) <= 4 * budget
        assert blocks(text)[:2] == ["/s.md/v1", "/z.md"]
        assert set(blocks(text)[2:]) <= set(names)
    plain = told([Row("/s.md")], *docs, terms=("tides",), budget=200)
    assert "; rel-superseded-by /z.md +" in plain, "of the first tier of the hop"


@pytest.mark.proves("R2")
def test_a_line_that_fits_names_all_and_one_name_is_printed_where_no_more_fits() -> None:
    far = [f"/{'n' * 90}{n}.md" for n in range(3)]
    docs = [Doc("/s.md", "S.", 1, related(*far)), *(Doc(path, "Far.") for path in far)]
    shown = {
        len(line.split(", ")): line.endswith(more)
        for budget in range(40, 260, 4)
        for line in frame(told([Row("/s.md")], *docs, budget=budget))
        if line.startswith("related: ")
        for more in ("0.md +2 more" if ", " not in line else "2.md",)
    }
    assert shown == {1: True, 3: True}


@pytest.mark.proves("HP2", "R2")
def test_a_related_document_that_declares_many_is_no_link_of_a_chain_though_one_is_named() -> None:
    far = [f"/{'n' * 120}{n}.md" for n in range(9)]
    docs = [Doc("/s.md", "S.", 1, related("/b.md")), Doc("/b.md", "B.", 1, related(*far))]
    text = told([Row("/s.md")], *docs, *(Doc(path, "Far.") for path in far), budget=200)
    assert "0.md +8 more" in text
    assert blocks(text) == ["/s.md/v1", "/b.md/v1"]
