"""Opens a Mark server as a store: address, proof, token and the kept answers put together.

QUIC is imported only here and only when a server is opened: it takes as long as all the rest.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from .data_folder import data_place
from .kept_answers import KeptAnswers
from .mark import MarkStore
from .mark_address import Address, token_for
from .version_cache import VersionCache

_KEPT = "mark-answers"


@dataclass(frozen=True, slots=True)
class Peer:
    """What goes with a server's address.

    `ca` is a PEM file of authorities, `insecure` the hosts that need not prove themselves, `tokens` a file of
    lines `host token`, `data` where answers are kept (else the user's data folder). A `token` that is given
    comes before those of file and environment; a refusal then names `variable` as its place.
    """

    ca: Path | None = None
    insecure: tuple[str, ...] = ()
    tokens: Path | None = None
    data: Path | None = None
    token: str = ""
    variable: str = ""


async def open_mark(store: str, peer: Peer) -> MarkStore:
    """Open a server; nothing is connected before the first request.

    Raises: BadAddress.
    """
    return await anyio.to_thread.run_sync(_opened, store, peer)


def _opened(store: str, peer: Peer) -> MarkStore:
    from .quic import QuicExchange, Trust  # noqa: PLC0415 - see the module's docstring

    address = Address.read(store)
    trust = Trust(
        peer.ca, insecure=not {address.host, address.authority}.isdisjoint(map(str.lower, peer.insecure))
    )
    trust.check()
    token = peer.token or token_for(address, os.environ, peer.tokens)
    kept = KeptAnswers.of(VersionCache(data_place(peer.data) / _KEPT), address.authority, token)
    return MarkStore(QuicExchange(address, trust), kept, token, peer.variable or address.variable)
