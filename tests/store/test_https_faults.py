"""What goes wrong between client and server of Mark over HTTPS, on real sockets: no wrong answer, in time."""

import asyncio
import itertools
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

from mark_store import BadAddress, ProtocolError, Unavailable, Untrusted
from mark_store.https_exchange import HttpsExchange
from mark_store.wire_request import Request
from mark_store.wire_response import Response, encode_response
from tests.server.certificates import Authority
from tests.store.web import Talk, Visit, Web, context_of, head, two, web

pytestmark = pytest.mark.anyio

LONGEST = 80 << 20
REQUEST = Request("FETCH", "/a.md")
ANSWER = encode_response(Response({"status": "ok", "version": "1"}, b"# A\n\nkiwi\n"))
TOKEN = "-".join(["t0ken", "1"])
Connect = Callable[..., HttpsExchange]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


@pytest.fixture
def serve(authority: Authority, stack: AsyncExitStack) -> Callable[..., Any]:
    """Starts a server that talks as it is told, behind TLS."""

    async def start(talk: Talk, context: ssl.SSLContext | None = None) -> Web:
        return await stack.enter_async_context(web(talk, context or context_of(authority.vouch("127.0.0.1"))))

    return start


@pytest.fixture
def connect(authority: Authority, stack: AsyncExitStack) -> Connect:
    def connected(server: Web, deadline: float = 5.0, **options: Any) -> HttpsExchange:
        settings = {"ca": authority.ca} | options
        transport = HttpsExchange(f"https://127.0.0.1:{server.port}", deadline=deadline, **settings)
        stack.push_async_callback(transport.aclose)
        return transport

    return connected


async def ok(visit: Visit) -> None:
    while await visit.request():
        await visit.answer(ANSWER)


async def refused(transport: HttpsExchange, deadline: float) -> tuple[str, float]:
    """What an exchange that cannot succeed says, and the seconds that it took."""
    started = time.monotonic()
    with pytest.raises((Unavailable, Untrusted, ProtocolError)) as caught:
        await transport.send(REQUEST, LONGEST)
    seconds = time.monotonic() - started
    assert seconds < deadline + 10, "10 s for a busy machine"
    return str(caught.value.args[1]), seconds


@pytest.mark.proves("MH1", "MH5")
async def test_one_connection_carries_many_exchanges(serve: Any, connect: Connect) -> None:
    bodies: list[bytes] = []

    async def talk(visit: Visit) -> None:
        while body := await visit.request():
            bodies.append(body)
            await visit.answer(ANSWER)

    server = await serve(talk)
    transport = connect(server, token=TOKEN)
    for _ in range(3):
        response = await transport.send(REQUEST, LONGEST)
    assert (response.fields, response.body) == ({"status": "ok", "version": "1"}, b"# A\n\nkiwi\n")
    assert bodies == [b"FETCH /a.md\n"] * 3
    assert len(server.visits) == 1
    request = server.heads[0].lower()
    assert request.startswith("post /mark http/1.1\r\n")
    assert "\r\nauthorization: bearer t0ken-1\r\n" in request
    assert "\r\ncontent-type: application/mark\r\n" in request


@pytest.mark.proves("MH5")
async def test_http_2_is_spoken_where_it_is_offered(
    serve: Any, connect: Connect, authority: Authority
) -> None:
    """Ten exchanges at once share one connection, which HTTP/1.1 could not."""
    arrived = anyio.Event()
    seen: list[bytes] = []

    async def answer(body: bytes) -> bytes:
        seen.append(body)
        if len(seen) == 10:
            arrived.set()
        await arrived.wait()
        return ANSWER

    server = await serve(two(answer), context_of(authority.vouch("127.0.0.1"), ("h2", "http/1.1")))
    transport = connect(server)
    answers: list[Response] = []

    async def ask(number: int) -> None:
        answers.append(await transport.send(Request("FETCH", f"/{number}.md"), LONGEST))

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(ask, number)
    assert sorted(seen) == [f"FETCH /{number}.md\n".encode() for number in range(10)]
    assert [answer.fields["version"] for answer in answers] == ["1"] * 10
    assert len(server.visits) == 1


@pytest.mark.proves("MH4")
async def test_a_connection_that_is_lost_before_the_answer_is_replaced(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        if visit.number > 2:
            await visit.answer(ANSWER)

    server = await serve(talk)
    assert (await connect(server).send(REQUEST, LONGEST)).fields["version"] == "1"
    assert len(server.visits) == 3


@pytest.mark.proves("MH4")
async def test_a_server_that_closed_a_kept_connection_is_asked_again(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.answer(ANSWER)

    server = await serve(talk)
    transport = connect(server)
    for _ in range(3):
        assert (await transport.send(REQUEST, LONGEST)).fields["version"] == "1"


@pytest.mark.proves("MH4")
@pytest.mark.parametrize("status", ["429 Too Many", "502 Bad", "503 Busy", "504 Late"])
async def test_a_busy_server_is_asked_again(serve: Any, connect: Connect, status: str) -> None:
    asked = itertools.count(1)

    async def talk(visit: Visit) -> None:
        while await visit.request():
            await (visit.answer(b"later", status) if next(asked) < 3 else visit.answer(ANSWER))

    assert (await connect(await serve(talk)).send(REQUEST, LONGEST)).fields["status"] == "ok"


@pytest.mark.proves("MH4")
async def test_a_wish_to_wait_is_honoured_within_the_deadline(serve: Any, connect: Connect) -> None:
    wishes = iter(["1", "3600"])

    async def talk(visit: Visit) -> None:
        while await visit.request():
            await visit.answer(b"", "503 Busy", retry_after=next(wishes))

    server = await serve(talk)
    said, seconds = await refused(connect(server, deadline=10), 5)
    assert said == "HTTP 503"
    assert seconds >= 1, "waited as it was told the first time, and not for an hour the second"
    assert len(server.heads) == 2


@pytest.mark.proves("MH4")
@pytest.mark.parametrize("status", ["500 Broken", "404 Not Found", "400 Bad", "302 Found", "204 Nothing"])
async def test_any_other_status_is_the_end(serve: Any, connect: Connect, status: str) -> None:
    async def talk(visit: Visit) -> None:
        while await visit.request():
            await visit.answer(b"", status)

    server = await serve(talk)
    said, _ = await refused(connect(server), 5)
    assert said.startswith(f"HTTP {status[:3]}")
    assert len(server.heads) == 1


@pytest.mark.proves("MH2")
@pytest.mark.parametrize(("status", "word"), [("401 Who", "unauthorized"), ("403 No", "not-permitted")])
async def test_a_refusal_of_http_is_the_protocol_s_word(
    serve: Any, connect: Connect, status: str, word: str
) -> None:
    async def talk(visit: Visit) -> None:
        while await visit.request():
            await visit.answer(b"<h1>no</h1>", status, content_type="text/html")

    response = await connect(await serve(talk)).send(REQUEST, LONGEST)
    assert (response.fields, response.body) == ({"status": word}, b"")


@pytest.mark.proves("MH6")
@pytest.mark.parametrize("sent", range(0, len(ANSWER), 7))
async def test_half_an_answer_is_no_answer(serve: Any, connect: Connect, sent: int) -> None:
    """The server is killed in the middle; what came is not used, and it is not asked again."""

    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.send(head(len(ANSWER)) + ANSWER[:sent])

    server = await serve(talk)
    said, _ = await refused(connect(server), 5)
    assert "broke off" in said
    assert len(server.heads) == 1


@pytest.mark.proves("MH6")
@pytest.mark.parametrize("end", [b"", b"40\r\n", b"40\r\nabc", b"zz\r\n", b"0\r\n"])
async def test_half_an_answer_in_chunks_is_no_answer(serve: Any, connect: Connect, end: bytes) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        chunk = f"{len(ANSWER):x}\r\n".encode() + ANSWER + b"\r\n"
        await visit.send(head(None, transfer_encoding="chunked") + chunk + end)

    said, _ = await refused(connect(await serve(talk)), 5)
    assert "broke off" in said


@pytest.mark.proves("MH6")
async def test_an_answer_that_could_be_cut_off_unnoticed_is_refused(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.send(head(None) + ANSWER)

    said, _ = await refused(connect(await serve(talk)), 5)
    assert "without a length" in said


@pytest.mark.proves("MH6")
async def test_a_slow_trickle_ends_at_the_deadline(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.send(head(10_000))
        for byte in itertools.cycle(ANSWER):
            await visit.send(bytes([byte]))
            await asyncio.sleep(0.02 + 0.01 * visit.number)

    server = await serve(talk)
    said, seconds = await refused(connect(server, deadline=0.5), 0.5)
    assert said == "deadline of 0.5 s reached"
    assert seconds >= 0.5


@pytest.mark.proves("MH6")
@pytest.mark.parametrize("before", ["request", "head"])
async def test_silence_ends_at_the_deadline(serve: Any, connect: Connect, before: str) -> None:
    async def talk(visit: Visit) -> None:
        if before == "head":
            await visit.request()
            await visit.send(b"HTTP/1.1 200")
        await anyio.sleep_forever()

    said, seconds = await refused(connect(await serve(talk), deadline=0.4), 0.4)
    assert said == "deadline of 0.4 s reached"
    assert seconds >= 0.4


@pytest.mark.proves("MH6")
@pytest.mark.parametrize("declared", [True, False])
async def test_ten_megabytes_are_no_table_and_a_document(
    serve: Any, connect: Connect, declared: bool
) -> None:
    body = encode_response(Response({"status": "ok"}, b"kiwi " * 2_000_000))

    async def talk(visit: Visit) -> None:
        while await visit.request():
            if declared:
                await visit.answer(body)
            else:
                await visit.send(head(None, transfer_encoding="chunked"))
                await visit.send(f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n")

    transport = connect(await serve(talk), deadline=30)
    with pytest.raises(ProtocolError, match="more than 8388608"):
        await transport.send(Request("LOOKUP", "/", {"query": "kiwi"}), 8 << 20)
    assert len((await transport.send(REQUEST, LONGEST)).body) == 10_000_000


@pytest.mark.proves("MH6")
@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"content_type": "text/html"}, "answers text/html, not application/mark"),
        ({"content_encoding": "gzip"}, "answers in the coding gzip"),
    ],
)
async def test_what_is_no_answer_of_a_mark_server_is_refused(
    serve: Any, connect: Connect, headers: dict[str, str], said: str
) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.answer(ANSWER, **headers)

    assert (await refused(connect(await serve(talk)), 5))[0].startswith(said)


@pytest.mark.proves("MH6")
async def test_noise_is_an_error_by_name(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.send(b"\x00\xff noise that is no HTTP\r\n\r\n")

    assert (await refused(connect(await serve(talk)), 5))[0].startswith("cannot be reached")


@pytest.mark.proves("MH3")
async def test_redirects_stay_with_the_server_and_so_does_the_token(serve: Any, connect: Connect) -> None:
    other = await serve(ok)

    async def talk(visit: Visit) -> None:
        while await visit.request():
            path = visit.heads[-1].split()[1]
            if path == "/mark":
                await visit.answer(b"", "307 Moved", location="/new/mark")
            else:
                await visit.answer(b"", "308 Moved", location=f"https://127.0.0.1:{other.port}/mark")

    server = await serve(talk)
    said, _ = await refused(connect(server, token=TOKEN), 5)
    assert said == "redirects to 127.0.0.1, which is not followed"
    assert [line.split()[1] for line in server.heads] == ["/mark", "/new/mark"]
    assert other.visits == []


@pytest.mark.proves("MH3")
@pytest.mark.parametrize("location", ["http://127.0.0.1/mark", "https://a:b/", "//elsewhere.example/mark"])
async def test_redirects_elsewhere_are_refused(serve: Any, connect: Connect, location: str) -> None:
    async def talk(visit: Visit) -> None:
        await visit.request()
        await visit.answer(b"", "307 Moved", location=location)

    assert (await refused(connect(await serve(talk)), 5))[0].startswith("redirects to")


@pytest.mark.proves("MH3")
async def test_redirects_in_a_circle_end(serve: Any, connect: Connect) -> None:
    async def talk(visit: Visit) -> None:
        while await visit.request():
            await visit.answer(b"", "307 Moved", location="/mark")

    assert (await refused(connect(await serve(talk)), 5))[0] == "more than 3 redirects"


@pytest.mark.proves("MH3")
async def test_a_certificate_is_checked_against_the_authorities_that_were_named(
    serve: Any, connect: Connect, authority: Authority, tmp_path: Path
) -> None:
    server = await serve(ok)
    stranger = Authority(tmp_path / "stranger")
    named = await serve(ok, context_of(authority.vouch("elsewhere.example")))
    for distrusting in (connect(server, ca=stranger.ca), connect(server, ca=None), connect(named)):
        with pytest.raises(Untrusted, match="its certificate is not trusted"):
            await distrusting.send(REQUEST, LONGEST)
    assert server.heads == named.heads == []
    assert (await connect(named, insecure=True).send(REQUEST, LONGEST)).fields["status"] == "ok"


@pytest.mark.proves("MH4")
async def test_a_server_that_is_not_there_is_tried_a_few_times(connect: Connect, serve: Any) -> None:
    server = await serve(ok)
    with_gone_port = Web(server.port, [])
    async with web(ok) as gone:
        with_gone_port.port = gone.port
    said, seconds = await refused(connect(with_gone_port), 5)
    assert said.startswith("cannot be reached")
    assert seconds >= 0.1 + 0.2 + 0.4


@pytest.mark.proves("MH3")
@pytest.mark.parametrize(
    "address",
    [
        *(
            "http://docs.example",
            "http://10.0.0.1",
            "http://127.0.0.1.example",
            "https://",
            "ftp://127.0.0.1",
        ),
        *(
            "https://user:pw@docs.example",
            "https://docs.example?x=1",
            "https://docs.example#x",
            "docs.example",
        ),
        *(
            "https://docs.example:99999",
            "https://docs.example:x",
            "https://a b",
            "https://[::1",
            "https://dócs.example",
        ),
    ],
)
def test_an_address_that_is_none_or_not_private_is_refused(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        HttpsExchange(address)
    assert "pw" not in str(caught.value)


@pytest.mark.proves("MH3")
def test_addresses_of_this_machine_may_be_plain(tmp_path: Path) -> None:
    assert HttpsExchange("http://127.0.0.1:8080/").place == "http://127.0.0.1:8080"
    assert HttpsExchange("http://[::1]:8080/").place == "http://[::1]:8080"
    assert HttpsExchange("https://Docs.Example").authority == "docs.example"
    (tmp_path / "no.pem").write_text("no certificate", encoding="utf-8")
    for wrong in ({"ca": tmp_path / "no.pem"}, {"ca": tmp_path / "gone"}, {"token": "a b"}):
        with pytest.raises(BadAddress) as caught:
            HttpsExchange("https://docs.example", **wrong)
        assert "a b" not in str(caught.value)
