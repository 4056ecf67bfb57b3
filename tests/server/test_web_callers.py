"""Callers of a spawned HTTP server: token file and issuer, each in its scope, through a real MCP client."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from mark_server.token_entries import digest
from tests.server.issuer import AUDIENCE, issuing, public, rsa_key
from tests.server.listened import JSON, message
from tests.server.surfaces import HANDSHAKE, STATELESS
from tests.server.web import Web, environment, web
from tests.waiting import until

ALL, SOME, OLD = ("mlk_" + letter * 43 for letter in "abc")
HIDDEN = "zeppelin"

HIDING: list[tuple[str, dict[str, object]]] = [
    ("mark_lookup", {"query": f"tide {HIDDEN}", "budget": 900}),
    ("mark_lookup", {"query": "*", "url": "/secret"}),
    ("mark_fetch", {"url": "/secret/plan.md"}),
    ("mark_fetch", {"url": "/secret"}),
    ("mark_fetch", {"url": "/secret/plan.md/v1"}),
    ("mark_list", {}),
    ("mark_list", {"url": "/secret"}),
    ("mark_versions", {"url": "/secret/plan.md"}),
]


def entry(name: str, token: str, paths: str, more: str = "") -> str:
    return f'[[token]]\nname = "{name}"\nsha256 = "{digest(token)}"\npaths = ["{paths}"]\n{more}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "world"
    for path, text in (
        ("open/a.md", "---\nrel-depends-on: ../secret/plan.md\n---\n# A\n\ntide\n"),
        ("secret/plan.md", f"# {HIDDEN} plan\n\ntide {HIDDEN}\n"),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    return written(
        tmp_path / "tokens.toml",
        entry("all", ALL, "/**")
        + entry("some", SOME, "/open/**")
        + entry("old", OLD, "/", "expires=2020-01-01"),
    )


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


async def posted(
    server: Web, token: str | None, tool: str = "mark_fetch", **arguments: object
) -> httpx2.Response:
    headers = JSON if token is None else {**JSON, "authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=20) as client:
        return await client.post(server.url, content=message(tool, **arguments))


@asynccontextmanager
async def client_of(server: Web, token: str, mode: str) -> AsyncIterator[Client]:
    """A real MCP client that sends a token."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=20) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
    ):
        yield client


async def indexed(server: Web) -> None:
    """Wait for the first index."""

    async def ready() -> bool:
        async with httpx2.AsyncClient() as client:
            return (await client.get(f"{server.root}/readyz")).status_code == 200

    await until(ready, 30)


async def told(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


def quiet(server: Web) -> str:
    """All that the server wrote to standard error."""
    return server.errors.read_text(encoding="utf-8")


@pytest.mark.proves("RS1", "RS3", "CA1")
@pytest.mark.parametrize("mode", [HANDSHAKE, STATELESS])
async def test_each_token_reads_its_own_scope(folder: Path, tokens: Path, tmp_path: Path, mode: str) -> None:
    async with web(folder, tmp_path / "data", "--tokens", str(tokens)) as server:
        await indexed(server)
        async with client_of(server, ALL, mode) as client:
            assert "matches: 2\n" in await told(client, "mark_lookup", query="tide")
            assert HIDDEN in await told(client, "mark_fetch", url="/secret/plan.md")
        async with client_of(server, SOME, mode) as client:
            for tool, arguments in HIDING:
                text = await told(client, tool, **arguments)
                assert HIDDEN not in text
                assert "secret" not in text.replace("rel-depends-on /secret/plan.md", ""), text
            assert "matches: 1\n" in await told(client, "mark_lookup", query="tide")
            assert await told(client, "mark_fetch", url="/secret/plan.md") == await told(
                client, "mark_fetch", url="/secret/none.md"
            )
        log = quiet(server)
        assert {"all", "some"} <= {line.get("caller") for line in server.said("request")}
        assert not any(word in log for word in (ALL, SOME, HIDDEN))


@pytest.mark.proves("RS3", "CA2", "CA3")
async def test_a_changed_file_counts_with_the_next_call(folder: Path, tokens: Path, tmp_path: Path) -> None:
    text = tokens.read_text(encoding="utf-8")  # noqa: ASYNC240 - a test may wait for a small file
    async with web(folder, tmp_path / "data", "--tokens", str(tokens)) as server:
        await indexed(server)
        assert (await posted(server, ALL, url="/open/a.md")).status_code == 200
        written(tokens, "[[token]")
        assert (await posted(server, ALL, url="/open/a.md")).status_code == 200
        (warned,) = server.said("callers")
        assert warned["text"].endswith("; the entries stay as they were")
        written(tokens, text.replace(digest(ALL), digest("other")))
        assert (await posted(server, ALL, url="/open/a.md")).status_code == 401
        assert (await posted(server, "other", url="/secret/plan.md")).status_code == 200


@pytest.mark.proves("HT8", "CA1", "CA7")
async def test_who_is_not_known_is_told_where_to_get_a_token_and_nothing_else(
    folder: Path, tokens: Path, tmp_path: Path
) -> None:
    key = rsa_key()
    with issuing() as issuer:
        issuer.keys = [public(key, "one")]
        options = ("--tokens", str(tokens), "--issuer", issuer.url, "--audience", AUDIENCE)
        async with web(folder, tmp_path / "data", *options) as server:
            await indexed(server)
            for token, reason in (
                (None, "a bearer token is required"),
                ("mlk_wrong", "the token is not known here"),
                (OLD, "the token has expired"),
                (issuer.token(rsa_key(), "RS256"), "the token's signature is wrong"),
                (issuer.token(key, "RS256", aud="other"), "the token is made for another audience"),
            ):
                refused = await posted(server, token, url="/secret/plan.md")
                assert refused.status_code == 401
                assert reason in refused.text
                assert token is None or token not in refused.text
                assert "resource_metadata=" in refused.headers["www-authenticate"]
            async with httpx2.AsyncClient() as client:
                about = (await client.get(f"{server.root}/.well-known/oauth-protected-resource/mcp")).json()
            assert about["authorization_servers"] == [issuer.url]
            assert about["scopes_supported"] == ["mark:read"]
            scope = "mark:read:/open/**"
            taken = await posted(server, issuer.token(key, "RS256", scope=scope), url="/open/a.md")
            assert taken.status_code == 200
            hidden = await posted(server, issuer.token(key, "RS256", scope=scope), url="/secret/plan.md")
            assert hidden.json()["result"]["content"][0]["text"] == "status: not-found\n"
            assert (await posted(server, ALL, url="/secret/plan.md")).status_code == 200
            idle = await posted(server, issuer.token(key, "RS256", scope="openid"), url="/open/a.md")
            assert idle.status_code == 403
            assert 'error="insufficient_scope", scope="mark:read"' in idle.headers["www-authenticate"]
            host = issuer.url.removeprefix("http://")
            assert f"ada@{host}" in {line.get("caller") for line in server.said("request")}


@pytest.mark.proves("CA1", "HT14")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--issuer", "https://login.example"], "issuer needs an audience"),
        (["--tokens", "none.toml"], "none.toml: No such file or directory"),
        (["--tokens", "wrong.toml"], "wrong.toml: entry 1: name must have"),
    ],
)
def test_callers_that_cannot_be_are_one_line(tmp_path: Path, options: list[str], said: str) -> None:
    written(tmp_path / "wrong.toml", "[[token]]\n")
    command = [sys.executable, "-m", "mark_server", "serve", ".", "--http", "127.0.0.1:0", *options]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.proves("CF1", "CF2")
@pytest.mark.usefixtures("folder", "tokens")
async def test_the_file_of_settings_configures_a_server(tmp_path: Path) -> None:
    http = "[http]\naddress = '127.0.0.1:0'\ntokens = 'tokens.toml'\n"
    written(tmp_path / "marklookup.toml", f"store = 'world'\ndata = 'data'\n{http}")
    errors = tmp_path / "errors"
    with errors.open("wb") as log:
        process = subprocess.Popen(  # noqa: ASYNC220 - it only starts it
            [sys.executable, "-m", "mark_server", "serve"],
            cwd=tmp_path,
            env={name: value for name, value in environment(tmp_path).items() if name != "MARKLOOKUP_DATA"},
            stderr=log,
        )
    try:
        server = Web(process, errors, "")
        (serving,) = await until(lambda: server.said("serving"), 30)
        server = Web(process, errors, serving["url"])
        assert (await posted(server, None, url="/open/a.md")).status_code == 401
        assert (await posted(server, SOME, url="/open/a.md")).status_code == 200
    finally:
        process.terminate()
        assert await server.ended() == 0
