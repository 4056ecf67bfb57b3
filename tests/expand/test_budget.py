"""The budget: the reserve and what it holds place for, exact counts, the table's share, no budget at all."""

import pytest

from mark_expand import Ask, Expansion, Failure, thin_table
from mark_outline import counter
from tests.expand import oracle
from tests.expand.scenario import BYTES, Costs, Doc, Row, counted, drive, expand, frame, notes, world

O200K = counter("o200k_base")
SALT = "salt " * 400
HEAD = "status: ok\n\n| /a.md | A |\n"


def least_budget(rows: list[Row], *, offset: int = 0) -> int:
    """The smallest budget under which a lookup is expanded, not refused (B4)."""
    return next(
        budget
        for budget in range(1, 2000)
        if "the table used" not in expand(rows, {}, budget, head=HEAD, offset=offset).text
    )


@pytest.mark.proves("B1")
def test_a_longer_head_leaves_less_for_the_expansion() -> None:
    docs = world(Doc("/a.md", f"# A\n\n{'salt ' * 30}"))
    assert "# A" in expand([Row("/a.md")], docs, 150, head=HEAD).text
    assert "# A" not in expand([Row("/a.md")], docs, 150, head=HEAD + "| padding |\n" * 20).text


@pytest.mark.proves("B1", "R2")
def test_a_relation_line_is_charged() -> None:
    plain = world(Doc("/a.md", "# A\n\ntext"))
    related = world(Doc("/a.md", "# A\n\ntext", metadata={"rel-by": "/x.md"}))
    lines = [expand([Row("/a.md")], docs, 400, head=HEAD).trace.tokens for docs in (plain, related)]
    more = ">>> related: rel-by /x.md\n\n>>> note: /x.md: not-found\n"
    assert lines[1] - lines[0] == pytest.approx(len(more) / 4, abs=1)


@pytest.mark.proves("B2")
def test_the_reserve_holds_place_for_the_dearest_location() -> None:
    far = "/" + "far/" * 40 + "b.md"
    more = least_budget([Row("/a.md"), Row(far)]) - least_budget([Row("/a.md"), Row("/b.md")])
    assert more == pytest.approx((len(far) - len("/b.md")) / 4, abs=1)


@pytest.mark.proves("B2")
def test_the_reserve_holds_place_for_the_longest_version_where_none_is_known() -> None:
    more = least_budget([Row("/a.md")]) - least_budget([Row("/a.md", version=1)])
    assert more == pytest.approx((len("/v9999999999") - len("/v1")) / 4, abs=1)


@pytest.mark.proves("B2")
def test_the_reserve_is_never_released_to_a_block() -> None:
    rows = [Row("/a.md", "big"), Row("/b.md", "small")]
    docs = world(Doc("/a.md", f"## Big\n\n{SALT}", 1), Doc("/b.md", "## Small\n\n" + "x" * 40, 1))
    for budget in range(60, 140):
        result = expand(rows, docs, budget, head=HEAD)
        assert oracle.tokens("bytes", result.text) <= budget or "the table used" in result.text
        if "the table used" not in result.text:
            assert any(note.startswith("did not fit: /a.md") for note in notes(result.text))


@pytest.mark.proves("B2", "X1")
def test_a_version_longer_than_foreseen_is_named_by_the_row() -> None:
    docs = world(Doc("/a.md", f"## Big\n\n{SALT}", 10**150))
    rows = [Row("/a.md", "big", version=1)]
    result = expand(rows, docs, least_budget(rows) + 8, head=HEAD)
    assert notes(result.text)[0] == "did not fit: /a.md/v1#big (~545 tokens)"


@pytest.mark.proves("B2", "X1")
def test_a_section_longer_than_its_bare_row_is_named_by_the_row_without_a_size() -> None:
    docs = world(Doc("/a.md", f"# A\n\n## {'Tides ' * 40}\n\n{'tide ' * 2000}", 1))
    rows = [Row("/a.md", version=1)]
    result = expand(rows, docs, least_budget(rows) + 8, head=HEAD, terms=("tides",))
    assert notes(result.text)[0] == "did not fit: /a.md/v1"
    assert result.trace.fetches == ["/a.md"]


@pytest.mark.proves("B2", "X1")
def test_a_size_longer_than_foreseen_is_left_out() -> None:
    rows = [Row("/a.md", "big", version=1, costs=Costs("bytes", 10**150, 10**150))]
    assert notes(expand(rows, {}, least_budget(rows), head=HEAD).text)[0] == "did not fit: /a.md/v1#big"


@pytest.mark.proves("B2", "X1")
def test_without_room_for_a_target_none_is_named() -> None:
    docs = world(
        Doc("/a.md", "# A", metadata={"rel-by": "/" + "t" * 300 + ".md#big"}),
        Doc("/" + "t" * 300 + ".md", f"## Big\n\n{SALT}"),
    )
    assert notes(expand([Row("/a.md")], docs, 180, head=HEAD).text) == [
        "expanded 1 of 1 rows within the budget"
    ]


@pytest.mark.proves("B2", "F4", "X3")
def test_a_note_that_does_not_fit_stays_in_the_trace() -> None:
    rows = [Row(f"/{'n' * 90}{number}.md") for number in range(4)]
    result = expand(rows, {}, least_budget(rows) + 30, head=HEAD)
    assert sum("not-found" in note for note in notes(result.text)) == 1
    assert [entry.reason for entry in result.trace.entries].count("fetch_failed") >= 1
    assert {entry.rank for entry in result.trace.entries} == {1, 2, 3, 4}


@pytest.mark.proves("B2", "F5")
def test_the_stop_note_stands_above_the_omissions() -> None:
    docs = world(Doc("/a.md", f"## Big\n\n{SALT}", 1))
    rows = [Row("/a.md", "big"), Row("/b.md")]
    result = expand(rows, docs, 200, head=HEAD, stop_after=1)
    assert [note.split(":")[0] for note in notes(result.text)][:2] == ["stopped", "did not fit"]


@pytest.mark.proves("B2", "O2")
def test_an_own_text_whose_note_does_not_fit_is_not_printed() -> None:
    body = f"## Two\n\nown text\n\n### Sub\n\n{SALT}"
    docs = world(Doc("/a.md", body, 1))
    texts = [expand([Row("/a.md", "two")], docs, budget, head=HEAD).text for budget in range(60, 140)]
    printed = ["\n\nown text\n\n" in text for text in texts]
    assert printed == ["own text only" in text for text in texts]
    assert set(printed) == {True, False}


@pytest.mark.proves("B3")
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "bytes"])
@pytest.mark.parametrize(
    "body",
    [
        "## a)\n\n/etc\n\n## /\n\n/x\n",
        "  ## Indented\n\ntext   \n\n\n## Next\n",
        "\r\r## Two\r\r/x\r\n",
        "## Two\n\n<|endoftext|><|fim_prefix|>\n",
        "/a\n---\n\n/b\n",
        ">>> x\n\n## Two\n\n>>> y\n",
        "\n\n  \n\t\n## Two\n",
    ],
)
def test_what_was_bought_adds_up_to_the_count_of_the_whole(encoding: str, body: str) -> None:
    unit = counter(encoding)
    for doc in (Doc("/a).md", body), counted(Doc("/a).md", body), unit)):
        result = expand([Row("/a).md", "two"), Row("/a).md")], {"/a).md": doc}, unit=unit)
        assert result.trace.tokens == oracle.tokens(encoding, result.text)


@pytest.mark.proves("B3")
def test_a_slash_below_a_header_that_ends_in_punctuation_is_counted_with_it() -> None:
    # In o200k_base a run of punctuation takes the line breaks and slashes that follow it into its token.
    result = expand([Row("/-")], world(Doc("/-", "/usr/bin")), unit=O200K)
    assert result.trace.tokens == oracle.tokens("o200k_base", result.text)


@pytest.mark.proves("B3")
def test_costs_of_another_encoding_are_not_used() -> None:
    doc = counted(Doc("/a.md", f"# A\n\n{SALT}", 1), BYTES)
    rows = [Row("/a.md", "a", costs=Costs("bytes", 10**6, 10**6))]
    result = expand(rows, {"/a.md": doc}, 500, unit=O200K)
    assert result.trace.tokens == oracle.tokens("o200k_base", result.text)
    assert "salt" in result.text


@pytest.mark.proves("B4")
def test_a_table_without_room_fetches_nothing_and_accounts_for_every_row() -> None:
    expansion = Expansion(Ask(HEAD, [Row("/a.md"), Row("/b.md", "x")], 1, 0, (), 20), BYTES)
    assert (expansion.done, expansion.wanted) == (True, [])
    assert (
        expansion.result.text
        == HEAD + "\n>>> note: the table used 7 of 20 result tokens; raise budget or fetch a row\n"
    )
    entries = expansion.result.trace.entries
    assert [(entry.rank, entry.outcome, entry.reason) for entry in entries] == [
        (1, "omitted", "budget"),
        (2, "omitted", "budget"),
    ]


@pytest.mark.proves("B5")
@pytest.mark.parametrize("budget", [0, -1])
def test_without_a_positive_budget_nothing_is_appended(budget: int) -> None:
    result = expand([Row("/a.md")], world(Doc("/a.md", "# A")), budget, head=HEAD)
    assert result.text == HEAD
    assert result.trace.fetches == []


@pytest.mark.proves("B1", "X2")
def test_without_rows_the_head_stands_alone() -> None:
    result = expand([], {}, 7, head=HEAD)
    assert result.text == HEAD
    assert result.trace.tokens == 7


@pytest.mark.proves("B6")
def test_a_section_prints_whole_or_not_at_all() -> None:
    body = "## Two\n\n" + "\n\n".join(f"line {number}" for number in range(60))
    docs = world(Doc("/a.md", body, 1))
    for budget in range(60, 320, 3):
        text = expand([Row("/a.md", "two")], docs, budget, head=HEAD).text
        assert ("line 0\n" in text) == ("line 59\n" in text)


@pytest.mark.proves("B7")
def test_a_thin_table_stays_within_its_share_and_lists_one_row_at_least() -> None:
    rows = [Row(f"/{number:02}.md", title=f"Title {number}") for number in range(50)]
    table, listed = thin_table(rows, 1000, BYTES)
    assert 1 < listed < 50
    assert len(table.encode()) <= 4000 * 8 // 100 < len(thin_table(rows, 1100, BYTES)[0].encode())
    assert thin_table(rows, 1, BYTES) == ("| /00.md | Title 0 |\n", 1)
    assert thin_table([], 1000, BYTES) == ("", 0)


@pytest.mark.proves("B7")
def test_rows_below_the_table_still_get_their_turn() -> None:
    rows = [Row(f"/{number}.md") for number in range(5)]
    docs = world(*(Doc(row.path, f"# {row.path}") for row in rows))
    result = expand(rows, docs, 400, head=HEAD, listed=1)
    assert frame(result.text)[-2:] == ["/4.md#4md", "note: expanded 5 of 5 rows within the budget"]


@pytest.mark.proves("B7", "O9")
def test_a_title_in_the_table_is_one_short_line_with_its_pipes_escaped() -> None:
    row = Row("/a|b.md", "x y", title="one\n>>> two\\|" + "x" * 200)
    table, _ = thin_table([row], 1000, BYTES)
    assert table.startswith("| /a\\|b.md#x%20y | one >>> two\\\\\\|xxx")
    assert table.endswith("x… |\n")
    assert table.count("\n") == 1
    assert len(table) < 160


def test_a_result_is_not_there_before_it_is_done() -> None:
    expansion = Expansion(Ask(HEAD, [Row("/a.md")], 1, 0, (), 400), BYTES)
    with pytest.raises(RuntimeError, match="still waits"):
        _ = expansion.result
    expansion.receive("/stranger.md", Failure("x"))
    assert expansion.wanted == ["/a.md"]
    assert drive(expansion, {}).trace.as_dict()["fetches"] == ["/a.md"]


@pytest.mark.proves("X1", "X2")
def test_a_section_that_did_not_fit_for_two_rows_is_named_once_and_both_rows_are_told() -> None:
    big = Doc("/big.md", "# Big\n\n## Part\n\n" + "word " * 300, 1)
    rows = [Row("/big.md", "part"), Row("/big.md", "part")]
    text = expand(rows, world(big), 100, listed=0).text
    assert notes(text)[-2].count("/big.md/v1#part") == 1
    assert notes(text)[-1] == "expanded 0 of 2 rows within the budget"
