"""What a person reads when a Mark server cannot be reached or believed: one line that says what to do."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from mark_server.statuses import explain
from mark_store import StoreError, Unavailable, Untrusted
from mark_store.mark_address import Address
from mark_store.quic import QuicExchange, Trust
from mark_store.wire_request import Request
from tests.server.certificates import Authority, Pair
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import publishing
from tests.server.rude import Rude, rude_server


async def fault(address: Address, trust: Trust, seconds: float = 5.0) -> tuple[StoreError, str]:
    """Why the server cannot be asked, and the line that a person reads."""
    exchange = QuicExchange(address, trust, seconds + 2, seconds)
    with pytest.raises(StoreError) as caught:
        await exchange.send(Request("LIST", "/"), 1000)
    await exchange.aclose()
    line = explain(caught.value)
    assert line.startswith(f"{address.place}: ")
    assert "\n" not in line
    return caught.value, line


@pytest.mark.proves("QC6")
async def test_a_certificate_that_proves_nothing_is_told_with_what_to_do(
    tmp_path: Path, trusted: Authority
) -> None:
    stranger = Authority(tmp_path / "stranger")
    cases: list[tuple[Pair, Trust, str]] = [
        (stranger.vouch("localhost"), Trust(trusted.ca), "its certificate cannot be verified"),
        (trusted.vouch("localhost"), Trust(), "its certificate cannot be verified"),
        (trusted.vouch("other.example"), Trust(trusted.ca), "its certificate cannot be verified"),
        (
            trusted.vouch("localhost", days=-2),
            Trust(trusted.ca),
            "its certificate has expired or is not valid yet",
        ),
    ]
    async with desk_over(tmp_path, {"/a.md": "# A\n"}) as desk:
        for pair, trust, words in cases:
            async with publishing(desk, trusted, pair=pair) as server:
                error, line = await fault(Address("localhost", server.port), trust)
                assert isinstance(error, Untrusted)
                assert words in line
                assert "--ca" in line
                assert "--insecure localhost" in line
                insecure = QuicExchange(Address("localhost", server.port), Trust(insecure=True))
                assert (await insecure.send(Request("LIST", "/"), 1000)).fields["status"] == "ok"
                await insecure.aclose()


@pytest.mark.proves("QC6")
@pytest.mark.parametrize("alpn", ["h3", None])
async def test_a_server_that_speaks_something_else_is_told(trusted: Authority, alpn: str | None) -> None:
    def nothing(rude: Rude, stream: int) -> None:
        """No request comes this far."""

    async with rude_server(trusted.vouch("localhost"), nothing, alpn) as (port, _):
        error, line = await fault(Address("localhost", port), Trust(trusted.ca))
        assert isinstance(error, Untrusted)
        assert "none that speaks Mark; check host and port" in line


@contextmanager
def udp_port(*, listening: bool) -> Iterator[int]:
    """A port of loopback that takes datagrams and answers none, or that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        if listening:
            yield port
            return
    yield port


@pytest.mark.proves("QC6", "QC7")
async def test_a_port_where_nothing_listens_is_told_at_once(trusted: Authority) -> None:
    began = time.monotonic()
    with udp_port(listening=False) as port:
        error, line = await fault(Address("127.0.0.1", port), Trust(trusted.ca))
    assert isinstance(error, Unavailable)
    assert "nothing listens there; check the port and that the server runs" in line
    assert time.monotonic() - began < 4


@pytest.mark.proves("QC6", "QC7")
async def test_a_server_that_stays_silent_is_told_after_the_deadline(trusted: Authority) -> None:
    began = time.monotonic()
    with udp_port(listening=True) as port:
        error, line = await fault(Address("127.0.0.1", port), Trust(trusted.ca), 0.6)
    assert isinstance(error, Unavailable)
    assert "nothing answers within 0.6 s; check host and port, and that UDP is let through" in line
    assert time.monotonic() - began < 4


@pytest.mark.proves("QC6")
async def test_a_name_that_no_host_has_is_told(trusted: Authority) -> None:
    error, line = await fault(Address("no-such-host.invalid", 6309), Trust(trusted.ca))
    assert isinstance(error, Unavailable)
    assert "no host has this name" in line or "cannot be looked up now" in line


@pytest.mark.proves("QC7")
async def test_who_waits_for_a_connection_that_fails_does_not_try_again(trusted: Authority) -> None:
    faults: list[StoreError] = []

    async def ask() -> None:
        with pytest.raises(Unavailable) as caught:
            await exchange.send(Request("LIST", "/"), 1000)
        faults.append(caught.value)

    began = time.monotonic()
    with udp_port(listening=True) as port:
        exchange = QuicExchange(Address("127.0.0.1", port), Trust(trusted.ca), 20, 1.0)
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(ask)
        assert time.monotonic() - began < 6
        await exchange.aclose()
    assert len(faults) == 8
