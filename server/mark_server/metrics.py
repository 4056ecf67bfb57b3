"""What an operator counts: calls, tokens, times and refusals, in a registry of our own.

No label holds a path, a query or a caller; how the figures are fetched is `http`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from mark_server.descriptions import DESCRIPTIONS
from mark_server.served import Context

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts what a server does; also the protocol's middleware that sees each call and its result.

    `count` gives the tokens of a text.
    """

    def __init__(self, count: Callable[[str], int], running: Callable[[], int]) -> None:
        self._count = count
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
        gauge = Gauge("marklookup_calls_running", "Calls that are running now.", registry=self._registry)
        gauge.set_function(running)

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
            status, tokens = _status(result, text), self._count(text)
            return result
        except MCPError:
            status = "protocol-error"
            raise
        finally:
            self._seconds.labels(tool).observe(time.perf_counter() - started)
            self._calls.labels(tool, status).inc()
            self._tokens.labels(tool).inc(tokens)
            self._spent(ctx, tokens if status == "ok" else 0)
            if ctx.request is not None:
                ctx.request.state.seen = {"tool": tool, "outcome": status, "tokens": tokens}

    def _spent(self, context: Context, tokens: int) -> None:
        budget = ((context.params or {}).get("arguments") or {}).get("budget")
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
