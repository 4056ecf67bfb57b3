"""A look at the folders where something happened finds what a look at everything would find."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mark_outline import counter
from mark_store.databases import Databases
from mark_store.errors import TooManyFiles
from mark_store.indexer import Indexer
from mark_store.selection import Selection
from mark_store.survey import Ground, Survey
from mark_store.touched import EVERYWHERE, Touched, touched
from tests.store.tree import age, plant

FOLDERS = st.sampled_from(("/a", "/b", "/a/c", "/a/c/d", "/b/c", "/x.md"))
FILES = st.sampled_from(
    ("/1.md", "/a/1.md", "/a/c/1.md", "/a/c/2.md", "/b/c/1.md", "/a/c/d/1.md", "/x.md/1.md")
)
Deeds = list[tuple[str, ...]]
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), FILES),
        st.tuples(st.just("drop"), FILES),
        st.tuples(st.just("drop"), FOLDERS),
        st.tuples(st.just("move"), FOLDERS, FOLDERS),
        st.tuples(st.just("make"), FOLDERS),
    ),
    max_size=6,
)


@pytest.mark.proves("ST25")
@settings(max_examples=30)
@given(before=DEEDS, after=DEEDS)
def test_touched_folders_show_what_a_look_at_everything_shows(before: Deeds, after: Deeds) -> None:
    compare(before, after)


@pytest.mark.deep
@given(before=DEEDS, after=DEEDS)
def test_many_touched_folders_show_what_a_look_at_everything_shows(before: Deeds, after: Deeds) -> None:
    compare(before, after)


def compare(before: Deeds, after: Deeds) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "root"
        plant(root, {"/a/c/1.md": "kiwi\n", "/b/c/1.md": "kiwi\n", "/1.md": "kiwi\n"})
        carry_out(root, before)
        age(root)
        indexer = indexer_of(root, 100)
        indexer.carry_out(indexer.survey(EVERYWHERE), lambda _done: True)
        assert not indexer.survey(EVERYWHERE).is_news
        events = carry_out(root, after)
        part = indexer.survey(touched(root, Path("/own"), events))
        assert findings(part) == findings(indexer.survey(EVERYWHERE))
        indexer.carry_out(part, lambda _done: True)
        left = indexer.survey(EVERYWHERE)
        # Only what was written just now is doubtful.
        assert (left.gone, left.gone_folders, set(left.changed) - set(part.changed)) == ({}, [], set())


def indexer_of(root: Path, limit: int) -> Indexer:
    data = root.parent / "data"
    data.mkdir(exist_ok=True)
    return Indexer(Ground(root, Selection(root), limit), Databases(data, "bytes"), counter("bytes"))


def findings(found: Survey) -> tuple[object, ...]:
    """What is there to do; a folder's time may be written in both cases or not at all."""
    return sorted(found.changed), found.gone, sorted(found.gone_folders), set(found.notices)


def carry_out(root: Path, deeds: Deeds) -> set[tuple[int, str]]:
    """Do it, and give the events that a file system would."""
    events: set[tuple[int, str]] = set()
    for kind, path, *other in deeds:
        place = root / path[1:]
        if kind == "write" and place.parent.is_dir() and not place.is_dir():
            events.add((2 if place.exists() else 1, str(place)))
            place.write_text(place.read_text() + "lime\n" if place.exists() else "pear\n")
        elif kind == "make" and place.parent.is_dir() and not place.exists():
            events.add((1, str(place)))
            place.mkdir()
        elif kind == "drop" and place.exists():
            events |= {(3, str(inner)) for inner in (place, *place.rglob("*"))}
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        elif kind == "move" and place.exists():
            (target,) = other
            events |= moved(place, root / target[1:])
    return events


def moved(source: Path, target: Path) -> set[tuple[int, str]]:
    if target.exists() or not target.parent.is_dir() or target.is_relative_to(source):
        return set()
    source.rename(target)
    return {(3, str(source)), (1, str(target))}


@pytest.mark.proves("ST23")
def test_touched_folders_with_too_many_documents_are_counted_with_all_others(tmp_path: Path) -> None:
    root = tmp_path / "root"
    plant(root, {f"/a/{number}.md": "kiwi\n" for number in range(5)})
    age(root)
    indexer = indexer_of(root, 6)
    indexer.carry_out(indexer.survey(EVERYWHERE), lambda _done: True)
    plant(root, {"/b/1.md": "kiwi\n"})
    assert indexer.survey(Touched(frozenset({"/"}))).changed == ["/b/1.md"]
    plant(root, {"/b/2.md": "kiwi\n"})
    with pytest.raises(TooManyFiles):
        indexer.survey(Touched(frozenset({"/"})))
