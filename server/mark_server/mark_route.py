"""Mark over HTTPS, the server's end: `POST /mark`, whose body is a request of the wire, answered likewise.

Status 200 for every answer of the protocol, as DNS over HTTPS does (docs/decisions/0014); other statuses are
about the HTTP exchange. Several stores are reached at `/NAME/mark` each. Who calls was found out before (the
request's state), what a request means is `answering`'s; times and numbers are bounded by the surface around.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from mark_server.answering import answer_bytes, refusal
from mark_server.callers import Caller
from mark_server.desk import Desk
from mark_store import MEDIA_TYPE, SeveralStores, encode_response

PATH = "/mark"
OF_STORE = "/{store}/mark"
# The longest line, the longest metadata, its fences, and some room; a read has no body.
MOST_BYTES = 1 << 17


class MarkRoute:
    """An ASGI application that answers requests of the Mark wire from a desk, once that is open."""

    def __init__(self, open_desk: Callable[[], Awaitable[Desk]]) -> None:
        self._open_desk = open_desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        request = Request(scope, receive)
        response = _refused(request) or await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > MOST_BYTES:
                # What is still on its way would be read as the next request.
                return PlainTextResponse(
                    f"a request has at most {MOST_BYTES} bytes\n", 413, {"connection": "close"}
                )
        # A request without a caller is a mistake of ours: it fails here rather than read everything.
        caller: Caller = request.state.caller
        desk = (await self._open_desk()).within(caller.reader)
        store = request.path_params.get("store", "")
        inner = alone(desk, store)
        if inner is None:
            answered = encode_response(refusal(*_astray(desk, store)))
        else:
            answered = await answer_bytes(bytes(data), inner)
        return Response(answered, media_type=MEDIA_TYPE, headers={"cache-control": "no-store"})


def alone(desk: Desk, name: str) -> Desk | None:
    """Give the desk of one store of several, as if it stood alone; of the one store there is for no name.

    None where this reader may read nothing of it, or there is none.
    """
    stores = desk.store
    if not isinstance(stores, SeveralStores):
        return None if name else desk
    reader = desk.reader.within(name)
    for mount in stores.mounts:
        if mount.name == name and reader.patterns:
            opened = mount.opened
            return Desk(opened.store, opened.ready, opened.progress, desk.counter, desk.settings, reader)
    return None


def _astray(desk: Desk, name: str) -> tuple[str, str]:
    """Status and line for a request that names no store here."""
    if name or not isinstance(desk.store, SeveralStores):
        return "not-found", "no such store"
    return (
        "bad-request",
        "several stores are served here; each has its own address, https://HOST/NAME",
    )


def _refused(request: Request) -> Response | None:
    """What is no exchange of this route, by its method or its media type."""
    if request.method != "POST":
        return PlainTextResponse("post a request of the Mark protocol\n", 405, {"allow": "POST"})
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != MEDIA_TYPE:
        return PlainTextResponse(f"the media type must be {MEDIA_TYPE}\n", 415, {"accept-post": MEDIA_TYPE})
    return None
