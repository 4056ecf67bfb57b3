"""One of several stores: its name, and how its addresses are written `mark://name/path` and read back.

Which stores there are, and what they answer together, is `several`'s.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import anyio

from mark_outline import authority

from .errors import (
    Archived,
    NotFound,
    NotPermitted,
    ProtocolError,
    Pruned,
    StoreError,
    Unauthorized,
    Unavailable,
    Untrusted,
)
from .opened import Opened
from .port import History, Link, Moved, Progress, Store

_T = TypeVar("_T")

# No dot and no port, so that no name is a host's.
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)


def is_mount_name(name: str) -> bool:
    """Whether a store can be mounted by this name.

    >>> is_mount_name("team-docs"), is_mount_name("docs.example"), is_mount_name("Docs")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def split_address(path: str) -> tuple[str, str]:
    """Give the authority of a decoded address, "" for a bare path or `mark:///`, and the rooted rest.

    >>> split_address("mark://Docs/a b.md"), split_address("/a.md"), split_address("mark:///")
    (('docs', '/a b.md'), ('', '/a.md'), ('', '/'))
    """
    rest = path.partition("://")[2] if "://" in path and not path.startswith("/") else path
    inner = rest.partition("/")[2] if rest is not path else path.removeprefix("/")
    return authority(path), f"/{inner}"


@dataclass(frozen=True, slots=True)
class Mounted:
    """A store mounted by name.

    `deadline` is in seconds and bounds each question; a larger `weight` brings its rows earlier; `hosts` are
    the authorities of `mark://` addresses that mean it besides its name.
    """

    name: str
    opened: Opened
    deadline: float = 5.0
    weight: float = 1.0
    hosts: frozenset[str] = frozenset()

    @property
    def store(self) -> Store:
        """The store itself."""
        return self.opened.store

    def address(self, path: str) -> str:
        """The address, among several stores, of a path of this one; what is none stays as it is."""
        return f"mark://{self.name}{path if path.startswith('/') else f'/{path}'}"

    def link(self, link: Link) -> Link:
        """A relation of this store, as it is told among several."""
        target = self.address(link.target) if link.target.startswith("/") else link.target
        return replace(link, source=self.address(link.source), target=target)

    def indexing(self) -> Progress | None:
        """How far indexing is, and of which store."""
        progress = self.opened.progress()
        return replace(progress, store=self.name) if progress else None

    async def asked(self, question: Callable[[], Awaitable[_T]], until: float) -> _T:
        """Ask the store something; until a moment of the event loop's clock, in seconds.

        Raises: StoreError, its paths and places as they are among several stores.
        """
        try:
            with anyio.CancelScope(deadline=until):
                return await question()
        except StoreError as error:
            raise self._placed(error) from error
        raise Unavailable(self.name, f"deadline of {self.deadline:g} s reached")

    def history(self, history: History) -> History:
        """A history with the addresses that it has among several stores."""
        return replace(
            history,
            path=self.address(history.path),
            moved_from=self._moved(history.moved_from),
            moved_to=self._moved(history.moved_to),
        )

    def _moved(self, other: Moved | None) -> Moved | None:
        return replace(other, path=self.address(other.path)) if other else None

    def _placed(self, error: StoreError) -> StoreError:
        match error:
            case NotFound(path=path):
                return NotFound(self.address(path))
            case Archived(path=path, last=last):
                return Archived(self.address(path), last)
            case Pruned(path=path, version=version):
                return Pruned(self.address(path), version)
            case NotPermitted(path=path):
                return NotPermitted(self.address(path))
            case Unavailable(reason=reason):
                return Unavailable(self.name, reason)
            case Untrusted(reason=reason):
                return Untrusted(self.name, reason)
            case Unauthorized(variable=variable):
                return Unauthorized(self.name, variable)
            case ProtocolError(words=words):
                return ProtocolError(self.name, words)
            case _:
                return error
