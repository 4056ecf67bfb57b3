"""For any input: nothing makes a store fail, and what is kept in short form comes back whole."""

import tempfile
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st

from mark_outline import counter, outline, pieces, with_costs
from mark_store import BadFilter, BadQuery, Match, NotFound
from mark_store.contents import contents_of, pack, unpack
from mark_store.filters import conditions
from mark_store.passages import place
from mark_store.ranking import HEAD, TURN, ranked
from mark_store.snippet import LONGEST, snippet
from tests.store.living import Living
from tests.store.tree import plant
from tests.store.world import WORLD

ANY = st.text(alphabet=st.characters(exclude_categories=()), max_size=60)
SYNTAX = st.text(alphabet="\"'()*:^+-{}[]\\,=#%?/.\0 ANDORNEARtape\n潮字ก🚀", max_size=40)
STRANGE = ANY | SYNTAX
MARKDOWN = st.text(alphabet="#-=`>*_[]{} \t\r\nabcé字ก🚀", max_size=200)


@pytest.fixture(scope="module")
def living() -> Iterator[Living]:
    with tempfile.TemporaryDirectory() as place_, start_blocking_portal() as portal:
        root = Path(place_) / "root"
        plant(root, WORLD)
        living = Living(portal, root, Path(place_) / "data")
        yield living
        portal.call(living.store.aclose)


@pytest.mark.proves("ST2")
@given(query=STRANGE, offset=st.integers(0, 50))
def test_any_query_is_an_answer(living: Living, query: str, offset: int) -> None:
    matches: tuple[Match, ...] = ("body", "catalog")
    for match in matches:
        page = living.try_(partial(living.store.lookup, query, match=match, offset=offset))
        assert page is not None
        assert len(page.rows) == max(0, min(10, page.total - offset))


@pytest.mark.proves("ST2", "ST5")
@given(text=STRANGE, scope=STRANGE)
def test_any_filter_and_scope_is_an_answer_or_a_refusal(living: Living, text: str, scope: str) -> None:
    living.try_(partial(living.store.lookup, "tape", filter=text), BadFilter)
    living.try_(partial(living.store.lookup, "tape", scope=scope), NotFound)


@pytest.mark.proves("ST5")
@given(value=st.text(min_size=1, max_size=40))
def test_any_value_can_be_asked_for_in_quotes(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    (condition,) = conditions(f'key="{quoted}"')
    assert condition.parameters == ("key", conditions(f'KEY = "{quoted}" ,')[0].parameters[1])


@pytest.mark.proves("ST2")
@given(path=STRANGE, cursor=STRANGE, version=st.integers(-5, 5))
def test_any_path_is_an_answer_or_not_found(living: Living, path: str, cursor: str, version: int) -> None:
    store = living.store
    living.try_(partial(store.fetch, path), NotFound)
    living.try_(partial(store.fetch, path, version), NotFound)
    living.try_(partial(store.versions, path), NotFound)
    living.try_(partial(store.list, path), NotFound)
    living.try_(partial(store.list, "/", cursor), BadQuery)


@pytest.mark.proves("ST10", "ST20")
@given(states=st.lists(MARKDOWN, min_size=1, max_size=4))
def test_the_index_takes_back_exactly_what_it_was_given(living: Living, states: list[str]) -> None:
    for state in states:
        plant(living.root, {"/state.md": state})
        document = living.try_(partial(living.store.fetch, "/state.md"))
        assert document is not None
        assert document.body == state[document.body_start :]
        assert document.outline == with_costs(outline(document.body), document.body, counter("bytes"))
    (living.root / "state.md").unlink()
    living.try_(partial(living.store.fetch, "/state.md"), Exception)
    with living.store._databases.session() as session:
        session.index.execute("INSERT INTO passage(passage) VALUES('integrity-check')")
        stems = {row[0] >> 20 for row in session.index.execute("SELECT id FROM passage_docsize")}
        assert stems == {
            row[0] for row in session.index.execute("SELECT id FROM document WHERE NOT archived")
        }


@given(body=MARKDOWN)
def test_contents_come_back_whole(body: str) -> None:
    made = with_costs(outline(body), body, counter("bytes"))
    contents = unpack(pack(contents_of(made)))
    assert contents.outline() == made
    assert [body[start:end] for start, end in contents.spans()] == pieces(made, body)
    for piece in range(1, len(made.sections) + 1):
        assert contents.trail(piece) == made.trail(piece - 1)
        assert contents.anchor(piece) == made.sections[piece - 1].anchor


HITS = st.lists(st.tuples(st.sampled_from([-3.0, -2.0, -1.5, -1e-6]), st.integers(0, 30)), max_size=60)


@pytest.mark.proves("ST4")
@given(scores=HITS, cut=st.integers(0, 60), size=st.integers(1, 9))
def test_the_order_of_hits_does_not_depend_on_the_page(
    scores: list[tuple[float, int]], cut: int, size: int
) -> None:
    found = [(score, document << 20 | number) for number, (score, document) in enumerate(scores)]

    def paths(ids: Collection[int]) -> dict[int, str]:
        return {document: f"/{99 - document}" for document in ids}

    whole = ranked(found, [], 0, len(found), paths)
    assert ranked(found[::-1], [], cut, cut + size, paths) == whole[cut : cut + size]
    assert {hit.rowid for hit in whole} == {row for _, row in found}
    seen: dict[int, int] = {}
    turns = []
    for hit in whole[:HEAD]:
        turns.append(seen.get(place(hit.rowid)[0], 0) // TURN)
        seen[hit.document] = seen.get(hit.document, 0) + 1
    assert turns == sorted(turns), "nobody has a fourth row before everybody had three"


@given(text=MARKDOWN, terms=st.lists(st.text(max_size=4), max_size=4))
def test_a_snippet_is_one_short_line_of_the_text(text: str, terms: list[str]) -> None:
    line = snippet(text, terms)
    assert len(line) <= LONGEST
    assert line == " ".join(line.split())
    assert line in " ".join(text.split())
