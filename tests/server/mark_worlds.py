"""Mark servers for tests: a folder behind the protocol, in memory; `quic_worlds` puts sockets between."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mark_server.answering import answer_bytes
from mark_server.desk import Desk
from mark_server.opening import open_desk
from mark_server.settings import Settings
from mark_store import Request, Response, ResponseDecoder, encode_request
from tests.store.tree import plant


@dataclass(slots=True)
class InMemory:
    """An exchange that is a desk: bytes in, bytes out, in one process. `asked` is what went over it."""

    desk: Desk
    authority: str = "memory.example"
    place: str = "mark://memory.example"
    asked: list[Request] = field(default_factory=list)

    async def send(self, request: Request, longest_body: int) -> Response:
        """Answer through the bytes of both messages."""
        self.asked.append(request)
        decoder = ResponseDecoder(self.place, longest_body)
        decoder.feed(await answer_bytes(encode_request(request), self.desk))
        return decoder.end()

    async def aclose(self) -> None:
        """Nothing is held."""


@asynccontextmanager
async def desk_over(
    folder: Path, documents: Mapping[str, str | bytes], keep: int | None = None
) -> AsyncIterator[Desk]:
    """A desk over documents that are written into a folder first."""
    plant(folder / "root", documents)
    settings = Settings(store=str(folder / "root"), data=folder / "data", encoding="bytes", keep=keep)
    async with open_desk(settings) as desk:
        assert await desk.ready(30)
        yield desk
