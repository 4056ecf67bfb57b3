"""The hop and the fetches: what is asked for, when, and what never is."""

from dataclasses import replace

import pytest

from mark_expand import Ask, Expansion, Failure, Limits
from tests.expand.scenario import (
    BYTES,
    PLAIN,
    Answers,
    Costs,
    Doc,
    Row,
    blocks,
    counted,
    drive,
    expand,
    notes,
    world,
)

HEAD = "h\n"


def many(count: int, **metadata: str) -> dict[str, Doc | Failure]:
    return world(
        *(Doc(f"/{n}.md", f"# {n}\n\ntext {n}", metadata=metadata if n == 0 else {}) for n in range(count))
    )


def start(rows: list[Row], budget: int = 4000, limits: Limits | None = None) -> Expansion:
    return Expansion(Ask(HEAD, rows, len(rows), 0, (), budget, limits=limits or PLAIN), BYTES)


def answer(expansion: Expansion, docs: Answers, path: str) -> None:
    expansion.receive(path, docs.get(path, Failure("not-found")))


@pytest.mark.proves("F1", "F2")
def test_four_documents_are_under_way_and_the_next_follows_a_decision_not_an_answer() -> None:
    docs = many(9)
    expansion = start([Row(path) for path in docs])
    assert expansion.wanted == ["/0.md", "/1.md", "/2.md", "/3.md"]
    answer(expansion, docs, "/2.md")
    assert expansion.wanted == ["/0.md", "/1.md", "/3.md"]
    answer(expansion, docs, "/0.md")
    assert expansion.wanted == ["/1.md", "/3.md", "/4.md"]
    answer(expansion, docs, "/1.md")
    assert expansion.wanted == ["/3.md", "/4.md", "/5.md", "/6.md"]


@pytest.mark.proves("F2")
def test_seven_are_started_while_the_seed_is_undecided_and_then_one_at_a_time() -> None:
    rows = [Row(f"/{n}.md") for n in range(12)]
    expansion = start(rows)
    waiting = []
    while not expansion.done:
        waiting.append(len(expansion.wanted))
        expansion.receive(expansion.wanted[0], Failure("not-found"))
    assert waiting == [4, 4, 4, 4, 3, 2, 1, 1, 1, 1]


@pytest.mark.proves("F2", "H4")
def test_as_many_targets_are_under_way_as_may_still_print() -> None:
    docs = world(
        Doc("/a.md", "# A", metadata={"rel-by": ",".join(f"/{n}.md" for n in range(5))}), Doc("/0.md", "# 0")
    )
    expansion = start([Row("/a.md")])
    answer(expansion, docs, "/a.md")
    assert expansion.wanted == ["/0.md", "/1.md", "/2.md"]
    answer(expansion, docs, "/0.md")
    assert expansion.wanted == ["/1.md", "/2.md"]
    answer(expansion, docs, "/1.md")
    assert expansion.wanted == ["/2.md", "/3.md"]


@pytest.mark.proves("X1", "H5")
def test_rows_are_named_before_targets_though_these_were_tried_first() -> None:
    big = f"## Big\n\n{'salt ' * 400}"
    docs = world(Doc("/a.md", "# A", metadata={"rel-by": "/t.md#big"}), Doc("/t.md", big), Doc("/b.md", big))
    result = expand([Row("/a.md"), Row("/b.md", "big")], docs, 300, head=HEAD, hop="early")
    assert notes(result.text)[0].startswith("did not fit: /b.md#big (~506 tokens), /t.md#big (~506")


@pytest.mark.proves("F1")
def test_ten_documents_are_fetched_failures_counted_and_the_rest_is_one_note() -> None:
    result = expand([Row(f"/{n}.md") for n in range(14)], {}, head=HEAD)
    assert len(result.trace.fetches) == 10
    assert sum("fetch limit of 10" in note for note in notes(result.text)) == 1
    assert [entry.reason for entry in result.trace.entries].count("fetch_limit") == 4


@pytest.mark.proves("F1", "H3")
@pytest.mark.parametrize(
    ("targets", "rows_fetched"),
    [
        ("/x.md", 9),
        ("/x.md,/y.md", 8),
        ("/x.md,/y.md,/z.md,/w.md", 7),
        ("/1.md,mark://far/x.md", 10),
        ("", 10),
    ],
)
def test_fetches_are_kept_only_for_targets_that_may_be_followed(targets: str, rows_fetched: int) -> None:
    docs = many(12, **{"rel-by": targets})
    result = expand([Row(path) for path in docs], docs, head=HEAD)
    assert sum(path in docs for path in result.trace.fetches) == rows_fetched
    assert (
        len(result.trace.fetches)
        == min(10, rows_fetched + targets.count("/x.md") + 2 * targets.count("/y.md"))
        or 10
    )


@pytest.mark.proves("F1", "H1")
def test_nothing_is_kept_where_no_name_of_the_relation_line_fits() -> None:
    far = ",".join(f"/{'t' * 600}{n}.md" for n in range(4))
    docs = many(12, **{"rel-by": far})
    result = expand([Row(path) for path in docs], docs, 150, head=HEAD)
    assert "related:" not in result.text
    assert not any("ttt" in path for path in result.trace.fetches)
    assert not [entry for entry in result.trace.entries if entry.origin == "related"]


@pytest.mark.proves("F1", "F4")
def test_a_document_is_fetched_once_whatever_its_rows_and_fragments() -> None:
    docs = many(1, **{"rel-by": "/x.md#a,/x.md#b"})
    rows = [Row("/0.md"), Row("/9.md"), Row("/0.md", "0"), Row("/9.md", "x")]
    result = expand(rows, docs, head=HEAD)
    assert result.trace.fetches == ["/0.md", "/9.md", "/x.md"]
    assert [note for note in notes(result.text) if "not-found" in note] == [
        "/9.md: not-found",
        "/x.md: not-found",
    ]


@pytest.mark.proves("F3")
def test_a_row_is_fetched_where_its_own_text_could_fit() -> None:
    dear, fitting = Costs("bytes", 10**6, 10**6), Costs("bytes", 10**6, 10)
    rows = [Row("/a.md", "a", costs=dear), Row("/b.md", "b", costs=fitting), Row("/c.md", costs=dear)]
    assert start(rows).wanted == ["/b.md", "/c.md"]


@pytest.mark.proves("F3", "X4")
def test_a_row_that_cannot_fit_is_listed_though_a_row_below_has_its_document_fetched() -> None:
    dear = Row("/a.md", "a", costs=Costs("bytes", 10**6, 10**6))
    docs = world(Doc("/a.md", f"## A\n\n### B\n\n{'salt ' * 900}\n\n## C\n\ntext"))
    for rows in ([dear], [dear, Row("/a.md", "c")]):
        result = expand(rows, docs, 300, head=HEAD)
        first = result.trace.entries[0]
        assert (first.outcome, first.reason, first.kind) == ("omitted", "budget", "")
    assert blocks(result.text) == ["/a.md#c"]


@pytest.mark.proves("F2", "F3")
def test_a_row_that_cannot_fit_frees_no_place_for_a_document_under_way() -> None:
    dear = [Row(f"/{n}.md", "a", costs=Costs("bytes", 10**6, 10**6)) for n in range(4)]
    assert start([*dear, *(Row(f"/{n}.md") for n in range(8))]).wanted == ["/0.md", "/1.md", "/2.md", "/3.md"]


@pytest.mark.proves("F3")
def test_nothing_is_started_once_nothing_can_fit() -> None:
    docs = [Doc(f"/{n}.md", "# T\n\n" + "x" * 200) for n in range(9)]
    rows = [Row(doc.path) for doc in docs]
    results = [expand(rows, world(*docs), budget, head=HEAD) for budget in range(100, 200)]
    after_one = [result for result in results if len(blocks(result.text)) == 1]
    assert min(len(result.trace.fetches) for result in after_one) == 4
    (unfetched,) = {
        (entry.outcome, entry.reason)
        for result in after_one
        for entry in result.trace.entries
        if not entry.kind
    }
    assert unfetched == ("omitted", "budget")


@pytest.mark.proves("F3", "X1")
def test_a_target_that_cannot_fit_is_not_fetched() -> None:
    target = "/" + "t" * 600 + ".md"
    docs = many(1, **{"rel-by": target})
    result = expand([Row("/0.md")], docs, 240, head=HEAD)
    assert "related:" in result.text
    assert result.trace.fetches == ["/0.md"]
    assert [(e.outcome, e.reason) for e in result.trace.entries if e.origin == "related"] == [
        ("omitted", "budget")
    ]


@pytest.mark.proves("F5")
def test_a_stopped_lookup_prints_what_came_and_wants_nothing_more() -> None:
    docs = many(6, **{"rel-by": "/x.md"})
    expansion = start([Row(path) for path in docs])
    answer(expansion, docs, "/3.md")
    answer(expansion, docs, "/0.md")
    expansion.stop()
    assert (expansion.done, expansion.wanted) == (True, [])
    assert blocks(expansion.result.text) == ["/0.md#0", "/3.md#3"]
    reasons = [entry.reason for entry in expansion.result.trace.entries if entry.outcome == "omitted"]
    assert reasons == ["deadline"] * 5
    text = expansion.result.text
    answer(expansion, docs, "/1.md")
    expansion.stop()
    assert expansion.result.text == text


@pytest.mark.proves("F5")
def test_the_stop_note_says_the_limit_in_seconds() -> None:
    expansion = start([Row("/a.md")], limits=replace(PLAIN, deadline=2.5))
    expansion.stop()
    assert notes(expansion.result.text)[0] == "stopped: deadline of 2.5 s reached"


@pytest.mark.proves("H1")
def test_a_later_document_does_not_seed_the_hop() -> None:
    docs = world(Doc("/a.md", "# A"), Doc("/b.md", "# B", metadata={"rel-by": "/c.md"}), Doc("/c.md", "# C"))
    result = expand([Row("/a.md"), Row("/b.md")], docs, head=HEAD)
    assert result.trace.seed == "/a.md"
    assert "/c.md" not in result.trace.fetches


@pytest.mark.proves("H2")
def test_every_strong_predicate_comes_before_the_others_in_line_order() -> None:
    strong = ["depends-on", "derived-from", "implements", "superseded-by", "supersedes"]
    metadata = {f"rel-{predicate}": f"/{predicate}.md" for predicate in [*strong, "about", "see"]}
    result = expand([Row("/a.md")], world(Doc("/a.md", "# A", metadata=metadata)), head=HEAD)
    assert result.trace.fetches[1:] == [f"/{predicate}.md" for predicate in [*strong, "about", "see"]]


@pytest.mark.proves("H3")
def test_skipped_targets_say_why_in_the_trace() -> None:
    metadata = {"rel-by": "/b.md,mark://far/c.md,mailto:c@far,/secret.md,/1.md,/2.md,/3.md,/4.md"}
    docs = world(Doc("/a.md", "# A", metadata=metadata), *(Doc(f"/{n}.md", f"# {n}") for n in range(1, 5)))
    result = expand([Row("/a.md"), Row("/b.md")], docs, head=HEAD, unreadable=frozenset({"/secret.md"}))
    reasons = [entry.reason for entry in result.trace.entries if entry.origin == "related"]
    assert reasons == [
        "is_row",
        "other_authority",
        "other_authority",
        "out_of_scope",
        "",
        "",
        "",
        "hop_limit",
    ]
    assert not {"mark://far/c.md", "/secret.md", "mailto:c@far", "/4.md"}.intersection(result.trace.fetches)


@pytest.mark.proves("H4")
def test_a_target_that_fails_leaves_its_place_to_the_next() -> None:
    metadata = {"rel-by": ",".join(f"/{n}.md" for n in range(1, 7))}
    docs = world(Doc("/a.md", "# A", metadata=metadata), *(Doc(f"/{n}.md", f"# {n}") for n in (2, 4, 5, 6)))
    assert blocks(expand([Row("/a.md")], docs, head=HEAD).text) == [
        "/a.md#a",
        "/2.md#2",
        "/4.md#4",
        "/5.md#5",
    ]


@pytest.mark.proves("H4", "O2")
def test_a_small_target_that_does_not_fit_prints_its_section_with_the_terms() -> None:
    body = f"# Big\n\n## Tides\n\nThe tide.\n\n## Salt\n\n{'salt ' * 300}"
    docs = world(Doc("/a.md", "# A", metadata={"rel-by": "/b.md"}), Doc("/b.md", body))
    assert blocks(expand([Row("/a.md")], docs, 300, head=HEAD, terms=("tide",)).text) == [
        "/a.md#a",
        "/b.md#tides",
    ]


@pytest.mark.proves("H5", "H3", "F1")
def test_an_early_target_that_is_a_row_is_fetched_once_and_its_row_is_covered() -> None:
    docs = many(9, **{"rel-by": "/8.md,/0.md#x,/x.md"})
    result = expand([Row(path) for path in docs], docs, head=HEAD, hop="early")
    assert blocks(result.text)[:2] == ["/0.md#0", "/8.md#8"]
    assert result.trace.fetches.count("/8.md") == 1
    assert "/8.md#8 is within /8.md#8 above" in notes(result.text)
    assert len(result.trace.fetches) == 10


@pytest.mark.proves("H5", "F2", "X4")
def test_an_early_hop_keeps_four_under_way_whatever_the_order_of_answers() -> None:
    docs = many(9, **{"rel-by": "/x.md,/y.md,/z.md"})
    rows = [Row(path) for path in docs]
    texts = set()
    for pick in (0, -1):
        expansion = Expansion(Ask(HEAD, rows, 9, 0, (), 4000, limits=PLAIN, hop="early"), BYTES)
        while not expansion.done:
            assert len(expansion.wanted) <= 4
            answer(expansion, docs, expansion.wanted[pick])
        texts.add(expansion.result.text)
    assert len(texts) == 1


@pytest.mark.proves("R1", "X3")
def test_references_that_are_none_are_events_of_the_trace() -> None:
    docs = world(Doc("/a.md", "# A", metadata={"rel-": "/b.md", "rel-by": "/a.md,/b c.md,/d.md"}))
    result = expand([Row("/a.md")], docs, head=HEAD)
    assert result.trace.events == [
        "/a.md: rel-: empty predicate: /b.md",
        "/a.md: rel-by: self reference: /a.md",
        "/a.md: rel-by: whitespace in reference: /b c.md",
    ]


@pytest.mark.proves("R1", "R2")
@pytest.mark.parametrize("path", ["/sharp#.md", "/q?.md", "/100%25.md", "/a b.md"])
def test_a_document_with_an_odd_path_resolves_its_references_against_itself(path: str) -> None:
    docs = world(Doc(path, "# A", metadata={"rel-by": "b.md"}), Doc("/b.md", "# B"))
    result = expand([Row(path)], docs, head=HEAD)
    assert ">>> related: rel-by /b.md\n" in result.text
    assert result.trace.events == []


@pytest.mark.proves("R1", "R2")
def test_a_relative_reference_stays_in_a_folder_with_an_odd_name() -> None:
    docs = world(Doc("/c#/a.md", "# A", metadata={"rel-by": "b.md,a.md"}), Doc("/c#/b.md", "# B"))
    result = expand([Row("/c#/a.md")], docs, head=HEAD)
    assert blocks(result.text) == ["/c%23/a.md#a", "/c%23/b.md#b"]
    assert result.trace.events == ["/c#/a.md: rel-by: self reference: a.md"]


@pytest.mark.proves("R2")
def test_a_document_prints_its_relation_line_once() -> None:
    docs = world(Doc("/a.md", "## One\n\n1\n\n## Two\n\n2", metadata={"rel-by": "/b.md"}))
    text = expand([Row("/a.md", "one"), Row("/a.md", "two")], docs, head=HEAD).text
    assert text.count("related:") == 1
    assert text.index("related:") < text.index("## Two")


@pytest.mark.proves("X2", "F4")
def test_rows_of_a_failed_document_whose_note_did_not_fit_stay_hidden() -> None:
    path = "/" + "n" * 300 + ".md"
    rows = [Row("/a.md"), Row(path, version=1), Row(path, version=1)]
    docs = world(Doc("/a.md", "# A\n\n" + "x" * 400))
    spent = {notes(expand(rows, docs, budget, head=HEAD, listed=1).text)[-1] for budget in range(280, 420)}
    assert "expanded 1 of 3 rows within the budget; 2 more rows: offset=1" in spent
    assert "expanded 1 of 3 rows within the budget" in spent


@pytest.mark.proves("X3")
def test_the_trace_is_plain_values() -> None:
    doc = counted(Doc("/a.md", "# A", 3), BYTES)
    plain = expand([Row("/a.md")], {"/a.md": doc}, head=HEAD).trace.as_dict()
    assert plain["entries"] == [
        {
            "origin": "row",
            "rank": 1,
            "location": "/a.md/v3#a",
            "outcome": "printed",
            "reason": "",
            "kind": "document",
            "tokens": 6,
            "within": "",
            "title": "Row",
            "detail": "",
        }
    ]
    assert (plain["encoding"], plain["seed"], plain["fetches"]) == ("bytes", "/a.md", ["/a.md"])


def test_a_driver_may_answer_one_by_one() -> None:
    docs = many(5)
    assert len(blocks(drive(start([Row(path) for path in docs]), docs).text)) == 5


@pytest.mark.proves("X1", "F3")
def test_a_target_that_was_never_fetched_is_not_named_for_nobody_knows_whether_it_is_there() -> None:
    target = f"/{'t' * 300}.md"
    docs = world(Doc("/a.md", "# A\n\nx\n", 1, {"rel-by": target}))
    seen = 0
    for budget in range(100, 400):
        result = expand([Row("/a.md")], docs, budget)
        related = [entry for entry in result.trace.entries if entry.origin == "related"]
        if [(entry.outcome, entry.reason) for entry in related] == [("omitted", "budget")]:
            seen += 1
            assert target not in result.trace.fetches
            assert not any(note.startswith("did not fit") for note in notes(result.text))
    assert seen
