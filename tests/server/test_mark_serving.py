"""`serve --mark` and `--store mark://…` as people use them: processes, tokens, signals, refusals."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from mark_server.callers import Caller, CallerError
from mark_server.checks import ArgumentError
from mark_server.mark_serving import Publication, publication_of
from mark_store import EVERYTHING, BadAddress, MarkStore, NotFound, Reader, Request, Unauthorized, Unavailable
from mark_store.mark_address import Address
from mark_store.quic import QuicExchange, Trust
from tests.server.certificates import Authority
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import publishing
from tests.server.web import environment
from tests.store.tree import plant
from tests.store.world import WORLD
from tests.waiting import until

COMMAND = (sys.executable, "-m", "mark_server")

PART = "part"


class Tokens:
    """Two who may call: one reads everything, one a part."""

    issuers: Sequence[str] = ()
    scopes: Sequence[str] = ()

    async def identify(self, token: str | None) -> Caller:
        """Know a caller by a token."""
        readers: Mapping[str | None, Reader] = {"all": EVERYTHING, PART: Reader(("/team/open/**",))}
        if token not in readers:
            raise CallerError("no caller is known by this token")
        return Caller(str(token), readers[token])


@pytest.mark.proves("QS3")
async def test_callers_see_what_their_token_may_read_and_others_nothing(
    tmp_path: Path, trusted: Authority
) -> None:
    async with desk_over(tmp_path, WORLD) as desk, publishing(desk, trusted, Tokens()) as server:
        for token, least in (("all", 4), ("part", 1)):
            async with server.client(token=token) as store:
                assert (await store.lookup("tape", limit=50)).total >= least
        async with server.client(token=PART) as store:
            found = await store.lookup("tape", limit=50)
            assert {row.path for row in found.rows} == {"/team/open/handbook.md"}
            for path in ("/team/private.md", "/billing/storage.md"):
                with pytest.raises(NotFound):
                    await store.fetch(path)
            assert [entry.path for entry in (await store.list("/")).entries] == ["/team/"]
        for token in ("", "unknown"):
            async with server.client(token=token) as store:
                with pytest.raises(Unauthorized) as caught:
                    await store.lookup("tape")
                assert caught.value.variable == "MARKLOOKUP_TOKEN_LOCALHOST"


@pytest.mark.proves("QS3")
def test_what_everyone_could_read_is_not_served_to_others(tmp_path: Path, trusted: Authority) -> None:
    pair = trusted.vouch("localhost")
    (tmp_path / "root").mkdir()
    for host in ("0.0.0.0", "[::]", "192.0.2.1"):  # noqa: S104 - this is refused
        done = run(tmp_path, "serve", "root", "--mark", f"{host}:0", *files(pair.certificate, pair.key))
        assert done.returncode == 1
        assert b"others could read everything there" in done.stderr
        assert done.stderr.count(b"\n") == 1


@pytest.mark.proves("QS2")
async def test_a_request_that_is_none_is_answered_and_the_next_one_too(
    tmp_path: Path, trusted: Authority
) -> None:
    async with desk_over(tmp_path, WORLD) as desk, publishing(desk, trusted) as server:
        exchange = server.exchange()
        for _ in range(12):
            large = await exchange.send(Request("PUBLISH", "/a.md", {}, b"x" * 3_000_000), 10_000)
            assert large.fields["status"] == "bad-request"
            assert b"PUBLISH is no verb of this server" in large.body
            body = await exchange.send(Request("FETCH", "/notes.md", {}, b"x"), 10_000)
            assert body.fields["status"] == "bad-request"
        assert (await exchange.send(Request("FETCH", "/notes.md"), 10_000)).fields["status"] == "ok"
        await exchange.aclose()


@pytest.mark.proves("QS6")
async def test_more_connections_than_there_is_room_for_are_refused(
    tmp_path: Path, trusted: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_server.mark_serving.MOST_VISITS", 2)
    async with (
        desk_over(tmp_path, WORLD) as desk,
        publishing(desk, trusted) as server,
        server.client() as one,
        server.client() as two,
        server.client() as three,
    ):
        await one.list("/")
        await two.list("/")
        with pytest.raises(Unavailable, match="takes no more connections"):
            await three.list("/")
        await one.aclose()
        await until(lambda: _answers(three))


async def _answers(store: MarkStore) -> bool:
    try:
        return (await store.list("/")).total == 6
    except Unavailable:
        return False


@pytest.mark.proves("QS6")
async def test_a_connection_that_is_idle_is_closed(
    tmp_path: Path, trusted: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mark_server.mark_serving.IDLE_SECONDS", 0.5)
    async with desk_over(tmp_path, WORLD) as desk, publishing(desk, trusted) as server:
        exchange = server.exchange()
        await exchange.send(Request("LIST", "/"), 10_000)
        link = exchange._link
        assert link is not None
        await until(lambda: not link.usable)
        assert (await exchange.send(Request("LIST", "/"), 10_000)).fields["status"] == "ok"
        await exchange.aclose()


@contextmanager
def served(
    folder: Path, authority: Authority, *options: str
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server process over `folder/root`, and its port."""
    pair = authority.vouch("localhost", "127.0.0.1")
    plant(folder / "root", WORLD)
    proof = files(pair.certificate, pair.key)
    arguments = ("serve", "root", "--mark", "127.0.0.1:0", *proof, *options)
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder / "data"),
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith(b"serving mark://127.0.0.1:"), line
        try:
            yield process, int(line.rpartition(b":")[2])
        finally:
            process.kill()


def files(certificate: Path, key: Path) -> tuple[str, ...]:
    return "--cert", str(certificate), "--key", str(key), "--encoding", "bytes"


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder / "client") | variables,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.proves("QS3")
def test_a_token_file_says_who_may_call_and_what_they_read(tmp_path: Path, trusted: Authority) -> None:
    named = ("--name", "team", "--paths", "/team/open/**", "--file", "tokens.toml")
    made = run(tmp_path, "token", "new", *named)
    assert made.returncode == 0, made.stderr
    token = made.stdout.decode().split()[0]
    with served(tmp_path, trusted, "--tokens", "tokens.toml") as (_, port):
        there = ("--store", f"mark://localhost:{port}", "--ca", str(trusted.ca))
        known = run(tmp_path, "list", "/", *there, **{f"MARKLOOKUP_TOKEN_LOCALHOST_{port}": token})
        assert known.returncode == 0, known.stderr
        assert b"/team/" in known.stdout
        assert b"notes" not in known.stdout
        unknown = run(tmp_path, "list", "/", *there)
        assert unknown.returncode == 1
        assert unknown.stdout.startswith(b"status: unauthorized\n")


@pytest.mark.proves("QC12", "QS1")
def test_every_command_works_on_a_server(tmp_path: Path, trusted: Authority) -> None:
    with served(tmp_path, trusted) as (process, port):
        there = ("--store", f"mark://localhost:{port}", "--ca", str(trusted.ca))
        here = ("--store", "root")
        for command in (
            ("lookup", "where do cold invoices go", "--budget", "300"),
            ("fetch", "/billing/storage.md#tape"),
            ("list", "/"),
            ("versions", "/notes.md"),
            ("fetch", "/billing/old.md"),
            ("fetch", "/odd/a b#c%20?,d.md"),
        ):
            far, near = (
                run(tmp_path, *command, *there),
                run(tmp_path, *command, *here, MARKLOOKUP_DATA=str(tmp_path / "data")),
            )
            assert (far.stdout, far.returncode) == (near.stdout, near.returncode), far.stderr.decode()
            assert far.stderr == b""
        assert run(tmp_path, "fetch", "/notes.md/v1", *there).returncode == 0
        process.kill()
        process.wait()
        kept = run(tmp_path, "fetch", "/notes.md/v1", *there).stdout.decode()
        assert "note: whether this is the current version is not known; mark://localhost" in kept
        assert kept.endswith(WORLD["/notes.md"])


@pytest.mark.proves("QC12", "QC6")
def test_what_a_command_cannot_do_with_a_server_is_one_line(tmp_path: Path, trusted: Authority) -> None:
    for arguments, words in (
        (("versions", "--verify", "--store", "mark://localhost"), b"this command works on a folder"),
        (("index", "mark://localhost"), b"this command works on a folder"),
        (("list", "/", "--store", "mark://a@b"), b"the token in a variable"),
        (("list", "/", "--store", "mark://localhost", "--ca", "missing"), b"cannot be read"),
        (("serve", "root", "--mark", "127.0.0.1:0"), b"--mark needs --cert and --key"),
        (("serve", "root", "--mark", "x:y", *files(trusted.ca, trusted.ca)), b"--mark must be host:port"),
        (
            ("serve", "root", "--mark", "127.0.0.1:0", *files(trusted.ca, trusted.ca)),
            b"is no pair of PEM files",
        ),
        (("serve", "root", "--mark", "127.0.0.1:0", *files(Path("no"), trusted.ca)), b"cannot be read"),
    ):
        plant(tmp_path / "root", WORLD)
        done = run(tmp_path, *arguments)
        assert done.returncode in {1, 2}
        assert words in done.stderr, done.stderr
        assert done.stderr.count(b"\n") == 1


@pytest.mark.proves("QC5", "QC12")
def test_an_open_token_file_is_refused_by_every_command(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("localhost secret\n")
    tokens.chmod(0o644)
    done = run(tmp_path, "list", "/", "--store", "mark://localhost", "--store-tokens", str(tokens))
    assert done.returncode == 1
    assert b"chmod 600" in done.stderr
    assert b"secret" not in done.stderr + done.stdout


@pytest.mark.proves("QS6")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_cleanly_and_its_clients_know(
    tmp_path: Path, trusted: Authority, number: signal.Signals
) -> None:
    with served(tmp_path, trusted) as (process, port):
        exchange = QuicExchange(Address("localhost", port), Trust(trusted.ca))
        await exchange.send(Request("LIST", "/"), 10_000)
        link = exchange._link
        assert link is not None
        process.send_signal(number)
        await until(lambda: not link.usable)
        assert await anyio.to_thread.run_sync(process.wait, 5) == 0
        await exchange.aclose()


@pytest.mark.proves("QS6")
def test_a_port_that_is_taken_is_one_line(tmp_path: Path, trusted: Authority) -> None:
    pair = trusted.vouch("localhost", "127.0.0.1")
    with served(tmp_path, trusted) as (_, port):
        done = run(
            tmp_path, "serve", "root", "--mark", f"127.0.0.1:{port}", *files(pair.certificate, pair.key)
        )
        assert done.returncode == 1
        assert b"cannot be listened at" in done.stderr
        assert done.stderr.count(b"\n") == 1


@pytest.mark.proves("QS1")
@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:7000", "127.0.0.1", 7000),
        (":7000", "127.0.0.1", 7000),
        ("7000", "127.0.0.1", 7000),
        ("localhost", "localhost", 6309),
        ("127.0.0.1", "127.0.0.1", 6309),
        ("[::1]:0", "::1", 0),
        ("docs.example:1", "docs.example", 1),
    ],
)
def test_where_to_publish_is_read_as_people_write_it(text: str, host: str, port: int) -> None:
    found = publication_of(text, Path("c"), Path("k"))
    assert found == Publication(host, port, Path("c"), Path("k"))


@pytest.mark.proves("QS1")
@pytest.mark.parametrize("text", ["host:65536", "host:x", "::1", "a b", "host:", "http://host:1"])
def test_where_nobody_can_publish_is_a_wrong_argument(text: str) -> None:
    with pytest.raises(ArgumentError):
        publication_of(text, Path("c"), Path("k"))


@pytest.mark.proves("QS6")
def test_a_name_that_is_no_address_of_this_machine_is_one_line() -> None:
    for host in ("192.0.2.1", "no-such-host.invalid"):
        with pytest.raises(BadAddress, match="cannot be listened at"):
            Publication(host, 0, Path("c"), Path("k")).bound()
