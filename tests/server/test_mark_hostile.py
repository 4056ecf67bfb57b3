"""A client that keeps no rule of the transport: our server takes no harm, and serves the next one."""

import random
from pathlib import Path

import anyio
import pytest
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import QuicEvent

from mark_store.quic import Trust
from tests.server.certificates import Authority
from tests.server.mark_worlds import desk_over
from tests.server.quic_worlds import publishing
from tests.store.world import WORLD

REQUESTS = (
    *(b"", b"FETCH /", b"FETCH /notes.md\n", b"FETCH /notes.md\nbody", b"\xff" * 300, b"fetch /a\n"),
    *(
        b"LOOKUP /\n---\nquery: tape\nmatch: body\n---\n",
        b"LOOKUP /\n---\nquery: tape cold\nmatch: body\n---\n",
    ),
    *(b"PUBLISH /x\n" + b"y" * 5000, b"LIST /\n---\n" + b"a" * 70_000, b"VERSIONS /notes.md\n---\n[\n---\n"),
)


class Wild(QuicConnectionProtocol):
    """A connection whose answers nobody reads."""

    def quic_event_received(self, event: QuicEvent) -> None:
        """Take no notice."""

    def throw(self, chance: random.Random) -> None:
        """Open a stream and do something to it."""
        quic: QuicConnection = self._quic
        stream = quic.get_next_available_stream_id(is_unidirectional=chance.random() < 0.1)
        both_ways = not stream & 2
        quic.send_stream_data(stream, chance.choice(REQUESTS), end_stream=chance.random() < 0.7)
        if chance.random() < 0.3:
            quic.reset_stream(stream, 5)
        if chance.random() < 0.3 and both_ways:
            quic.stop_stream(stream, 5)
        if chance.random() < 0.4:
            self.transmit()


@pytest.mark.proves("QS2")
@pytest.mark.parametrize("seed", range(3))
async def test_a_wild_client_harms_nobody(tmp_path: Path, trusted: Authority, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - what is thrown is no secret
    async with desk_over(tmp_path, WORLD) as desk, publishing(desk, trusted) as server:
        for _ in range(2):
            configuration = Trust(trusted.ca).configuration("localhost")
            async with connect(
                "127.0.0.1", server.port, configuration=configuration, create_protocol=Wild
            ) as wild:
                assert isinstance(wild, Wild)
                for _ in range(60):
                    wild.throw(chance)
                    if chance.random() < 0.3:
                        await anyio.lowlevel.checkpoint()
                wild.transmit()
                await wild.ping()
        async with server.client() as client:
            assert (await client.lookup("tape", limit=50)).total > 3
