"""Odd names, links and file types: what can be a document is one, everything else is left alone and told."""

import os
import shutil
import socket
import tempfile
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mark_store import Archived, FolderStore, NotFound
from tests.store.conftest import Opener
from tests.store.tree import age, found_below, plant, truncated

pytestmark = pytest.mark.anyio

COMPOSED = unicodedata.normalize("NFC", "/Überblick é.md")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


async def everything(store: FolderStore) -> list[str]:
    """Every document of a store."""
    return sorted(row.path for row in (await store.lookup("*", limit=1000)).rows)


async def told(store: FolderStore) -> dict[str, str]:
    """What the store says of each path."""
    return {notice.path: notice.text for notice in await store.notices()}


@pytest.mark.proves("ST14")
async def test_any_name_that_the_system_allows_can_be_a_document(root: Path, opened: Opener) -> None:
    names = [
        "/a b/c d.md",
        "/#hash?query%20.md",
        "/tab\there\nline.md",
        "/comma, [brackets] (and) `ticks` | pipes.md",
        "/" + "n" * 252 + ".md",
        "/" + "字" * 84 + ".md",
        "/{.md",
        "/'; DROP TABLE document; --.md",
        "/UPPER.MD",
        "/x.markdown",
        "/y.mdx",
        "/z.mkd",
        "/v3/doc.md",
        "/a.md/v1.md",
    ]
    plant(root, {name: f"kiwi {number}\n" for number, name in enumerate(names)})
    store = await opened()
    assert await everything(store) == sorted(names)
    for number, name in enumerate(names):
        assert (await store.fetch(name)).body == f"kiwi {number}\n"
        assert (await store.lookup("kiwi", scope=name)).total == 1
        assert (await store.versions(name)).current == 1
    assert await told(store) == {}


@pytest.mark.proves("ST14")
async def test_hidden_files_and_other_types_are_not_there(root: Path, opened: Opener) -> None:
    plant(
        root,
        {"/.hidden.md": "x\n", "/.git/a.md": "x\n", "/a/.obsidian/b.md": "x\n", "/a.txt": "x\n", "/b": "x\n"},
    )
    plant(root, {"/real.md": "x\n"})
    store = await opened()
    assert await everything(store) == ["/real.md"]
    for path in ("/.hidden.md", "/.git/a.md", "/a/.obsidian/b.md", "/a.txt", "/b", "/real.md/../real.md"):
        with pytest.raises(NotFound):
            await store.fetch(path)


@pytest.mark.proves("ST15")
@pytest.mark.parametrize(("on_disk", "asked"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
async def test_either_unicode_form_of_a_name_fetches(
    root: Path, opened: Opener, on_disk: str, asked: str
) -> None:
    plant(root, {on_disk: "one\n", unicodedata.normalize("NFD", "/é") + "/x.md": "deep\n"})
    store = await opened()
    for spelling in (on_disk, asked):
        assert (await store.fetch(spelling)).path == on_disk
        assert (await store.versions(spelling)).path == on_disk
        assert (await store.lookup("one", scope=spelling)).total == 1
    assert (await store.lookup("deep", scope="/é")).total == 1
    assert [entry.path for entry in (await store.list("/é")).entries] == [
        unicodedata.normalize("NFD", "/é") + "/x.md"
    ]
    (root / on_disk[1:]).unlink()
    assert (await store.fetch(asked, 1)).path == on_disk


@pytest.mark.proves("ST15")
async def test_of_two_names_equal_after_composition_the_composed_one_wins(root: Path, opened: Opener) -> None:
    folder = unicodedata.normalize("NFD", "/é")
    plant(root, {DECOMPOSED: "lost\n", COMPOSED: "won\n", f"{folder}/a.md": "lost\n", "/é/a.md": "won\n"})
    if len(found_below(root, "*.md")) < 4:
        pytest.skip("this file system composes names")
    store = await opened()
    assert await everything(store) == sorted([COMPOSED, "/é/a.md"])
    assert (await store.fetch(DECOMPOSED)).body == "won\n"
    assert (await store.fetch(f"{folder}/a.md")).body == "won\n"
    assert set(await told(store)) == {DECOMPOSED, f"{folder}/a.md"}
    age(root)
    shutil.rmtree(root / "é")
    assert (await store.fetch("/é/a.md")).body == "lost\n"


@pytest.mark.proves("ST16")
async def test_links_inside_the_root_are_followed_and_loops_end(root: Path, opened: Opener) -> None:
    plant(root, {"/docs/a.md": "kiwi\n", "/docs/deep/b.md": "kiwi\n", "/README.md": "readme\n"})
    (root / "latest").symlink_to("docs")
    (root / "docs" / "README.md").symlink_to("../README.md")
    (root / "docs" / "up").symlink_to("..")
    (root / "docs" / "self").symlink_to(".")
    (root / "docs" / "deep" / "around").symlink_to(root)
    store = await opened()
    own = ["/README.md", "/docs/README.md", "/docs/a.md", "/docs/deep/b.md"]
    linked = ["/latest/README.md", "/latest/a.md", "/latest/deep/b.md"]
    assert await everything(store) == sorted(own + linked)
    assert (await store.fetch("/latest/deep/b.md")).body == "kiwi\n"
    with pytest.raises(NotFound):
        await store.fetch("/docs/up/README.md")


@pytest.mark.proves("ST16")
async def test_links_out_of_the_root_are_not_found_and_told(
    root: Path, tmp_path: Path, opened: Opener
) -> None:
    plant(tmp_path, {"/outside/secret.md": "secret\n"})
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "leak.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "dangling.md").symlink_to("nothing.md")
    (root / "ignored.txt").symlink_to(tmp_path / "outside" / "secret.md")
    plant(root, {"/a.md": "a\n"})
    store = await opened()
    assert await everything(store) == ["/a.md"]
    for path in ("/out/secret.md", "/leak.md", "/dangling.md"):
        with pytest.raises(NotFound):
            await store.fetch(path)
    assert await told(store) == {
        "/dangling.md": "is a link to nothing: skipped",
        "/leak.md": "is a link that leaves the root: skipped",
        "/out": "is a link that leaves the root: skipped",
    }


@pytest.mark.proves("ST16")
async def test_a_file_that_becomes_a_link_out_of_the_root_is_gone(
    root: Path, tmp_path: Path, opened: Opener
) -> None:
    plant(tmp_path, {"/outside/secret.md": "secret\n"})
    plant(root, {"/a.md": "mine\n"})
    store = await opened()
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(tmp_path / "outside" / "secret.md")
    assert (await store.lookup("secret")).total == 0
    assert (await store.fetch("/a.md", 1)).body == "mine\n"
    assert len((await store.versions("/a.md")).versions) == 1


@pytest.mark.proves("ST16")
async def test_a_link_that_takes_turns_with_a_file_never_shows_what_is_outside(
    root: Path, tmp_path: Path, opened: Opener
) -> None:
    plant(tmp_path, {"/outside/secret.md": "secret\n"})
    plant(root, {"/a.md": "mine\n"})
    store = await opened()
    done = threading.Event()
    swapping = threading.Thread(target=swap, args=(root / "a.md", tmp_path / "outside" / "secret.md", done))
    swapping.start()
    try:
        for _ in range(150):
            with suppress(NotFound, Archived):
                assert "secret" not in (await store.fetch("/a.md")).body
    finally:
        done.set()
        swapping.join()
    for version in (await store.versions("/a.md")).versions:
        assert "secret" not in (await store.fetch("/a.md", version.number)).body


def swap(place: Path, outside: Path, done: threading.Event) -> None:
    """Put a file and a link that leaves the root in one another's place, until it is done."""
    spare = place.with_suffix(".spare")
    while not done.is_set():
        spare.symlink_to(outside)
        spare.replace(place)
        spare.write_text("mine\n", encoding="utf-8")
        spare.replace(place)


@pytest.mark.proves("ST16")
async def test_a_scope_behind_a_link_out_of_the_root_tells_nothing(
    root: Path, tmp_path: Path, opened: Opener
) -> None:
    plant(tmp_path, {"/outside/deep/secret.md": "secret\n"})
    plant(root, {f"/{number}.md": "a\n" for number in range(300)})
    (root / "out").symlink_to(tmp_path / "outside")
    store = await opened(wait=False)
    for scope in ("/out/deep", "/out/nowhere"):
        with pytest.raises(NotFound):
            await store.lookup("*", scope=scope)


@pytest.mark.proves("ST17")
async def test_what_is_no_regular_file_is_skipped_without_waiting(root: Path, opened: Opener) -> None:
    os.mkfifo(root / "fifo.md")
    (root / "folder.md").mkdir()
    plant(root, {"/folder.md/inside.md": "x\n", "/a.md": "a\n"})
    with socket.socket(socket.AF_UNIX) as listening:
        # A socket's path may have some 100 characters only, so it is bound from inside the folder.
        bound = f"/proc/self/fd/{os.open(root, os.O_RDONLY)}/socket.md"
        listening.bind(bound)
        store = await opened()
        assert await everything(store) == ["/a.md", "/folder.md/inside.md"]
        assert set(await told(store)) == {"/fifo.md", "/socket.md"}
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")
    assert (await store.lookup("*")).total == 1


@pytest.mark.proves("ST17")
async def test_a_name_that_is_not_utf8_is_told_and_harms_nothing(root: Path, opened: Opener) -> None:
    foreign = os.fsdecode(b"caf\xe9")
    plant(root, {f"/{foreign}.md": "x\n", f"/{foreign}": "x\n", "/a.md": "a\n"})
    store = await opened()
    assert await everything(store) == ["/a.md"]
    assert await told(store) == {"/caf\ufffd.md": "has a name that is not UTF-8: skipped"}


@pytest.mark.proves("ST17")
async def test_what_cannot_be_read_is_told_and_harms_nothing() -> None:
    # pytest's own folders are closed to other users.
    with tempfile.TemporaryDirectory() as place:
        folder = unlocked(place)
        plant(folder, {"/served/a.md": "a\n", "/served/locked.md": "b\n", "/served/closed/c.md": "c\n"})
        with locked(folder / "served" / "locked.md", folder / "served" / "closed"):
            async with await FolderStore.open(folder / "served", folder / "data", "bytes") as store:
                assert await store.ready(30)
                assert await everything(store) == ["/a.md"]
                assert await told(store) == {
                    "/closed/": "cannot be read: Permission denied",
                    "/locked.md": "cannot be read: Permission denied",
                }


@pytest.mark.proves("ST17")
async def test_what_cannot_be_read_any_more_is_not_taken_for_deleted() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = unlocked(place)
        plant(folder, {"/served/closed/c.md": "kiwi\n", "/served/locked.md": "lime\n"})
        with locked():
            async with await FolderStore.open(folder / "served", folder / "data", "bytes") as store:
                assert await store.ready(30)
        with locked(folder / "served" / "locked.md", folder / "served" / "closed"):
            async with await FolderStore.open(folder / "served", folder / "data", "bytes") as store:
                assert await store.ready(30)
                assert await everything(store) == ["/closed/c.md", "/locked.md"]
                assert (await store.fetch("/closed/c.md")).body == "kiwi\n"


def unlocked(place: str) -> Path:
    """A folder that any user may write to."""
    Path(place).chmod(0o777)
    return Path(place)


@contextmanager
def locked(*places: Path) -> Iterator[None]:
    """Be a user who may not read some places."""
    was = os.geteuid()
    for place in places:
        place.chmod(0)
    try:
        if was == 0:
            os.seteuid(65534)
        yield
    finally:
        os.seteuid(was)
        for place in places:
            place.chmod(0o777)


@pytest.mark.proves("ST18")
async def test_a_binary_file_is_listed_and_not_printed(root: Path, opened: Opener) -> None:
    plant(root, {"/nul.md": b"# A\0\n", "/noise.md": bytes(range(128, 256)) * 4, "/text.md": "text\n"})
    store = await opened()
    page = await store.list("/")
    assert [(entry.path, entry.kind) for entry in page.entries] == [
        ("/noise.md", "binary"),
        ("/nul.md", "binary"),
        ("/text.md", "document"),
    ]
    document = await store.fetch("/nul.md")
    assert (document.kind, document.body, document.outline, document.version) == ("binary", "", None, 1)
    assert await everything(store) == ["/text.md"]
    assert set(await told(store)) == {"/nul.md", "/noise.md"}
    plant(root, {"/nul.md": "# A\n"})
    assert (await store.fetch("/nul.md")).kind == "text"
    assert (await store.fetch("/nul.md", 1)).kind == "binary"


async def test_a_file_too_large_to_be_a_document_is_told(root: Path, opened: Opener) -> None:
    truncated(root / "huge.md", 65 << 20)
    plant(root, {"/a.md": "a\n"})
    store = await opened()
    assert await everything(store) == ["/a.md"]
    assert await told(store) == {"/huge.md": "is larger than 64 MiB"}


async def test_known_metadata_with_nonsense_in_it_is_told_and_defaulted(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": '---\nimportance: high\nmodified: soon\ntitle: "a  \\n b"\n---\nkiwi\n'})
    plant(root, {"/b.md": "---\nimportance: 2\narchived: maybe\n---\nkiwi\n"})
    store = await opened()
    rows = {row.path: row for row in (await store.lookup("kiwi")).rows}
    assert {row.importance for row in rows.values()} == {0.5}
    assert rows["/a.md"].title == "a b"
    texts = [notice.text for notice in await store.notices()]
    assert texts == [
        "importance 'high' is no number from 0 to 1: 0.5 is used",
        "modified 'soon' is no ISO 8601 time: the file's time is used",
        "importance '2' is no number from 0 to 1: 0.5 is used",
    ]


async def test_importance_lifts_a_row(root: Path, opened: Opener) -> None:
    plant(root, {"/a.md": "kiwi\n", "/b.md": "---\nimportance: 1\n---\nkiwi\n", "/c.md": "kiwi\n"})
    store = await opened()
    assert [row.path for row in (await store.lookup("kiwi")).rows] == ["/b.md", "/a.md", "/c.md"]
