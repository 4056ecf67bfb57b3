"""What is left out: by `.gitignore` files as git reads them, and by the patterns of whoever serves."""

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mark_store import Archived, BadQuery, DataFolderUnusable, FolderStore, NotFound, TooManyFiles
from mark_store.globs import Globs, as_bytes
from mark_store.selection import Selection
from tests.store.conftest import Opener
from tests.store.test_watching import comes_to_hold, held
from tests.store.tree import age, found_below, plant
from tests.waiting import until

pytestmark = pytest.mark.anyio

DOCUMENT = "kiwi\n"


def git(folder: Path, *arguments: str, given: str = "") -> str:
    """What git says in a folder, whatever the settings of whoever runs the tests are."""
    command = ["git", "-C", str(folder), "-c", "core.excludesFile=", *arguments]
    # 1 is its answer that no path is ignored.
    result = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert result.returncode in {0, 1}, result.stderr
    return result.stdout


def plant_documents(root: Path, paths: tuple[str, ...], lists: Mapping[str, str]) -> None:
    plant(root, dict.fromkeys(paths, DOCUMENT) | dict(lists))


async def served(store: FolderStore) -> list[str]:
    return sorted(await held(store))


TREE = (
    "/a.md",
    "/build/b.md",
    "/docs/build/c.md",
    "/docs/d.draft.md",
    "/docs/keep.draft.md",
    "/node_modules/x/e.md",
)


@pytest.mark.proves("ST28")
async def test_nested_lists_negation_and_anchors_are_kept_as_git_does(root: Path, opened: Opener) -> None:
    lists = {"/.gitignore": "node_modules/\n/build/\n*.draft.md\n", "/docs/.gitignore": "!keep.draft.md\n"}
    plant_documents(root, TREE, lists)
    store = await opened()
    assert await served(store) == ["/a.md", "/docs/build/c.md", "/docs/keep.draft.md"]
    for path in ("/build/b.md", "/docs/d.draft.md"):
        with pytest.raises(NotFound):
            await store.fetch(path)
    with pytest.raises(NotFound):
        await store.lookup("kiwi", scope="/build")
    assert [entry.path for entry in (await store.list("/")).entries] == ["/docs/", "/a.md"]


@pytest.mark.proves("ST28")
async def test_everything_is_served_on_request(root: Path, opened: Opener) -> None:
    plant_documents(root, TREE, {"/.gitignore": "*\n"})
    assert await served(await opened(ignore=False)) == sorted(TREE)
    store = await opened()
    assert await served(store) == []
    assert [notice.text for notice in await store.notices()] == [
        "holds documents or folders, but none that is not left out"
    ]


@pytest.mark.proves("ST28")
async def test_a_changed_list_takes_documents_out_and_brings_them_back(root: Path, opened: Opener) -> None:
    plant_documents(root, ("/a.md", "/b.md"), {"/.gitignore": "c.md\n"})
    age(root)
    store = await opened()
    await until(lambda: store._live.has_events)
    plant(root, {"/.gitignore": "b.md\n"})
    await comes_to_hold(store, {"/a.md": 1})
    with pytest.raises(Archived) as caught:
        await store.fetch("/b.md")
    assert caught.value.last == 1
    assert (await store.fetch("/b.md", 1)).body == DOCUMENT, "a citation holds"
    (root / ".gitignore").unlink()
    await comes_to_hold(store, {"/a.md": 1, "/b.md": 1})


@pytest.mark.proves("ST28")
async def test_lists_of_the_work_tree_around_the_root_count(tmp_path: Path, opened: Opener) -> None:
    project = tmp_path / "project"
    plant_documents(
        project,
        ("/docs/in/a.md", "/docs/in/b.md", "/docs/in/c.md", "/docs/in/sub/d.md", "/docs/in/e.md"),
        {"/.gitignore": "/docs/in/a.md\n/in/e.md\n", "/docs/.gitignore": "in/b.md\n"},
    )
    git(project, "init", "-q")
    plant(project, {"/.git/info/exclude": "c.md\nsub/\n"})
    assert await served(await opened(project / "docs" / "in")) == ["/e.md"]
    assert await served(await opened(project / "docs")) == ["/in/e.md"]


@pytest.mark.proves("ST28")
async def test_lists_of_a_linked_work_tree_are_those_of_its_repository(
    tmp_path: Path, opened: Opener
) -> None:
    project, linked = tmp_path / "project", tmp_path / "linked"
    plant_documents(project, ("/a.md", "/b.md"), {})
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one")
    git(project, "worktree", "add", "-q", str(linked))
    plant(project, {"/.git/info/exclude": "b.md\n"})
    assert await served(await opened(linked)) == ["/a.md"]
    (linked / ".git").write_bytes(b"gitdir: /nowhere\n")
    assert await served(await opened(linked)) == ["/a.md", "/b.md"]


@pytest.mark.proves("ST28")
@pytest.mark.parametrize("pattern", ["generated/", "/out/", "out/generated"])
async def test_a_root_that_is_left_out_itself_is_served(tmp_path: Path, opened: Opener, pattern: str) -> None:
    plant_documents(tmp_path, ("/p/out/generated/a.md",), {"/p/.gitignore": f"{pattern}\n"})
    git(tmp_path / "p", "init", "-q")
    assert await served(await opened(tmp_path / "p" / "out" / "generated")) == ["/a.md"]


async def test_a_list_that_is_no_file_or_a_link_says_nothing(root: Path, opened: Opener) -> None:
    plant_documents(root, ("/a.md", "/sub/b.md"), {"/other": "*\n"})
    (root / ".gitignore").mkdir()
    (root / "sub" / ".gitignore").symlink_to("../other")
    assert await served(await opened()) == ["/a.md", "/sub/b.md"]


@pytest.mark.proves("ST29")
@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("docs/",), (), ["/docs/build/c.md", "/docs/d.draft.md", "/docs/keep.draft.md"]),
        (("/a.md", "*.draft.md"), (), ["/a.md", "/docs/d.draft.md", "/docs/keep.draft.md"]),
        (("**/build/**",), (), ["/build/b.md", "/docs/build/c.md"]),
        ((), ("docs", "node_modules"), ["/a.md", "/build/b.md"]),
        (("docs/",), ("*.draft.md", "!keep.draft.md"), ["/docs/build/c.md", "/docs/keep.draft.md"]),
        (("nothing.md",), (), []),
    ],
)
async def test_patterns_say_what_is_served(
    root: Path, opened: Opener, include: tuple[str, ...], exclude: tuple[str, ...], expected: list[str]
) -> None:
    plant_documents(root, TREE, {})
    store = await opened(include=include, exclude=exclude)
    assert await served(store) == expected
    for path in TREE:
        if path not in expected:
            with pytest.raises(NotFound):
                await store.fetch(path)
    assert await served(await opened()) == sorted(TREE), "another choice has another index"


@pytest.mark.proves("ST29")
async def test_what_patterns_leave_out_is_not_there_though_it_was_logged(root: Path, opened: Opener) -> None:
    plant_documents(root, ("/a.md", "/private/b.md"), {})
    assert (await (await opened()).fetch("/private/b.md")).version == 1
    store = await opened(exclude=("private/",))
    for call in (
        store.fetch("/private/b.md"),
        store.fetch("/private/b.md", 1),
        store.versions("/private/b.md"),
    ):
        with pytest.raises(NotFound):
            await call
    assert (await store.fetch("/a.md")).version == 1


@pytest.mark.proves("ST29")
@pytest.mark.parametrize(
    ("argument", "pattern"),
    [
        ("include", ""),
        ("exclude", "a["),
        ("include", "#a"),
        ("include", "!a"),
        ("exclude", "a\nb"),
        ("exclude", "\\"),
    ],
)
async def test_a_pattern_that_can_match_nothing_is_refused(
    opened: Opener, argument: str, pattern: str
) -> None:
    with pytest.raises(BadQuery) as caught:
        await opened(**{argument: (pattern,)})
    assert (caught.value.argument, caught.value.value) == (argument, pattern)


@pytest.mark.proves("ST30")
async def test_a_folder_with_very_many_names_is_given_up_with_their_number(
    root: Path, opened: Opener
) -> None:
    plant(root, {f"/{number}.txt": "" for number in range(50)} | {"/a.md": DOCUMENT})
    store = await opened(limit=2, wait=False)
    with pytest.raises(TooManyFiles) as caught:
        await store.ready(30)
    assert (caught.value.limit, caught.value.names) == (2, 40)


@pytest.mark.proves("ST30")
async def test_a_chosen_place_for_databases_inside_the_root_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root.parent / "link").symlink_to(root)
    for place in (root, root / "data", root / ".hidden" / "data", root.parent / "link" / "data"):
        with pytest.raises(DataFolderUnusable) as caught:
            await FolderStore.open(root, place, "bytes")
        assert (caught.value.folder, caught.value.reason) == (place, "lies inside the folder that is served")
    monkeypatch.setenv("MARKLOOKUP_DATA", str(root / "data"))
    with pytest.raises(DataFolderUnusable):
        await FolderStore.open(root, encoding="bytes")
    with pytest.raises(DataFolderUnusable):
        await FolderStore.open(root, Path("a\0b"), "bytes")
    assert found_below(root, "*") == []


@pytest.mark.proves("ST30")
async def test_the_user_s_data_folder_may_lie_in_the_root_and_is_no_content(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MARKLOOKUP_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(root / "share"))
    plant_documents(root, ("/a.md", "/share/marklookup/b.md"), {})
    async with await FolderStore.open(root, encoding="bytes") as store:
        if not store.data_folder.is_relative_to(root):
            pytest.skip("this system names another place")
        assert await store.ready(30)
        assert await served(store) == ["/a.md"]
        await until(lambda: store._live.has_events)
        assert "/share/marklookup/" not in await until(lambda: covered(store))


def covered(store: FolderStore) -> frozenset[str]:
    return store._live._watch.folders if store._live._watch else frozenset()


NAMES = st.sampled_from(
    ("a", "b", "ab", "a.md", "b.md", "é.md", "a b", "[x]", "foo", "a-b", "]", "!a", "#a", "a ", "*")
)
PIECES = st.sampled_from(
    (
        *(
            "a",
            "b",
            "ab",
            "foo",
            "é",
            "*",
            "**",
            "***",
            "/",
            "**/",
            "/**",
            "?",
            ".md",
            "!",
            "#",
            " ",
            "\\ ",
            "\\*",
        ),
        *(
            "\\",
            "[",
            "]",
            "[ab]",
            "[!a]",
            "[^b]",
            "[a-c]",
            "[]a]",
            "[a/]",
            "[[:alpha:]]",
            "[[:no:]]",
            "[a-",
            "[\\]]",
        ),
    )
)
LINES = st.lists(st.lists(PIECES, min_size=1, max_size=6).map("".join), min_size=1, max_size=5)
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=12)


@pytest.mark.proves("ST28")
@settings(max_examples=40)
@given(top=LINES, inner=LINES, paths=PATHS)
def test_what_is_left_out_is_what_git_leaves_out(top: list[str], inner: list[str], paths: list[str]) -> None:
    compare_with_git(top, inner, paths)


@pytest.mark.deep
@given(top=LINES, inner=LINES, paths=PATHS)
def test_much_that_is_left_out_is_what_git_leaves_out(
    top: list[str], inner: list[str], paths: list[str]
) -> None:
    compare_with_git(top, inner, paths)


def compare_with_git(top: list[str], inner: list[str], paths: list[str]) -> None:
    above = ("/".join(path.split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1))
    folders = {"a", *above}
    asked = sorted({*folders, *paths})
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        git(root, "init", "-q")
        for folder in folders:
            (root / folder).mkdir(parents=True, exist_ok=True)
        plant(root, {"/.gitignore": "\n".join(top), "/a/.gitignore": "\r\n".join(inner)})
        answered = git(root, "check-ignore", "--no-index", "-z", "--stdin", given="\0".join(asked))
        selection = Selection(root)
        ours = [path for path in asked if left_out(selection, path, path in folders)]
    assert ours == answered.split("\0")[:-1], (top, inner)


def left_out(selection: Selection, path: str, folder: bool) -> bool:
    return selection.rules_in(f"/{path}/") is None if folder else not selection.serves_now(f"/{path}")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("/" + "*a" * 60 + "b", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 120 + "c"),
        ("*/" * 30 + "**/" * 10 + "x", "a/" * 200 + "y"),
    ],
)
def test_no_pattern_is_slow(pattern: str, path: str) -> None:
    assert Globs([pattern]).verdict(as_bytes(path), False) is None


def test_the_lists_are_read_again_only_when_they_changed(root: Path) -> None:
    plant(root, {"/.gitignore": "a.md\n"})
    age(root)
    selection = Selection(root)
    assert not selection.serves_now("/a.md")
    plant(root, {"/.gitignore": "b.md\n"})
    assert selection.serves_now("/a.md")
