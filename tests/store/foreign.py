"""A Mark server of somebody else, as far as its answers go: what it says to a request is the test's."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mark_store import Request, Response

TABLE = "| Path | Importance | Title | Tags | Snippet |\n|------|------|------|------|------|\n"
CATALOG = "| Path | Importance | Title | Tags |\n|------|------|------|------|\n"


@dataclass(slots=True)
class Foreign:
    """An exchange whose server answers by a function; `asked` is what came to it."""

    answers: Callable[[Request], Response]
    authority: str = "isle.example"
    place: str = "mark://isle.example"
    asked: list[Request] = field(default_factory=list)
    closed: int = 0

    async def send(self, request: Request, longest_body: int) -> Response:  # noqa: ARG002 - the protocol's own
        self.asked.append(request)
        return self.answers(request)

    async def aclose(self) -> None:
        self.closed += 1

    def queries(self) -> list[str]:
        """The queries of all lookups so far."""
        return [request.fields["query"] for request in self.asked if request.verb == "LOOKUP"]


def table(*paths: str, match: str = "body", matches: int | None = None) -> Response:
    """A LOOKUP answer with a row for each path."""
    last = " s |" if match == "body" else ""
    body = (TABLE if match == "body" else CATALOG) + "".join(
        f"| {path} | 0.50 | T | x |{last}\n" for path in paths
    )
    fields = {"status": "ok", "matches": str(len(paths) if matches is None else matches)}
    return Response(fields | ({"match": "body"} if match == "body" else {}), body.encode())
