"""The HTTP surface on a real socket: names, callers, rates, what operators read, what is logged."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from mcp import Client

from mark_server.bearer import Resource
from mark_server.bounds import Bounds
from mark_server.callers import Caller, CallerError
from mark_server.desk import Desk
from mark_store import EVERYTHING, Progress, Reader
from tests.server.listened import Listened, listened, message, refusal, text
from tests.server.surfaces import HANDSHAKE, STATELESS, Surface
from tests.server.test_drive import SlowStore, desk_before
from tests.waiting import until

SECRET = "tok-8c1f-secret"  # noqa: S105 - a token of this test


class Book:
    """Callers of this test: a token, a name, a scope."""

    issuers = scopes = ()

    async def identify(self, token: str | None) -> Caller:
        known = {SECRET: Caller("ann", EVERYTHING), "narrow": Caller("ben", Reader(("/bands",)))}
        if token is None:
            raise CallerError("a token is needed")
        if token not in known:
            raise CallerError("the token is not known")
        return known[token]


@pytest.fixture
async def plain(music_desk: Desk) -> AsyncIterator[Listened]:
    async with listened(music_desk, hosts=("docs.example",), origins=("https://app.example",)) as server:
        yield server


@pytest.mark.proves("HT1")
async def test_only_posts_to_mcp_are_taken(plain: Listened) -> None:
    async with plain.client() as client:
        for method in ("GET", "DELETE", "PUT", "OPTIONS", "HEAD"):
            response = await client.request(method, "/mcp")
            assert (response.status_code, response.headers["allow"]) == (405, "POST")
        assert (await client.post("/elsewhere", content=b"{}")).status_code == 404
        assert (await client.post("/mcp", content=message("mark_list"))).status_code == 200


@pytest.mark.proves("HT1")
async def test_a_slash_too_many_leads_to_the_address(plain: Listened) -> None:
    async with plain.client() as client:
        response = await client.post("/mcp/", content=message("mark_list"))
    assert (response.status_code, response.headers["location"]) == (307, plain.url)


@pytest.mark.proves("HT7")
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("docs.example", 200),
        ("DOCS.example:443", 200),
        ("localhost:PORT", 200),
        ("[::1]:PORT", 200),
        ("localhost:1", 421),
        ("evil.example", 421),
        ("docs.example.evil.example", 421),
        ("evil.example:PORT", 421),
        ("", 421),
    ],
)
async def test_a_host_that_is_not_ours_is_refused(plain: Listened, host: str, status: int) -> None:
    named = host.replace("PORT", str(plain.address[1]))
    response = await plain.call("mark_list", {"host": named})
    assert response.status_code == status
    if status == 421:
        shown = named or '""'
        assert refusal(response) == f"host {shown} is not served here; --allow-host NAME allows one"


@pytest.mark.proves("HT7")
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://app.example", 200),
        ("http://localhost:PORT", 200),
        ("https://docs.example", 200),
        ("http://app.example", 403),
        ("https://app.example.evil.example", 403),
        ("http://localhost:PORT/x", 403),
        ("null", 403),
        ("http://[::1", 403),
        ("http://docs.example@evil.example", 403),
    ],
)
async def test_a_page_of_another_origin_is_refused(plain: Listened, origin: str, status: int) -> None:
    response = await plain.call("mark_list", {"origin": origin.replace("PORT", str(plain.address[1]))})
    assert response.status_code == status


@pytest.mark.proves("HT7")
async def test_a_page_of_an_allowed_origin_may_ask_first_and_read_the_answer(plain: Listened) -> None:
    async with plain.client(origin="https://app.example") as client:
        asked = await client.options(
            "/mcp",
            headers={
                "access-control-request-method": "POST",
                "access-control-request-headers": "authorization,mcp-protocol-version",
            },
        )
        assert asked.status_code == 200
        assert asked.headers["access-control-allow-origin"] == "https://app.example"
        assert "mcp-protocol-version" in asked.headers["access-control-allow-headers"]
        answered = await client.post("/mcp", content=message("mark_list"))
        assert answered.headers["access-control-allow-origin"] == "https://app.example"


@pytest.mark.proves("HT8")
@pytest.mark.parametrize(
    ("authorization", "line", "error"),
    [
        (None, "a token is needed", ""),
        ("Basic abc", "a token is needed", ""),
        ("Bearer", "a token is needed", ""),
        ("Bearer other", "the token is not known", ', error="invalid_token"'),
    ],
)
async def test_who_is_not_known_is_told_where_tokens_come_from(
    music_desk: Desk, authorization: str | None, line: str, error: str
) -> None:
    resource = Resource(url="https://docs.example/", issuers=("https://login.example",))
    async with listened(music_desk, callers=Book(), resource=resource) as server:
        headers = {"authorization": authorization} if authorization else {}
        response = await server.call("mark_list", headers)
        assert (response.status_code, refusal(response)) == (401, line)
        where = "https://docs.example/.well-known/oauth-protected-resource/mcp"
        assert response.headers["www-authenticate"] == f'Bearer resource_metadata="{where}"{error}'
        async with server.client() as client:
            for path in ("/.well-known/oauth-protected-resource", where.removeprefix("https://docs.example")):
                about = (await client.get(path)).json()
                assert about["resource"] == "https://docs.example/mcp"
                assert about["authorization_servers"] == ["https://login.example"]


@pytest.mark.proves("HT8", "HT15")
async def test_figures_are_for_known_callers_and_probes_for_everybody(music_desk: Desk) -> None:
    async with listened(music_desk, callers=Book()) as server, server.client() as client:
        assert (await client.get("/metrics")).status_code == 401
        known = await client.get("/metrics", headers={"authorization": f"Bearer {SECRET}"})
        assert known.text.startswith("# HELP marklookup_")
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).status_code == 200


@pytest.mark.proves("HT8")
async def test_without_tokens_there_is_no_metadata(plain: Listened) -> None:
    async with plain.client() as client:
        assert (await client.get("/.well-known/oauth-protected-resource")).status_code == 404


@pytest.mark.proves("HT8", "HT3")
@pytest.mark.parametrize("era", [HANDSHAKE, STATELESS])
async def test_each_call_is_answered_within_its_callers_scope(music_desk: Desk, era: str) -> None:
    from mcp.client.streamable_http import streamable_http_client
    from mcp_types import ResourceTemplateReference

    async with (
        listened(music_desk, callers=Book()) as server,
        server.client(authorization="Bearer narrow") as http,
        Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
    ):
        surface = Surface(client)
        rows = await surface.text("mark_lookup", query="*", limit=100)
        assert re.findall(r"^\| (/[a-z]+)/", rows, re.MULTILINE)
        assert set(re.findall(r"^\| (/[a-z]+)/", rows, re.MULTILINE)) == {"/bands"}
        assert (await surface.text("mark_fetch", url="/notes/rumours.md")) == "status: not-found\n"
        assert (await surface.text("mark_list")).count("\n- ") == 1
        reference = ResourceTemplateReference(type="ref/resource", uri="mark://{+path}")
        found = await client.complete(reference, {"name": "path", "value": "/"})
        assert found.completion.values == ["/bands/"]
        budgeted = await surface.text("mark_lookup", query="tide label", budget=3000)
        assert set(re.findall(r"^>>> (/[a-z]+)/", budgeted, re.MULTILINE)) == {"/bands"}


@pytest.mark.proves("HT12")
async def test_a_caller_over_the_rate_waits_and_others_go_on(music_desk: Desk) -> None:
    async with listened(music_desk, callers=Book(), bounds=Bounds(rate=2)) as server:
        ann, ben = {"authorization": f"Bearer {SECRET}"}, {"authorization": "Bearer narrow"}
        assert [(await server.call("mark_list", ann)).status_code for _ in range(2)] == [200, 200]
        refused = await server.call("mark_list", ann)
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 30
        assert re.fullmatch(r"more than 2 calls in a minute; try again in \d+ s", refusal(refused))
        assert (await server.call("mark_list", ben)).status_code == 200


@pytest.mark.proves("HT15")
async def test_a_server_is_ready_when_its_first_index_is(music_desk: Desk) -> None:
    complete: list[bool] = []
    desk = replace(music_desk, progress=lambda: None if complete else Progress(1, 2))
    async with listened(desk) as server, server.client(host="10.1.2.3") as client:
        assert (await client.get("/healthz")).text == "ok\n"
        waiting = await client.get("/readyz")
        assert (waiting.status_code, waiting.text, waiting.headers["retry-after"]) == (503, "indexing\n", "1")
        complete.append(True)
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.text) == (200, "ready\n")
        assert (await client.get("/metrics")).status_code == 421


@pytest.mark.proves("HT15")
async def test_metrics_count_calls_tokens_times_and_refusals(plain: Listened) -> None:
    before = await figures(plain)
    answers = [
        await plain.call("mark_lookup", query="tide", budget=400),
        await plain.call("mark_lookup", query="tide", limit=-1),
        await plain.call("mark_fetch", url="/nowhere.md"),
        await plain.call("other"),
    ]
    await plain.call("mark_list", {"host": "evil.example"})
    after = await figures(plain)
    tokens = plain_tokens(text(answers[0]))
    wanted = {
        'calls_total{status="ok",tool="mark_lookup"}': 1,
        'calls_total{status="argument-error",tool="mark_lookup"}': 1,
        'calls_total{status="not-found",tool="mark_fetch"}': 1,
        'calls_total{status="protocol-error",tool="unknown"}': 1,
        "budget_tokens_total": 400,
        "budget_used_tokens_total": tokens,
        'refused_total{reason="host"}': 1,
        'http_requests_total{status="421"}': 1,
        'call_seconds_count{tool="mark_fetch"}': 1,
    }
    assert {name: after.get(name, 0) - before.get(name, 0) for name in wanted} == wanted
    assert after["calls_running"] == 0
    assert after['served_tokens_total{tool="mark_lookup"}'] > tokens


def plain_tokens(given: str) -> int:
    from mark_outline import counter

    return counter("o200k_base").count(given)


async def figures(server: Listened) -> dict[str, float]:
    async with server.client() as client:
        response = await client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    lines = [line for line in response.text.splitlines() if not line.startswith("#")]
    pairs = [line.removeprefix("marklookup_").rpartition(" ") for line in lines]
    return {name: float(value) for name, _, value in pairs}


@pytest.mark.proves("HT16")
async def test_each_request_is_a_line_with_its_id_and_nothing_of_what_was_said(music_desk: Desk) -> None:
    async with listened(music_desk, callers=Book()) as server:
        known = {"authorization": f"Bearer {SECRET}", "x-request-id": "abc-1"}
        answer = await server.call("mark_lookup", known, query="salt-water organ", budget=500)
        assert answer.headers["x-request-id"] == "abc-1"
        odd = await server.call("mark_fetch", {**known, "x-request-id": "a b\x7f"}, url="/notes/rumours.md")
        await server.call("mark_list", {"authorization": "Bearer wrong-token-77"})
        await until(lambda: len(server.requests()) == 3)
        first, second, third = server.requests()
    assert first["request"] == "abc-1"
    assert second["request"] == odd.headers["x-request-id"] != "a b\x7f"
    kept = ("level", "method", "path", "status", "caller", "refused", "tool", "outcome", "tokens")
    assert {key: first.get(key) for key in kept} == {
        "level": "info",
        "method": "POST",
        "path": "/mcp",
        "status": 200,
        "caller": "ann",
        "refused": None,
        "tool": "mark_lookup",
        "outcome": "ok",
        "tokens": plain_tokens(text(answer)),
    }
    assert (third["status"], third["refused"]) == (401, "token")
    told = "\n".join(server.lines)
    for part in (SECRET, "wrong-token", "salt", "organ", "rumours", "Rimstad"):
        assert part not in told


@pytest.mark.proves("HT16")
async def test_a_fault_is_told_by_its_place_and_kind_alone(tmp_path: object) -> None:
    import logging

    from mark_server.journal import Foreign, Log

    del tmp_path
    lines: list[str] = []
    logger = logging.getLogger("test.fault")
    logger.addHandler(Foreign(Log("error", lines.append)))
    logger.propagate = False
    try:
        raise ValueError("the words of a query")
    except ValueError:
        logger.exception("they said: %s", "the words of a query")
    logger.warning("not told")
    (line,) = lines
    told = json.loads(line)
    assert (told["event"], told["error"], told["logger"]) == ("fault", "ValueError", "test.fault")
    assert told["frames"]
    assert "words" not in line


@pytest.mark.proves("HT16")
async def test_a_level_leaves_out_what_is_below_it(music_desk: Desk) -> None:
    del music_desk
    from mark_server.journal import Log

    lines: list[str] = []
    log = Log("warning", lines.append)
    log("info", "request")
    log("warning", "request")
    log.always("serving")
    assert [json.loads(line)["event"] for line in lines] == ["request", "serving"]


@pytest.mark.proves("HT9")
async def test_a_store_that_fails_is_an_answer_without_its_words_in_the_log() -> None:
    from mark_store import Unavailable

    store = SlowStore({"/row1.md": Unavailable("the shelf", "it fell over")}, released={"*"})
    async with listened(desk_before(store)) as server:
        answer = await server.call("mark_fetch", url="/row1.md")
        assert text(answer) == "status: server-error\n\nthe shelf: it fell over; try again\n"
        await until(lambda: len(server.requests()) == 1)
        assert server.requests()[0]["outcome"] == "server-error"
        assert "shelf" not in "".join(server.lines)
