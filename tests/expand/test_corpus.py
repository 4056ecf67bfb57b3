"""The invariants over real documents: two worlds that come with the project, a large set beside it."""

import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import REPO
from tests.expand.corpus import Corpus, archives, folder, random_scene
from tests.expand.invariants import check

WORLDS = {name: folder(REPO / "fixtures" / name) for name in ("music", "decisions")}
CASES_AN_ARCHIVE = 300


@pytest.mark.proves("B1", "B2", "B3", "X3")
@pytest.mark.parametrize("world", WORLDS)
@settings(max_examples=200)
@given(st.integers(0, 2**63))
def test_every_lookup_over_a_fixture_world_keeps_its_budget(world: str, seed: int) -> None:
    check(random_scene(WORLDS[world], Random(seed)))  # noqa: S311 - a reproducible lookup, no secret


@pytest.mark.deep
@pytest.mark.proves("B1", "B2", "B3", "B4", "X3")
def test_every_lookup_over_real_trees_keeps_its_budget(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started, cases, names = time.monotonic(), 0, []
    for corpus in archives(shared):
        names.append(corpus.name)
        cases += _sweep(corpus)
    with capsys.disabled():
        print(f"\n{cases} lookups over {len(names)} trees in {time.monotonic() - started:.0f} s")  # noqa: T201 - the figure is the report
    assert cases >= 1000


def _sweep(corpus: Corpus) -> int:
    if not corpus.paths:
        return 0
    for seed in range(CASES_AN_ARCHIVE):
        check(random_scene(corpus, Random(seed)))  # noqa: S311 - a reproducible lookup, no secret
    return CASES_AN_ARCHIVE
