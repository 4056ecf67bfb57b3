"""Chat completions of any OpenAI-compatible endpoint, as the callable that `LLMScorer` awaits.

One request, no retries: a lookup that waits for a model is worse than one without its scores. The key is
read from the environment when the call is made and stands nowhere else. What the answer means is the
scorer's business.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mark_server import kinds

if TYPE_CHECKING:
    import httpx2

KEY = "MARKLOOKUP_LLM_KEY"
SECONDS = 10.0
# An answer is a few numbers; whatever is longer is none.
MOST_BYTES = 1_000_000
_OK = 200


def openai_compatible(
    url: str, model: str, *, key_env: str = KEY, seconds: float = SECONDS
) -> Callable[[list[dict[str, str]]], Awaitable[str]]:
    """Give a callable that sends messages to `url`/chat/completions and gives the text of the answer.

    `url` is an https address, such as `https://llm.example.org/v1`; plain http is for this machine only. The
    variable `key_env` of the environment holds the key; without it none is sent.

    Raises:
        ArgumentError: The address is none.
    """
    from mark_server.checks import ArgumentError, shown  # noqa: PLC0415 - importing mark_server stays quick

    address = kinds.url("https://llm.example.org/v1")
    try:
        endpoint = f"{str(address.accept(url)).rstrip('/')}/chat/completions"
    except ValueError:
        raise ArgumentError(address.wrong("url", shown(url))) from None

    async def complete(messages: list[dict[str, str]]) -> str:
        return await _complete(
            endpoint, {"model": model, "messages": messages, "temperature": 0}, key_env, seconds
        )

    return complete


async def _complete(endpoint: str, asked: dict[str, object], key_env: str, seconds: float) -> str:
    import anyio  # noqa: PLC0415 - importing mark_server stays quick
    import httpx2  # noqa: PLC0415 - as above

    from mark_expand import ScorerError  # noqa: PLC0415 - as above

    key = os.environ.get(key_env, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        # One limit for all of it: an endpoint that sends a byte a second is as slow as a silent one.
        with anyio.fail_after(seconds):
            async with (
                httpx2.AsyncClient(timeout=seconds) as client,
                client.stream("POST", endpoint, json=asked, headers=headers) as response,
            ):
                if response.status_code != _OK:
                    raise ScorerError(f"http_{response.status_code}")
                return _content(await _read(response))
    except httpx2.TimeoutException:
        raise ScorerError("timeout") from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        # The error's own text may show the request; the cause is left behind on purpose.
        raise ScorerError("unreachable") from None
    except UnicodeEncodeError:
        # A key with characters that no header takes; the error holds the key.
        raise ScorerError("unsendable") from None


async def _read(response: httpx2.Response) -> bytes:
    from mark_expand import ScorerError  # noqa: PLC0415 - importing mark_server stays quick

    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            raise ScorerError("too_large")
    return bytes(body)


def _content(body: bytes) -> str:
    from mark_expand import ScorerError  # noqa: PLC0415 - importing mark_server stays quick

    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ScorerError("no_completion") from None
    if not isinstance(content, str):
        raise ScorerError("no_completion")
    return content
