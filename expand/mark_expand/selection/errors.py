"""What a selection refuses: one small tree. Classes carry facts; the line for a person is `__str__`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_NAMED = 10


def _shown(given: object) -> str:
    """A value as a person would write it."""
    return f"{str(given) if isinstance(given, Fraction) else repr(given):.60}"


class SelectionError(Exception):
    """A selection cannot be made."""


class WrongLimit(SelectionError):  # noqa: N818 - named for what is wrong, as the rest of the tree
    """A limit or option that cannot be kept; `name` is the limit's, `allowed` says what would do."""

    def __init__(self, name: str, given: object, allowed: str) -> None:
        super().__init__(name, given, allowed)
        self.name = name
        self.given = given
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.name} is {_shown(self.given)}; allowed: {self.allowed}"


class WrongCandidate(SelectionError):  # noqa: N818 - named for what is wrong, as the rest of the tree
    """A candidate with a value that cannot be compared or printed; `where` names it."""

    def __init__(self, where: str, name: str, given: object, allowed: str) -> None:
        super().__init__(where, name, given, allowed)
        self.where = where
        self.name = name
        self.given = given
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.where}: {self.name} is {self.given!r:.60}; allowed: {self.allowed}"


class DoesNotFit(SelectionError):  # noqa: N818 - named for what happened, as the rest of the tree
    """What has to be printed is more than the budget; `sizes` are locations and tokens, the largest first.

    A size that nobody told is None.
    """

    def __init__(self, what: str, sizes: Sequence[tuple[str, int | None]], budget: int) -> None:
        super().__init__(what, sizes, budget)
        self.what = what
        self.sizes = tuple(sorted(sizes, key=lambda one: (-(one[1] or 0), one[0])))
        self.budget = budget

    def __str__(self) -> str:
        named = ", ".join(
            where if tokens is None else f"{where} (~{tokens} tokens)"
            for where, tokens in self.sizes[:_NAMED]
        )
        more = f" +{len(self.sizes) - _NAMED} more" if len(self.sizes) > _NAMED else ""
        known = [tokens for _, tokens in self.sizes if tokens is not None]
        total = f"{'at least ' if len(known) < len(self.sizes) else ''}{sum(known)}"
        return f"{self.what}: {total} tokens do not fit into {self.budget}: {named}{more}"


class ScorerError(Exception):
    """The model gave no usable scores; `reason` is one word for the trace (`timeout`, `http_503`, …)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
