"""Mark over HTTPS, the client's end: a request of the Mark wire as the body of one POST, its answer likewise.

It keeps the protocol `Exchange`; what a request asks and an answer means is `mark`'s business. Here stand
connections, certificates, the token, what may be tried again, and the limits of time and size.
"""

import random
import ssl
from contextlib import aclosing
from pathlib import Path
from typing import Final

import anyio
import httpx2

from .errors import BadAddress, ProtocolError, Unavailable, Untrusted
from .https_address import https_address, trust
from .https_retry import ATTEMPTS, Again, pause_before, stated_pause
from .wire_fields import LONGEST_BLOCK
from .wire_request import Request, encode_request
from .wire_response import Response, ResponseDecoder

MEDIA_TYPE: Final = "application/mark"

_BUSY = {429, 502, 503, 504}
# TLS that breaks in the middle comes as an error of the system.
_BROKEN = (httpx2.TransportError, OSError)
_REDIRECTS = {307, 308}
_MOST_REDIRECTS = 3
# The metadata of an answer, between its fences.
_MOST_HEAD = LONGEST_BLOCK + 16
# What HTTP says in place of the server itself, in the words of the protocol.
_REFUSALS = {401: "unauthorized", 403: "not-permitted"}


class HttpsExchange:
    """Exchanges messages with the server at one address, over connections that are kept.

    `deadline` is in seconds, for a whole exchange with all of its attempts. The `token` goes to that address
    and nowhere else. `ca` and `insecure` say whose certificate is believed.
    """

    def __init__(
        self,
        address: str,
        token: str = "",
        deadline: float = 10.0,
        *,
        ca: Path | None = None,
        insecure: bool = False,
    ) -> None:
        """Check the address and prepare; nothing is connected before the first exchange.

        Raises: BadAddress (address, token, ca).
        """
        self._address = https_address(address)
        self._deadline = deadline
        self._headers = {"content-type": MEDIA_TYPE, "accept": MEDIA_TYPE, "accept-encoding": "identity"}
        if token:
            self._headers["authorization"] = f"Bearer {self._checked(token)}"
        self._client = httpx2.AsyncClient(
            verify=trust(ca, insecure) if self._address.encrypted else False,
            http2=self._address.encrypted,
            timeout=None,
            headers={"user-agent": "marklookup"},
            # A proxy of the environment is for other machines.
            trust_env=not self._address.loopback,
        )

    @property
    def authority(self) -> str:
        """The host of `mark://` addresses that mean this server."""
        return self._address.authority

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return self._address.place

    async def send(self, request: Request, longest_body: int) -> Response:
        """Send a request and give its whole answer, whose body has at most so many bytes.

        Raises: Unavailable, Untrusted, ProtocolError.
        """
        payload = encode_request(request)
        with anyio.move_on_after(self._deadline) as limit:
            return await self._persist(payload, longest_body, limit)
        raise Unavailable(self.place, f"deadline of {self._deadline:g} s reached")

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.aclose()

    async def _persist(self, payload: bytes, longest: int, limit: anyio.CancelScope) -> Response:
        """Try until there is an answer, as long as trying again is safe and may help."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._attempt(payload, longest)
            except Again as again:
                pause = pause_before(attempt, again.after, random.random())  # noqa: S311 - spreads load, no secret
                if attempt == ATTEMPTS or anyio.current_time() + pause >= limit.deadline:
                    raise Unavailable(self.place, again.reason) from again
            await anyio.sleep(pause)

    async def _attempt(self, payload: bytes, longest: int) -> Response:
        url = httpx2.URL(self._address.url)
        for _ in range(_MOST_REDIRECTS):
            response = await self._send(url, payload)
            async with aclosing(response):
                if response.status_code not in _REDIRECTS:
                    return await self._read(response, longest)
                url = self._followed(response)
        raise ProtocolError(self.place, f"more than {_MOST_REDIRECTS} redirects")

    async def _send(self, url: httpx2.URL, payload: bytes) -> httpx2.Response:
        """Give the answer up to its headers; whatever fails before them may be tried again."""
        request = self._client.build_request("POST", url, content=payload, headers=self._headers)
        try:
            return await self._client.send(request, stream=True)
        except _BROKEN as error:
            if distrust := _distrust(error):
                raise Untrusted(self.place, f"its certificate is not trusted: {distrust}") from error
            raise Again(f"cannot be reached: {_one_line(error)}") from error

    def _checked(self, token: str) -> str:
        if not all("!" <= character <= "~" for character in token):
            raise BadAddress(self.place, "its token has characters that cannot be sent")
        return token

    def _followed(self, response: httpx2.Response) -> httpx2.URL:
        """Where a redirect leads, within the same server: a token goes nowhere else."""
        here = response.url
        try:
            there = here.join(response.headers.get("location", ""))
        except httpx2.InvalidURL as error:
            raise ProtocolError(self.place, "redirects to what is no address") from error
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            raise ProtocolError(self.place, f"redirects to {there.host[:100]}, which is not followed")
        return there

    async def _read(self, response: httpx2.Response, longest: int) -> Response:
        status = response.status_code
        if status in _BUSY:
            raise Again(f"HTTP {status}", stated_pause(response.headers.get("retry-after")))
        if status in _REFUSALS:
            return Response({"status": _REFUSALS[status]})
        if fault := _fault(response, longest):
            raise ProtocolError(self.place, fault)
        decoder = ResponseDecoder(self.place, longest)
        try:
            async for chunk in response.aiter_raw():
                decoder.feed(chunk)
        except _BROKEN as error:
            raise Unavailable(self.place, f"the answer broke off: {_one_line(error)}") from error
        return decoder.end()


def _fault(response: httpx2.Response, longest: int) -> str:
    """What is wrong with an answer by its head: it is none of a Mark server, too long, or may be cut off."""
    headers = response.headers
    kind = headers.get("content-type", "nothing").partition(";")[0].strip().lower()
    coding = headers.get("content-encoding", "identity").lower()
    length = headers.get("content-length", "")
    if response.status_code != 200:
        return (
            f"HTTP {response.status_code} where a Mark server answers 200; "
            "is /mark let through, and this host allowed (--allow-host)?"
        )
    if kind != MEDIA_TYPE:
        return f"answers {kind[:60]}, not {MEDIA_TYPE}; it may be no Mark server"
    if coding != "identity":
        return f"answers in the coding {coding[:60]}, which was not asked for"
    if length.isascii() and length.isdigit() and int(length[:15]) > longest + _MOST_HEAD:
        return f"an answer of {length[:15]} bytes, more than {longest}"
    if not length and "transfer-encoding" not in headers and response.http_version.startswith("HTTP/1"):
        return "an answer without a length, which could be cut off unnoticed"
    return ""


def _distrust(error: BaseException) -> str:
    """Why a certificate was refused, "" when something else went wrong."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
        cause = cause.__cause__ or cause.__context__
    return ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
