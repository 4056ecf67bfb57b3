"""Several stores through the real server and the command line: addresses, failures, budgets, names."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner, Result
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from mark_server.arguments import checked
from mark_server.calls import call
from mark_server.checks import ArgumentError
from mark_server.cli import main
from mark_server.desk import Desk
from mark_server.mount import Mount
from mark_server.naming import mounts_of
from mark_server.opening import open_desk
from mark_server.resources import complete_path, read_resource
from mark_server.settings import Settings
from mark_store import NotFound, Reader
from tests.server.surfaces import Surface
from tests.server.test_process import filled, locked
from tests.server.web import environment
from tests.store.tree import plant
from tests.waiting import until

pytestmark = pytest.mark.anyio

DOCS = {
    "/a.md": "---\nrel-by: b.md, mark://wiki/b.md\n---\n# Kiwi plan\n\nThe kiwi plan.\n",
    "/b.md": "# Basket\n\nA basket.\n",
}
WIKI = {"/a.md": "# Kiwi page\n\nAbout the kiwi.\n", "/b.md": "# Wrong basket\n\nNot this one.\n"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with two stores, and a settings file that names a third that is missing."""
    plant(tmp_path / "docs", DOCS)
    plant(tmp_path / "wiki", WIKI)
    names = ("docs", "wiki", "late")
    mounts = "".join(f'[stores.{name}]\naddress = "{name}"\n' for name in names)
    (tmp_path / "marklookup.toml").write_text(mounts, encoding="utf-8")
    return tmp_path


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


async def serving(stack: AsyncExitStack, place: Path, *arguments: str) -> tuple[Surface, Path]:
    """A spawned server whose working folder is `place`, and what it says on standard error."""
    errors = place / "errors"
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mark_server", "serve", *arguments],
        env=environment(place / "data"),
        cwd=place,
    )
    from mcp.client.stdio import stdio_client

    log = stack.enter_context(errors.open("w", encoding="utf-8"))
    client = await stack.enter_async_context(Client(stdio_client(parameters, errlog=log), mode="legacy"))
    return Surface(client), errors


async def desk_over(stack: AsyncExitStack, place: Path, *mounts: Mount) -> Desk:
    settings = Settings(stores=mounts, data=place / "data", encoding="bytes")
    desk = await stack.enter_async_context(open_desk(settings))
    await desk.ready(30)
    return desk


@pytest.mark.proves("SS1", "SS3", "SS4", "SS5")
async def test_a_server_answers_from_the_stores_of_its_file(stack: AsyncExitStack, place: Path) -> None:
    surface, errors = await serving(stack, place)
    text = await until(lambda: answered(surface), 30)
    head, _, rest = text.partition("\n\n")
    assert head == "status: ok\nmatches: 2\nfailed: late: No such file or directory"
    for printed in (
        ">>> mark://docs/a.md/v1#kiwi-plan\n",
        ">>> mark://wiki/a.md/v1#kiwi-page\n",
        ">>> related: rel-by mark://docs/b.md, mark://wiki/b.md\n",
        ">>> mark://docs/b.md/v1#basket\n",
    ):
        assert printed in rest, rest
    assert "mark://wiki/b.md/v1" not in rest, "the hop stays in the store of its seed"
    assert (await surface.text("mark_fetch", url="mark://docs/a.md/v1#kiwi-plan")).endswith(
        "The kiwi plan.\n"
    )
    assert await surface.text("mark_list") == (
        "status: ok\nentries: 3\n\n"
        "- [docs/](mark://docs/) - store\n- [wiki/](mark://wiki/) - store\n- [late/](mark://late/) - store\n"
    )
    wrong = await surface.wrong("mark_fetch", url="/a.md")
    assert wrong == (
        "url must be an address in a store: mark://STORE/a.md, STORE one of docs, wiki, late, got /a.md"
    )
    said = errors.read_text(encoding="utf-8")
    assert said.startswith("marklookup: store late: ")
    assert said.count("\n") == 1
    plant(place / "late", {"/c.md": "# Late kiwi\n"})
    assert "failed" not in await until(lambda: whole(surface), 30)


async def answered(surface: Surface) -> str:
    text = await surface.text("mark_lookup", query="kiwi", budget=500)
    return text if "indexing" not in text else ""


async def whole(surface: Surface) -> str:
    text = await surface.text("mark_lookup", query="kiwi")
    return text if "mark://late/c.md" in text else ""


@pytest.mark.proves("SS3", "B1", "B2")
async def test_what_is_said_of_a_store_that_fails_is_charged_to_the_budget(
    stack: AsyncExitStack, place: Path
) -> None:
    desk = await desk_over(
        stack,
        place,
        *(Mount(name, str(place / name)) for name in ("docs", "wiki", "gone")),
        Mount("off", "https://127.0.0.1:1", deadline=0.5),
        Mount("odd", "https://a:b"),
    )
    for budget in range(200, 500, 30):
        text = await call(desk, checked("mark_lookup", {"query": "kiwi", "budget": budget}))
        assert "\nfailed: gone: No such file or directory; off: " in text
        assert "; odd: is no address of a server; " in text
        assert desk.counter.tokens(desk.counter.count(text)) <= budget


@pytest.mark.proves("SS3")
async def test_when_no_store_answers_the_reasons_are_the_answer(stack: AsyncExitStack, place: Path) -> None:
    desk = await desk_over(stack, place, Mount("one", str(place / "no")), Mount("two", str(place / "nor")))
    text = await call(desk, checked("mark_lookup", {"query": "kiwi"}))
    assert text == (
        "status: server-error\n\n"
        "no store answers: one: No such file or directory; two: No such file or directory\n"
    )


@pytest.mark.proves("SS7")
async def test_a_store_that_is_being_indexed_is_named(stack: AsyncExitStack, place: Path) -> None:
    big = place / "big"
    big.mkdir()
    command = [sys.executable, "-m", "mark_server", "index", str(big), "--encoding", "bytes"]
    await anyio.run_process(command, env=environment(place / "data"))
    with locked(place / "data"):
        filled(big, 3)
        mounts = (Mount("docs", str(place / "docs")), Mount("big", str(big)))
        settings = Settings(stores=mounts, data=place / "data", encoding="bytes")
        desk = await stack.enter_async_context(open_desk(settings))

        async def docs_are_ready() -> str:
            text = await call(desk, checked("mark_lookup", {"query": "kiwi", "limit": 1}))
            return text if "files of big" in text else ""

        text = await until(docs_are_ready, 30)
        assert text.startswith("status: ok\nmatches: 1\nindexing: 0 of 3 files of big; more may match\n\n")
        listed = await call(desk, checked("mark_list", {"url": "mark://big/"}))
        assert "\nindexing: 0 of 3 files of big; more may be here\n" in listed
    await until(lambda: desk.progress() is None, 30)


def ran(place: Path, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(place)
    return CliRunner().invoke(main, [*arguments, "--data", str(place / "data"), "--encoding", "bytes"])


@pytest.mark.proves("SS8")
async def test_stores_on_the_command_line_are_called_by_their_last_part(
    stack: AsyncExitStack, place: Path
) -> None:
    surface, _ = await serving(stack, place, "docs", "other=wiki")
    text = await until(lambda: answered(surface), 30)
    assert "mark://docs/a.md" in text
    assert "mark://other/a.md" in text
    assert "failed" not in text, "the stores of the command line stand in place of those of the file"


@pytest.mark.proves("SS8")
def test_names_are_made_of_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x=y").mkdir()
    addresses = [
        "./Team Docs/",
        "https://wiki.example:8443",
        "https://w.example/Hand.Book/",
        "a=https://b",
        "x=y",
    ]
    assert [(mount.name, mount.address) for mount in mounts_of(addresses)] == [
        ("team-docs", "./Team Docs/"),
        ("wiki", "https://wiki.example:8443"),
        ("hand-book", "https://w.example/Hand.Book/"),
        ("a", "https://b"),
        ("x-y", "x=y"),
    ]
    for wrong in (["a/docs", "b/docs"], ["docs", "docs=b"], ["https://127.0.0.1", "docs"], ["/", "docs"]):
        with pytest.raises(ArgumentError, match="name it: NAME="):
            mounts_of(wrong)


@pytest.mark.proves("SS8")
def test_equal_names_are_a_usage_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = ran(place, "serve", "docs", "wiki/docs", monkeypatch=monkeypatch)
    assert result.exit_code == 2
    assert result.output == (
        "marklookup: docs and wiki/docs would both be the store docs; name it: NAME=wiki/docs\n"
    )


@pytest.mark.proves("SS1")
def test_index_and_verify_go_through_the_folders_of_the_file(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "late").mkdir()
    with (place / "marklookup.toml").open("a", encoding="utf-8") as file:
        file.write('[stores.far]\naddress = "https://127.0.0.1:1"\n')
    indexed = ran(place, "index", monkeypatch=monkeypatch)
    assert [line.split(",")[0] for line in indexed.output.splitlines()] == [
        *("2 documents", "2 documents", "0 documents")
    ]
    verified = ran(place, "versions", "--verify", monkeypatch=monkeypatch)
    assert [line.split(" (")[0] for line in verified.output.splitlines()] == [
        *("2 documents, 2 versions", "2 documents, 2 versions", "0 documents, 0 versions")
    ]


@pytest.mark.proves("SS1")
@pytest.mark.parametrize("command", [["index"], ["versions", "--verify"]])
def test_what_works_on_folders_refuses_a_server(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("MARKLOOKUP_STORE", "https://wiki.example")
    result = ran(place, *command, monkeypatch=monkeypatch)
    assert (result.exit_code, result.output) == (
        1,
        "marklookup: https://wiki.example: is a server; this command works on a folder\n",
    )


@pytest.mark.proves("SS1", "HT2", "HT3")
async def test_resources_and_completions_know_the_stores(stack: AsyncExitStack, place: Path) -> None:
    desk = await desk_over(stack, place, *(Mount(name, str(place / name)) for name in ("docs", "wiki")))
    assert await read_resource(desk, "mark://wiki/b.md") == WIKI["/b.md"]
    with pytest.raises(NotFound):
        await read_resource(desk, "mark://wiki/gone.md")
    for typed, values in (
        ("", ["docs/", "wiki/"]),
        ("d", ["docs/"]),
        ("mark://wiki/", ["wiki/a.md", "wiki/b.md"]),
        ("docs/b", ["docs/b.md"]),
        ("docs/b.md#", ["docs/b.md#basket"]),
        ("gone/", []),
        ("/", ["docs/", "wiki/"]),
    ):
        assert (await complete_path(desk, typed)).values == values, typed
    nobody = replace(desk, reader=Reader(("mark://docs/a.md",)))
    assert (await complete_path(nobody, "")).values == ["docs/"]
    assert (await complete_path(nobody, "docs/")).values == ["docs/a.md"]
