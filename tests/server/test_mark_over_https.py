"""Stores over HTTPS, against our own route behind TLS: the contract, callers, several stores."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from mark_server.arguments import ToolName, checked
from mark_server.callers import Caller, Callers
from mark_server.calls import call
from mark_server.desk import Desk
from mark_server.mark_route import MOST_BYTES
from mark_server.mount import Mount
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_store import (
    EVERYTHING,
    BadAddress,
    HttpsExchange,
    MarkStore,
    NotFound,
    ProtocolError,
    Reader,
    Store,
    Unauthorized,
    Unavailable,
)
from tests.server.certificates import Authority
from tests.server.mark_over_https import Known, served
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import publishing
from tests.server.web import web
from tests.store.contract import CASES
from tests.store.tree import plant
from tests.store.world import WORLD
from tests.waiting import until

pytestmark = pytest.mark.anyio

Serve = Callable[..., Awaitable[str]]
LIME = "# Lime\n"
HEADERS = {"content-type": "application/mark"}
TOKEN = "-".join(["team", "token"])


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


@pytest.fixture
def serve(authority: Authority, stack: AsyncExitStack) -> Serve:
    """Serves a desk, and gives the address of the server."""

    async def start(desk: Desk, callers: Callers | None = None) -> str:
        return await stack.enter_async_context(served(desk, authority, callers))

    return start


@pytest.fixture
def connect(authority: Authority, stack: AsyncExitStack) -> Callable[..., MarkStore]:
    def connected(address: str, token: str = "", variable: str = "") -> MarkStore:
        exchange = HttpsExchange(address, token, ca=authority.ca)
        store = MarkStore(exchange, variable=variable)
        stack.push_async_callback(store.aclose)
        return store

    return connected


@pytest.fixture
async def several(tmp_path: Path, stack: AsyncExitStack) -> Desk:
    """A desk over two folders."""
    for name, text in (("docs", "# Docs\n\nkiwi\n"), ("wiki", "# Wiki\n\nkiwi lime\n")):
        plant(tmp_path / name, {"/x.md": text})
    mounts = tuple(Mount(name, str(tmp_path / name)) for name in ("docs", "wiki"))
    settings = Settings(stores=mounts, data=tmp_path / "data", encoding="bytes")
    desk = await stack.enter_async_context(open_desk(settings))
    assert await desk.ready(30)
    return desk


@pytest.mark.proves("MH1", "MH7")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_a_store_over_https(
    case: Callable[[Store], Awaitable[None]], tmp_path: Path, serve: Serve, connect: Any
) -> None:
    async with desk_over(tmp_path, WORLD) as desk:
        await case(connect(await serve(desk)))


@pytest.mark.proves("MH1")
async def test_every_answer_of_the_protocol_is_http_200(
    several: Desk, serve: Serve, authority: Authority, stack: AsyncExitStack
) -> None:
    address = await serve(several)
    client = await stack.enter_async_context(httpx2.AsyncClient(verify=trusting(authority)))

    async def posted(path: str, body: bytes, **headers: str) -> httpx2.Response:
        return await client.post(address + path, content=body, headers=HEADERS | headers)

    for path, body, status in (
        ("/docs/mark", b"FETCH /x.md\n", b"status: ok\n"),
        ("/docs/mark", b"FETCH /gone.md\n", b"status: not-found\n"),
        ("/docs/mark", b"DELETE /x.md\n", b"status: bad-request\n"),
        ("/docs/mark", b"\xff\xfe", b"status: bad-request\n"),
        ("/docs/mark", b"", b"status: bad-request\n"),
        ("/docs/mark", b"LOOKUP /\n---\nquery: {a: b}\n---\n", b"status: bad-request\n"),
        ("/gone/mark", b"FETCH /x.md\n", b"status: not-found\n"),
        ("/mark", b"FETCH /x.md\n", b"status: bad-request\n"),
    ):
        response = await posted(path, body)
        assert (response.status_code, response.headers["content-type"]) == (200, "application/mark")
        assert response.content.startswith(b"---\n")
        assert status in response.content, body
    assert (await posted("/docs/mark", b"x" * (MOST_BYTES + 1))).status_code == 413
    assert (await posted("/docs/mark", b"x", **{"content-type": "text/plain"})).status_code == 415
    refused = await client.get(f"{address}/docs/mark")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def trusting(authority: Authority) -> Any:
    import ssl

    return ssl.create_default_context(cafile=authority.ca)


@pytest.mark.proves("MH2")
async def test_a_caller_is_known_by_their_token_and_sees_what_they_may(
    tmp_path: Path, serve: Serve, connect: Any
) -> None:
    known = Known(
        {TOKEN: Caller("team", Reader(("/team/open/**", "/notes.md"))), "all": Caller("all", EVERYTHING)}
    )
    async with desk_over(tmp_path, WORLD) as desk:
        address = await serve(desk, known)
        team = connect(address, TOKEN)
        assert {row.path for row in (await team.lookup("tape", limit=50)).rows} == {
            "/team/open/handbook.md",
            "/notes.md",
        }
        assert (await connect(address, "all").lookup("*")).total > 2
        with pytest.raises(NotFound):
            await team.fetch("/team/private.md")
        for token in ("", "wrong"):
            with pytest.raises(Unauthorized) as caught:
                await connect(address, token, "MY_TOKEN").fetch("/notes.md")
            assert caught.value.variable == "MY_TOKEN"


@pytest.mark.proves("MH2", "SS6")
async def test_each_of_several_stores_has_an_address_of_its_own(
    several: Desk, serve: Serve, connect: Any
) -> None:
    known = Known({TOKEN: Caller("team", Reader(("mark://docs/**",))), "all": Caller("all", EVERYTHING)})
    address = await serve(several, known)
    for name in ("docs", "wiki"):
        page = await connect(f"{address}/{name}", "all").lookup("kiwi")
        assert [(row.path, row.title) for row in page.rows] == [("/x.md", name.capitalize())]
    assert (await connect(f"{address}/docs", TOKEN).fetch("/x.md")).path == "/x.md"
    for path in ("/wiki", "/gone", "/docs/docs"):
        with pytest.raises((NotFound, ProtocolError)):
            await connect(address + path, TOKEN).fetch("/x.md")
    with pytest.raises(ProtocolError, match="address"):
        await connect(address, TOKEN).fetch("/x.md")


@pytest.mark.proves("MH2", "SS3")
async def test_a_store_that_cannot_be_opened_is_said_without_a_path_of_this_machine(
    tmp_path: Path, serve: Serve, connect: Any, stack: AsyncExitStack
) -> None:
    mounts = (Mount("gone", str(tmp_path / "gone")),)
    desk = await stack.enter_async_context(open_desk(Settings(stores=mounts, data=tmp_path / "data")))
    with pytest.raises(Unavailable) as caught:
        await connect(f"{await serve(desk)}/gone").fetch("/x.md")
    assert "gone: No such file or directory" in caught.value.reason
    assert str(tmp_path) not in caught.value.reason


@pytest.mark.proves("SS1", "SS3", "SS5", "MH2", "MH3")
@pytest.mark.parametrize("way", ["HTTPS", "QUIC"])
async def test_a_mounted_server_is_one_store_among_several(
    way: str,
    tmp_path: Path,
    serve: Serve,
    authority: Authority,
    stack: AsyncExitStack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder and a server with a document of the same name, which refers to others by every spelling."""
    remote = await stack.enter_async_context(desk_over(tmp_path, {"/y.md": LIME, "/z.md": LIME}))
    team = Known({TOKEN: Caller("team", EVERYTHING)})
    if way == "HTTPS":
        address = await serve(remote, team)
        host = "127.0.0.1"
    else:
        server = await stack.enter_async_context(publishing(remote, authority, team))
        host = f"localhost:{server.port}"
        address = f"mark://{host}"
    body = f"---\nrel-by: y.md, mark://{host}/z.md, mark://local/x.md\n---\n# Remote\n\nkiwi\n"
    plant(tmp_path / "root", {"/x.md": body})
    plant(tmp_path / "local", {"/x.md": "# Local\n\nkiwi\n", "/y.md": "wrong\n"})
    variable = "MARKLOOKUP_TOKEN_HERE"
    monkeypatch.setenv(variable, TOKEN)
    mounts = (
        Mount("remote", address, token_env=variable, ca=authority.ca, weight=2),
        Mount("local", str(tmp_path / "local")),
        Mount("gone", "https://127.0.0.1:1", ca=authority.ca, deadline=0.5),
    )
    settings = Settings(stores=mounts, data=tmp_path / "data")
    desk = await stack.enter_async_context(open_desk(settings))
    assert await desk.ready(30)
    text = await call(desk, checked("mark_lookup", {"query": "kiwi", "budget": 600}))
    assert desk.counter.tokens(desk.counter.count(text)) <= 600
    head, _, rest = text.partition("\n\n")
    assert head.startswith("status: ok\nmatches: 2\nfailed: gone: ")
    assert rest.startswith("| mark://remote/x.md#remote | Remote |\n")
    related = f">>> related: rel-by mark://remote/y.md, mark://{host}/z.md, mark://local/x.md\n"
    for printed in (
        ">>> mark://remote/x.md/v1#remote\n",
        related,
        ">>> mark://local/x.md/v1#local\n",
        ">>> mark://remote/y.md/v1#lime\n",
        ">>> mark://remote/z.md/v1#lime\n",
    ):
        assert printed in rest
    assert "and 2 related documents" in rest, "mark://local/x.md is on another authority"
    fetched = await call(desk, checked("mark_fetch", {"url": f"mark://{host}/z.md"}))
    assert fetched == "status: ok\nversion: 1\n\n# Lime\n"


@pytest.mark.proves("MH2", "MH3")
@pytest.mark.parametrize(("content", "mode"), [("a b\n", 0o600), ("", 0o600), ("a\n", 0o644), (None, 0)])
async def test_a_token_file_that_cannot_be_used_is_said(
    tmp_path: Path, content: str | None, mode: int
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content, encoding="utf-8")
        file.chmod(mode)
    mount = Mount("docs", "https://127.0.0.1:1", token_file=file)
    async with open_desk(Settings(stores=(mount,), data=tmp_path / "data")) as desk:
        text = await call(desk, checked("mark_lookup", {"query": "kiwi"}))
        assert text.startswith("status: server-error\n")
        assert str(file) not in text
    alone = Settings(store="https://127.0.0.1:1/a b", data=tmp_path / "data")
    with pytest.raises(BadAddress):
        await open_desk(alone).__aenter__()


@pytest.mark.proves("MH2")
async def test_a_token_comes_from_its_file_or_from_the_variable_of_the_host(
    tmp_path: Path, serve: Serve, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk_over(tmp_path, WORLD) as remote:
        address = await serve(remote, Known({TOKEN: Caller("team", EVERYTHING)}))
        port = address.rpartition(":")[2]
        file = tmp_path / "token"
        file.write_text(f"{TOKEN}\n", encoding="utf-8")
        file.chmod(0o600)
        for mount in (
            Mount("docs", address, token_file=file, ca=authority.ca),
            Mount("docs", address, ca=authority.ca),
        ):
            async with open_desk(Settings(stores=(mount,), data=tmp_path / "data")) as desk:
                text = await call(desk, checked("mark_fetch", {"url": "mark://docs/plain.md"}))
                assert text.startswith("status: ok\n"), text
            monkeypatch.setenv(f"MARKLOOKUP_TOKEN_127_0_0_1_{port}", TOKEN)
        monkeypatch.delenv(f"MARKLOOKUP_TOKEN_127_0_0_1_{port}")
        async with open_desk(
            Settings(stores=(Mount("docs", address, ca=authority.ca),), data=tmp_path / "data")
        ) as desk:
            text = await call(desk, checked("mark_fetch", {"url": "mark://docs/plain.md"}))
            assert text.startswith("status: unauthorized\n")
            assert f"MARKLOOKUP_TOKEN_127_0_0_1_{port}" in text


@pytest.mark.proves("MH1", "MH7")
async def test_a_spawned_server_is_a_store_of_the_command_line(music_folder: Path, tmp_path: Path) -> None:
    """`serve --http` on the one side, `--store http://…` on the other, with the text of the folder itself."""
    async with web(music_folder, tmp_path / "data") as server:

        async def told(store: str, tool: ToolName, **given: object) -> str:
            settings = Settings(store=store, data=tmp_path / "client", patience=30)
            async with open_desk(settings) as desk:
                return await call(desk, checked(tool, given))

        calls: tuple[tuple[ToolName, dict[str, object]], ...] = (
            ("mark_fetch", {"url": "/genres/relay.md#what-it-owes"}),
            ("mark_fetch", {"url": "mark:///genres/relay.md", "verbose": True}),
            ("mark_list", {"url": "/bands"}),
            ("mark_versions", {"url": "/genres/relay.md"}),
            ("mark_lookup", {"query": "tide pedal", "limit": 5}),
        )

        async def indexed() -> bool:
            return "indexing" not in await told(server.root, "mark_lookup", query="tide")

        await until(indexed, 30)
        for tool, given in calls:
            here = await told(str(music_folder), tool, **given)
            there = await told(server.root, tool, **given)
            assert without_times(there) == without_times(here)
        budgeted = [
            await told(store, "mark_lookup", query="tide pedal", budget=900)
            for store in (str(music_folder), server.root)
        ]
        # A server tells no sizes, so what is left out is told less exactly; what is printed is the same.
        here, there = (text.partition(">>> note: did not fit")[0] for text in budgeted)
        assert there == here


def without_times(text: str) -> str:
    """Each of the two observed the files at a moment of its own."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z", "TIME", text)


@pytest.mark.proves("MH4", "MH6", "SS3")
async def test_a_server_that_is_killed_costs_answers_and_never_makes_a_wrong_one(
    music_folder: Path, tmp_path: Path
) -> None:
    plant(tmp_path / "local", {"/x.md": "# Tide\n\nThe tide.\n"})
    async with web(music_folder, tmp_path / "data") as server:
        mounts = (
            Mount("far", server.root, deadline=5),
            Mount("local", str(tmp_path / "local")),
        )
        async with open_desk(Settings(stores=mounts, data=tmp_path / "client", patience=30)) as desk:
            arguments = checked("mark_lookup", {"query": "tide", "limit": 50})

            async def complete() -> str:
                text = await call(desk, arguments)
                return "" if "indexing" in text else text

            whole = await until(complete, 30)
            assert "failed" not in whole
            alone = await call(
                desk, checked("mark_lookup", {"query": "tide", "limit": 50, "url": "mark://local"})
            )
            answers: list[str] = []

            async def ask() -> None:
                answers.append(await call(desk, arguments))

            async with anyio.create_task_group() as group:
                for number in range(30):
                    group.start_soon(ask)
                    if number == 15:
                        await until(lambda: answers)
                        server.process.kill()
            answers.append(await call(desk, arguments))
    told = {text for text in answers if "failed" not in text}
    assert told == {whole}
    lost = [text for text in answers if "failed" in text]
    assert lost
    for text in lost:
        rest = re.sub(r"failed: far: .*\n", "", text)
        assert rest == alone.replace("in mark://local/", "in /").replace("in mark://local\n", "in /\n")
