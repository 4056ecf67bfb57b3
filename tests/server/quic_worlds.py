"""Mark servers and clients of a test over real sockets on loopback, with real certificates."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mark_server.callers import Anyone, Callers
from mark_server.desk import Desk
from mark_server.mark_serving import Publication, published
from mark_store import KeptAnswers, MarkStore
from mark_store.mark_address import Address
from mark_store.quic import QuicExchange, Trust
from tests.server.certificates import Authority, Pair

HOST = "localhost"


@dataclass(frozen=True, slots=True)
class Published:
    """A server that listens at a port of loopback, proved by an authority."""

    port: int
    authority: Authority

    def exchange(self, *, port: int | None = None, seconds: float = 20.0, host: str = HOST) -> QuicExchange:
        """A way to it, through a proxy's port where one is given."""
        return QuicExchange(Address(host, port or self.port), Trust(self.authority.ca), seconds, 5.0)

    @asynccontextmanager
    async def client(
        self,
        *,
        port: int | None = None,
        seconds: float = 20.0,
        token: str = "",
        kept: KeptAnswers | None = None,
    ) -> AsyncIterator[MarkStore]:
        """A client of it."""
        exchange = self.exchange(port=port, seconds=seconds)
        async with MarkStore(exchange, kept, token, "MARKLOOKUP_TOKEN_LOCALHOST") as store:
            yield store


@asynccontextmanager
async def publishing(
    desk: Desk, authority: Authority, callers: Callers | None = None, pair: Pair | None = None, port: int = 0
) -> AsyncIterator[Published]:
    """Publish a desk on loopback."""
    shown = pair or authority.vouch(HOST, "127.0.0.1")
    publication = Publication("127.0.0.1", port, shown.certificate, shown.key)
    async with published(desk, publication, callers or Anyone()) as (_, found):
        yield Published(found, authority)
