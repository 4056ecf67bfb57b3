"""Excerpts: which window of a section is printed, how much of it, and what its notes say."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from mark_expand import Ask, Detail, Expansion, Limits, Oversized
from mark_expand.blocks import blocks as block_pieces
from mark_expand.blocks import lines, runs, sentences
from mark_expand.excerpt import excerpt
from mark_outline import WHITE, Counter, Presence, counter
from tests.expand.invariants import EXCERPT, Scene, check
from tests.expand.scenario import BYTES, Answers, Doc, Row, blocks, drive, notes, world
from tests.expand.strategies import bodies

SALT = "Salt is dried on wooden racks behind the sheds, and nobody asks when. "
FILLER = "\n\n".join(SALT * 4 for _ in range(40))
TABLE = "| place | depth |\n|---|---|\n" + "".join(f"| berth {n} | {n} fathoms |\n" for n in range(400))
FENCE = "```\n" + "".join(f"crane --lift {n}\n" for n in range(12)) + "```\n"


def scene_of(
    rows: list[Row],
    docs: Answers,
    *terms: str,
    budget: int = 1000,
    detail: Detail = "excerpts",
    oversized: Oversized = "list",
    provenance: bool = False,
    limits: Limits | None = None,
    unit: Counter = BYTES,
) -> Scene:
    """A lookup under a short head, every invariant of results checked."""
    ask = Ask(
        "status: ok\n",
        rows,
        len(rows),
        0,
        terms,
        budget,
        limits=limits or Limits(),
        detail=detail,
        oversized=oversized,
        provenance=provenance,
    )
    scene = Scene(ask, unit, docs)
    check(scene)
    return scene


def only_excerpt(body: str, *terms: str, budget: int = 1000) -> str:
    """The text of the one excerpt of a document."""
    text = scene_of([Row("/a.md")], world(Doc("/a.md", body, 3)), *terms, budget=budget).result.text
    found = EXCERPT.search(text)
    assert found, text
    return found["text"].removesuffix("\n")


@pytest.mark.proves("E1", "E4", "X3")
def test_an_excerpt_stands_under_a_plain_header_and_says_where_it_goes_on() -> None:
    racks = "Salt is dried on wooden racks,\nand nobody asks when.\n"
    body = (
        f"# Harbour\n\n## Two\n\n{racks * 8}\nThe crane lifts nine tons.\n\n{racks * 9}\n### Sub\n\n{racks}"
    )
    scene = scene_of([Row("/a.md", "two")], world(Doc("/a.md", body, 3)), "crane", budget=230)
    assert scene.result.text == snapshot("""\
status: ok

>>> /a.md/v3#two

## Two

Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.
Salt is dried on wooden racks,
and nobody asks when.

The crane lifts nine tons.

>>> note: characters 0-459 of 1001; next: mark_fetch url=/a.md/v3#two start=459
>>> note: expanded 1 of 1 rows within the budget
""")
    (entry,) = scene.result.trace.entries
    assert (entry.kind, entry.outcome, entry.reason) == ("excerpt", "printed", "truncated")


@pytest.mark.proves("E2")
@pytest.mark.parametrize("size", [1, 40, 400])
def test_a_match_in_the_last_paragraph_is_found(size: int) -> None:
    body = f"# Harbour\n\n{FILLER * size}\n\nThe pilot sleeps in the lamp room.\n"
    assert "The pilot sleeps in the lamp room." in only_excerpt(body, "pilot", "lamp")


@pytest.mark.proves("E1")
def test_the_end_of_a_section_says_that_more_lies_before_it() -> None:
    body = f"# Harbour\n\n{FILLER}\n\nThe pilot sleeps.\n\n"
    text = scene_of([Row("/a.md")], world(Doc("/a.md", body, 3)), "pilot").result.text
    assert notes(text)[0].endswith(f"-{len(body)} of {len(body)}; before: mark_fetch url=/a.md/v3 start=0")


@pytest.mark.proves("E2")
def test_a_rare_term_weighs_more_than_one_that_stands_everywhere() -> None:
    body = f"# Harbour\n\n{FILLER}\n\nThe pilot sleeps.\n\n{FILLER}"
    assert "The pilot sleeps." in only_excerpt(body, "salt", "pilot")


@pytest.mark.proves("E2")
def test_the_own_text_is_searched_first_and_the_subsections_when_it_holds_nothing() -> None:
    body = f"# Harbour\n\nThe pilot. {FILLER}\n\n## Lamps\n\nThe pilot and the lamp room.\n\n{FILLER}"
    assert only_excerpt(body, "pilot").startswith("# Harbour\n\nThe pilot.")
    assert "The pilot and the lamp room." in only_excerpt(body, "lamp")


@pytest.mark.proves("E2")
def test_without_terms_it_is_the_beginning() -> None:
    assert only_excerpt(f"\n\n# Harbour\n\nFirst.\n\n{FILLER}").startswith("# Harbour\n\nFirst.\n\nSalt")


@pytest.mark.proves("E3")
def test_table_rows_keep_their_header_where_it_fits_and_stand_alone_where_it_does_not() -> None:
    near = only_excerpt(f"# Berths\n\n{FILLER}\n\n{TABLE}\n{FILLER}", "9")
    assert near.startswith("| place | depth |\n|---|---|\n| berth 0 |")
    assert "| berth 9 | 9 fathoms |" in near
    far = only_excerpt(f"# Berths\n\n{FILLER}\n\n{TABLE}\n{FILLER}", "333")
    assert "| berth 333 | 333 fathoms |" in far
    assert all(line.startswith("| berth") for line in far.splitlines())


@pytest.mark.proves("E3")
def test_code_is_whole_where_it_fits_and_not_taken_in_by_part() -> None:
    body = f"# Cranes\n\n{FILLER}\n\n{FENCE}\n{FILLER}"
    assert FENCE in only_excerpt(body, "7")
    long = FENCE.replace("```\n", "", 1).removesuffix("```\n") * 20
    body = f"# Cranes\n\n{FILLER}\n\nThe pilot sleeps.\n\n```\n{long}```\n"
    assert "crane" not in only_excerpt(body, "pilot")
    part = only_excerpt(f"# Cranes\n\n```\n{long}```\n\n{FILLER}", "3")
    assert part.startswith(("# Cranes\n\n```\ncrane", "```\ncrane"))
    assert all(re.fullmatch(r"crane --lift \d+|```|# Cranes|", line) for line in part.splitlines())


@pytest.mark.proves("E3")
@pytest.mark.parametrize(
    ("text", "term", "end"),
    [
        (SALT * 200 + "The pilot sleeps. " + SALT * 200, "pilot", "when."),
        ("salt " * 4000 + "pilot " + "salt " * 4000, "pilot", "salt"),
        ("盐在木架上晒干。" * 900 + "领航员睡在灯房。" + "盐在木架上晒干。" * 900, "领航", "。"),
        ("盐" * 9000 + "领航员" + "盐" * 9000, "领航", "盐"),
        ("เกลือ" * 3000 + "นำร่อง" + "เกลือ" * 3000, "นำ", ""),
        ("x" * 9000 + " pilot " + "x" * 9000, "pilot", "x"),
    ],
    ids=["sentences", "words", "Chinese sentences", "Chinese", "Thai", "one word"],
)
def test_a_line_that_is_too_long_is_cut_at_sentences_or_words(text: str, term: str, end: str) -> None:
    found = only_excerpt(text, term)
    assert term in found
    assert found.endswith(end)
    assert 300 < len(found.encode()) < 4000


@pytest.mark.proves("E3")
@pytest.mark.parametrize("unit", [BYTES, counter("o200k_base")], ids=["bytes", "tokens"])
@pytest.mark.parametrize(
    "text",
    [
        "." * 300_000,
        "quark " * 50_000,
        "潮" * 100_000,
        "x" * 300_000,
        "a\n" * 150_000,
        " \n" * 9 + "- a\n" * 75_000,
    ],
    ids=["dots", "words", "Chinese", "one word", "lines", "items"],
)
def test_a_large_document_of_one_kind_is_cut_in_time(text: str, unit: Counter) -> None:
    started = time.monotonic()
    docs = world(Doc("/a.md", f"{text}\n\npilot\n", 1))
    scene = scene_of([Row("/a.md")], docs, "pilot", budget=20_000, limits=Limits(page=3000), unit=unit)
    assert "\npilot\n" in scene.result.text
    assert time.monotonic() - started < 20


@pytest.mark.proves("E4")
@pytest.mark.parametrize("budget", [300, 1000, 2000, 20_000])
def test_an_excerpt_takes_a_third_of_what_is_left_and_never_more_than_a_page(budget: int) -> None:
    docs = world(*(Doc(f"/{n}.md", f"# Harbour\n\npilot {n}. {FILLER}", 1) for n in range(5)))
    result = scene_of([Row(f"/{n}.md") for n in range(5)], docs, "pilot", budget=budget).result
    left = budget - result.trace.reserve_tokens
    for entry in result.trace.entries:
        if entry.outcome == "printed":
            assert entry.tokens is not None
            assert entry.tokens <= min(1000, max(150, left // 3 + 1))
            left -= entry.tokens
    assert sum(entry.outcome == "printed" for entry in result.trace.entries) >= min(5, budget // 300)


@pytest.mark.proves("E4")
def test_a_text_that_costs_no_more_is_printed_whole() -> None:
    docs = world(Doc("/a.md", f"# Harbour\n\n{SALT}\n\n## Two\n\nThe pilot.\n", 1))
    scene = scene_of([Row("/a.md")], docs, "pilot")
    assert [entry.kind for entry in scene.result.trace.entries] == ["document"]
    assert "characters" not in scene.result.text


@pytest.mark.proves("E5")
def test_a_focused_query_brings_no_broad_context() -> None:
    relations = {"rel-by": "/lamps.md, /pilots.md"}
    docs = world(
        Doc(
            "/a.md",
            f"# Harbour\n\n{FILLER}\n\n## Tower\n\nThe pilot sleeps.\n\n## Salt\n\n{FILLER}",
            1,
            relations,
        ),
        Doc("/lamps.md", f"# Lamps\n\n{FILLER}", 1),
        Doc("/pilots.md", f"# Guild\n\n{FILLER}\n\nA pilot pays nothing.\n\n{FILLER}", 1),
    )
    scene = scene_of([Row("/a.md", "tower")], docs, "pilot", budget=3000)
    assert blocks(scene.result.text) == ["/a.md/v1#tower", "/pilots.md/v1"]
    assert {entry.location: entry.reason for entry in scene.result.trace.entries} == {
        "/a.md/v1#tower": "",
        "/lamps.md/v1": "below_floor",
        "/pilots.md/v1": "truncated",
    }
    assert "A pilot pays nothing." in scene.result.text


@pytest.mark.proves("E6")
def test_an_excerpt_says_what_became_of_its_source() -> None:
    matter = {"rel-superseded-by": "b.md#x, /c.md", "source": "https://example.org/\n>>> a"}
    docs = world(Doc("/a.md", f"# Harbour\n\npilot {FILLER}", 3, matter), Doc("/b.md", "pilot", None))
    rows = [Row("/a.md", version=2), Row("/b.md")]
    told = [
        one for one in notes(scene_of(rows, docs, "pilot", provenance=True).result.text) if "source" in one
    ]
    successors, origin = "/b.md#x, /c.md", "https://example.org/ >>> a"
    assert told == [
        f"source of /a.md/v3: present, changed since v2, superseded by {successors}; origin {origin}",
        "source of /b.md: present; origin /b.md",
    ]
    assert "source of" not in scene_of(rows, docs, "pilot").result.text


@pytest.mark.proves("E7")
def test_an_oversized_section_is_listed_or_cut_as_the_setting_says() -> None:
    body = (
        f"# Harbour\n\nIntro.\n\n## Two\n\n{FILLER}\n\nThe pilot sleeps.\n\n{FILLER}\n\n### Sub\n\n{FILLER}"
    )
    rows, docs = [Row("/a.md", "two")], world(Doc("/a.md", body, 1))
    listed = scene_of(rows, docs, "pilot", detail="sections").result
    assert [(entry.outcome, entry.reason) for entry in listed.trace.entries] == [("omitted", "budget")]
    cut = scene_of(rows, docs, "pilot", detail="sections", oversized="excerpt").result
    assert "The pilot sleeps." in cut.text
    assert "did not fit" not in cut.text
    # What fits by its own text is no excerpt.
    own = Doc("/a.md", f"## Two\n\nThe pilot.\n\n### Sub\n\n{FILLER}", 1)
    text = scene_of(rows, world(own), "pilot", detail="sections", oversized="excerpt").result.text
    assert "own text only" in text


@pytest.mark.proves("E7")
def test_below_another_block_no_window_is_torn_from_a_sentence() -> None:
    docs = world(Doc("/a.md", "The pilot.", 1), Doc("/b.md", f"## Two\n\nThe pilot {FILLER}", 1))
    rows = [Row("/a.md"), Row("/b.md", "two")]
    for budget in range(90, 400, 10):
        text = scene_of(
            rows, docs, "pilot", detail="sections", oversized="excerpt", budget=budget
        ).result.text
        second = text.partition(">>> /b.md/v1#two")[2].partition(">>> note: did not fit")[0]
        assert not second or len(second) > 150
    alone = scene_of(rows[1:], docs, "pilot", detail="sections", oversized="excerpt", budget=120).result.text
    assert ">>> /b.md/v1#two" in alone


@pytest.mark.proves("E7")
def test_a_heading_alone_is_no_window() -> None:
    doc = Doc("/a.md", f"## The pilot\n\n### Hours\n\n```\n{'x' * 3000}\n```\n\n### Rest\n\nNone.", 1)
    for budget in range(100, 900, 40):
        text = scene_of(
            [Row("/a.md", "the-pilot")],
            world(doc),
            "pilot",
            detail="sections",
            oversized="excerpt",
            budget=budget,
        ).result.text
        told = text.partition("## The pilot")[2].partition("\n\n>>> note")[0].strip()
        assert told or "## The pilot" not in text


@pytest.mark.proves("E7", "E3")
@pytest.mark.parametrize("detail", ["sections", "excerpts"])
@pytest.mark.parametrize(
    "text",
    ["```\n" + "make the thing run now\n" * 120 + "```", "stone wheel, " * 900, "石磨坊，" * 900],
    ids=["fence", "no sentence ends", "no blanks"],
)
def test_below_a_heading_that_holds_the_words_something_prints(detail: Detail, text: str) -> None:
    doc = world(Doc("/a.md", f"# Mill\n\nIntro.\n\n## Install it\n\n{text}", 1))
    for budget in (300, 600, 900):
        told = scene_of(
            [Row("/a.md", "install-it")], doc, "install", detail=detail, oversized="excerpt", budget=budget
        ).result.text
        assert text[4:30] in told
        assert "expanded 1 of 1 rows" in told


@pytest.mark.proves("E7")
@pytest.mark.parametrize(("first", "cut"), [(True, False), (False, True)])
def test_below_another_block_a_section_that_would_take_most_of_the_room_is_a_window(
    first: bool, cut: bool
) -> None:
    """Whole it would take three quarters of what is left, and the row below would find no room."""
    large = Doc("/b.md", f"## Two\n\nThe pilot sleeps.\n\n{SALT * 70}", 1)
    docs = world(Doc("/a.md", "The pilot.", 1), large, Doc("/c.md", f"## Three\n\nPilot. {SALT * 12}", 1))
    rows = [*([] if first else [Row("/a.md")]), Row("/b.md", "two"), Row("/c.md", "three")]
    budget = len(large.body) // 3
    text = scene_of(rows, docs, "pilot", detail="sections", oversized="excerpt", budget=budget).result.text
    assert ("next: mark_fetch url=/b.md/v1#two" in text) == cut
    assert ("/c.md/v1#three" in blocks(text)) == cut or first
    listed = scene_of(rows, docs, "pilot", detail="sections", budget=budget).result.text
    assert "next: mark_fetch" not in listed


@pytest.mark.proves("E2")
@pytest.mark.parametrize("text", ["x" * 3_000_000, "潮水 " * 900_000, "\n".join("tides\n" * 400_000)])
def test_of_a_very_long_text_the_part_that_holds_a_term_is_searched(text: str) -> None:
    body = f"{text}\nThe Pilot sleeps.\n{text}"
    assert "The Pilot sleeps." in only_excerpt(body, "pilot", budget=4000)
    # Nothing of it: the beginning, as of any other text.
    assert only_excerpt(body, "lamp", budget=4000)[:4] == body[:4]


@pytest.mark.proves("E2")
def test_what_lies_far_behind_the_first_term_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"{FILLER}\n\nThe pilot waits.\n\n{FILLER}\n\nThe pilot lights the lamp.\n\n{FILLER}"
    assert "lights the lamp" in only_excerpt(body, "pilot", "lamp", budget=400)
    monkeypatch.setattr("mark_expand.cutter._SEARCHED", 400)
    found = only_excerpt(body, "pilot", "lamp", budget=400)
    assert "The pilot waits." in found
    assert "lights the lamp" not in found


@pytest.mark.proves("E7", "O3", "O4")
def test_a_row_on_a_document_prints_what_stands_before_its_first_heading() -> None:
    """It is what was ranked; a large document without headings has nothing else."""
    begins = Doc("/a.md", f"The pilot waits.\n\n## Two\n\n{FILLER} pilot\n\n## Three\n\n{FILLER}", 1)
    plain = Doc("/b.md", f"{FILLER}\n\n{FILLER}\n\nThe pilot sleeps.\n\n{FILLER}\n\n{FILLER}", 1)
    for doc, shown in ((begins, "The pilot waits."), (plain, "The pilot sleeps.")):
        scene = scene_of([Row(doc.path)], world(doc), "pilot", detail="sections", oversized="excerpt")
        assert shown in scene.result.text
        assert set(blocks(scene.result.text)) == {f"{doc.path}/v1"}
    assert (
        "/a.md/v1: own text only, whole document ~"
        in scene_of(
            [Row("/a.md")], world(begins), "pilot", detail="sections", oversized="excerpt"
        ).result.text
    )
    listed = scene_of([Row("/b.md")], world(plain), "pilot", detail="sections").result.text
    assert "The pilot sleeps." not in listed


@pytest.mark.proves("E7")
def test_words_that_head_a_section_do_not_choose_its_window() -> None:
    body = (
        f"# Harbour\n\n## Motivation\n\nIt begins so.\n\n{FILLER}\n\nThe motivation of a harbour.\n\n{FILLER}"
    )
    rows, docs = [Row("/a.md", "motivation")], world(Doc("/a.md", body, 1))
    for query, shown in (("motivation harbour", "It begins so."), ("motivation begins", "It begins so.")):
        assert shown in scene_of(rows, docs, query, detail="sections", oversized="excerpt").result.text
    other = scene_of([Row("/a.md", "")], docs, "motivation", detail="excerpts").result.text
    assert "The motivation of a harbour." in other or "## Motivation" in other


@pytest.mark.proves("E8")
def test_full_prints_the_document_or_says_how_large_it_is() -> None:
    docs = world(
        Doc("/a.md", f"# Harbour\n\nThe pilot.\n\n## Two\n\n{SALT * 9}", 1),
        Doc("/b.md", f"# Isle\n\n## Two\n\nThe pilot.\n\n## Three\n\nThe lamp.\n\n## Salt\n\n{FILLER}", 1),
    )
    rows = [Row("/a.md", "two"), Row("/b.md", "two"), Row("/b.md", "three"), Row("/a.md", "harbour")]
    text = scene_of(rows, docs, "pilot", detail="full").result.text
    assert blocks(text) == ["/a.md/v1#harbour", "/b.md/v1#two", "/b.md/v1#three"]
    assert notes(text)[:2] == ["/b.md/v1: section only, whole document ~2839 tokens"] * 2
    assert "expanded 3 of 4 rows (1 covered)" in text


@pytest.mark.proves("E1", "C1")
def test_a_window_that_was_printed_already_is_said_to_be() -> None:
    body = f"# Harbour\n\n{FILLER}\n\n## Two\n\n{FILLER}\n\nThe pilot sleeps.\n\n{FILLER}"
    rows, docs = [Row("/a.md", "harbour"), Row("/a.md", "two")], world(Doc("/a.md", body, 1))
    (first, second, _) = notes(scene_of(rows, docs, "pilot").result.text)
    assert first.startswith("characters ")
    assert re.fullmatch(
        r"/a.md/v1#two: characters \d+-\d+ of \d+ (are within|overlap) /a.md/v1#harbour above.*", second
    )


@pytest.mark.proves("E2", "X4")
@given(
    body=bodies(), terms=st.lists(st.sampled_from(["tide", "noon", "潮", "pilot"]), max_size=3, unique=True)
)
def test_the_best_piece_is_in_the_window_whenever_it_fits(body: str, terms: list[str]) -> None:
    span = (0, len(body))
    for room in (30, 80, 400, 5000):
        found = excerpt(body, span, tuple(terms), lambda start, end: end - start <= room)  # noqa: B023 - called at once
        if not body.strip(WHITE):
            assert found is None
        elif found:
            assert 0 <= found[0] < found[1] <= len(body)
            assert found[1] - found[0] <= room
            if room >= 80 and Presence(body).count(terms):
                # A run may be cut inside of a word, whose rest then stands right behind it.
                assert Presence(body[found[0] : found[1] + 48]).count(terms)
        else:
            assert room < 80 or "\u0301" in body or "\u200d" in body


@pytest.mark.proves("E3")
@given(body=bodies())
def test_every_cut_tiles_the_text(body: str) -> None:
    for cut in (block_pieces, lines, sentences, runs):
        pieces = list(cut(body, 0, len(body)))
        assert "".join(body[start:end] for start, end in pieces) == body
        assert all(start < end for start, end in pieces)


@pytest.mark.proves("E3")
def test_blocks_are_those_of_markdown() -> None:
    long = "of the harbour, which has been written down here at some length"
    parts = [
        f"# Heading {long}\n",
        f"Paragraph {long}\nand its second line.\n\n",
        f"- item {long}\n",
        f"- item {long}\n  goes on\n\n",
        f"1. item {long}\n",
        f"```\ncode {long}\n\n# code\n```\n",
        f"| a {long} |\n|---|\n| b |\n\n",
        f"> quote {long}\n",
    ]
    text = "".join(parts)
    assert [text[slice(*piece)] for piece in block_pieces(text, 0, len(text))] == parts


def test_the_same_lookup_gives_the_same_bytes() -> None:
    docs = world(Doc("/a.md", f"# Harbour\n\n{FILLER} pilot lamp tide noon {FILLER}", 1))
    ask = scene_of([Row("/a.md")], docs, "pilot", "lamp", "tide", "noon").ask
    assert len({drive(Expansion(ask, BYTES), docs).text for _ in range(5)}) == 1
