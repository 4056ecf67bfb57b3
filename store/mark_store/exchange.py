"""What carries requests of the Mark protocol to one server: the seam between `mark` and its transports.

QUIC is `quic`'s; another transport (HTTPS) keeps this protocol and has the same client.
"""

from typing import Protocol

from .wire_request import Request
from .wire_response import Response


class Exchange(Protocol):
    """A way to one server, shared by any number of requests at once."""

    @property
    def authority(self) -> str:
        """The server: `host` or `host:port`, lower-cased, the default port left out."""
        ...

    @property
    def place(self) -> str:
        """The server as errors name it."""
        ...

    async def send(self, request: Request, longest_body: int) -> Response:
        """Give the answer to one request, within a deadline of its own; a read may be sent twice.

        Raises: Unavailable, Untrusted, ProtocolError (also when the answer's body has more bytes).
        """
        ...

    async def aclose(self) -> None:
        """Release what is held; safe to call twice."""
        ...
