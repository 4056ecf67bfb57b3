"""What an operator counts: calls, tokens, times and refusals, in a registry of our own.

No label holds a path, a query or a caller; how the figures are fetched is `http`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypedDict

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from pydantic import ValidationError

from mark_server.descriptions import DESCRIPTIONS
from mark_server.served import Context

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

# Texts whose tokens are known, and the characters of the longest of them: some 8 MB at most.
_MOST_COUNTED = 256
_LARGEST_COUNTED = 16_000


class Seen(TypedDict):
    """What is told of a call that is over: under which name, its outcome, the tokens of its text."""

    tool: str
    outcome: str
    tokens: int


class Metrics:
    """Counts what a server does; also the protocol's middleware that sees each call and its result.

    `count` gives the tokens of a text.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._recent = lru_cache(_MOST_COUNTED)(count)
        self._registry = CollectorRegistry()
        self._calls = self._counter("calls", "Tool calls and resource reads, by outcome.", "tool", "status")
        self._tokens = self._counter("served_tokens", "Tokens of the texts that were given.", "tool")
        self._budget = self._counter("budget_tokens", "Tokens that budgeted lookups were allowed.")
        self._used = self._counter(
            "budget_used_tokens", "Tokens that budgeted lookups took of their budgets."
        )
        self._requests = self._counter("http_requests", "HTTP requests, by status.", "status")
        self._refused = self._counter("refused", "Requests that were refused, by reason.", "reason")
        self._seconds = Histogram(
            "marklookup_call_seconds",
            "Duration of calls.",
            ["tool"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._again = self._counter(
            "answers_again", "Answers that were given again, since nothing had changed."
        )
        self._running = Gauge("marklookup_calls_running", "Calls that run now.", registry=self._registry)

    def given_again(self) -> None:
        """Count one answer that did not have to be made."""
        self._again.inc()

    def follow(self, running: Callable[[], int]) -> None:
        """Ask `running` how many calls run whenever the figures are fetched."""
        self._running.set_function(running)

    def text(self) -> bytes:
        """The figures in Prometheus' text format."""
        return generate_latest(self._registry)

    def answered(self, status: int, refused: str) -> None:
        """Count one HTTP request; `refused` is the reason, "" when it was not."""
        self._requests.labels(str(status)).inc()
        if refused:
            self._refused.labels(refused).inc()

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Count one call; any other message passes."""
        tool = _tool(ctx)
        if not tool:
            return await call_next(ctx)
        started, status, tokens = time.perf_counter(), "cancelled", 0
        try:
            result = await call_next(ctx)
            text = _text(result)
            status, tokens = _status(result, text), self._counted(text)
            return result
        except (MCPError, ValidationError):
            status = "protocol-error"
            raise
        finally:
            seen = Seen(tool=tool, outcome=status, tokens=tokens)
            self.called(seen, time.perf_counter() - started, ctx.params)
            if ctx.request is not None:
                ctx.request.state.seen = seen

    def called(self, seen: Seen, seconds: float, params: Mapping[str, Any] | None) -> None:
        """Count one call that is over, and how it spent the budget that it asked for."""
        self._seconds.labels(seen["tool"]).observe(seconds)
        self._calls.labels(seen["tool"], seen["outcome"]).inc()
        self._tokens.labels(seen["tool"]).inc(seen["tokens"])
        self._spent(params, seen["tokens"] if seen["outcome"] == "ok" else 0)

    def _counted(self, text: str) -> int:
        """Tokens of a text; those of answers that are given again are known."""
        return self._recent(text) if len(text) <= _LARGEST_COUNTED else self._count(text)

    def _spent(self, params: Mapping[str, Any] | None, tokens: int) -> None:
        arguments = (params or {}).get("arguments")
        budget = arguments.get("budget") if isinstance(arguments, Mapping) else None
        if tokens and isinstance(budget, int) and budget > 0:
            self._budget.inc(budget)
            self._used.inc(tokens)

    def _counter(self, name: str, help_: str, *labels: str) -> Counter:
        return Counter(f"marklookup_{name}", help_, labels, registry=self._registry)


def _tool(context: Context) -> str:
    """The name under which a message is counted; "" for one that reads nothing."""
    if context.method == "resources/read":
        return "resource"
    if context.method != "tools/call":
        return ""
    name = (context.params or {}).get("name")
    return name if isinstance(name, str) and name in DESCRIPTIONS else "unknown"


def _text(result: HandlerResult) -> str:
    parts = result.get("content") or result.get("contents") or [] if isinstance(result, dict) else []
    return "".join(part.get("text", "") for part in parts)


def _status(result: HandlerResult, text: str) -> str:
    """The status word of a result: that of its envelope, `ok` for a resource, which has none."""
    if not isinstance(result, dict) or "contents" in result:
        return "ok"
    if result.get("isError"):
        return "argument-error"
    return text.partition("\n")[0].removeprefix("status: ")
