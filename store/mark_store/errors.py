"""What can go wrong between a caller and a store: one small tree, facts only.

The text that a person sees is made where it is shown (`mark_server`); a class here carries what that text
needs.
"""

# ruff: noqa: N818 - a class says what happened (NotFound, Archived), not that it is an error

from dataclasses import dataclass
from pathlib import Path


class StoreError(Exception):
    """Any failure of a store; `facts` are its attributes."""


class NotFound(StoreError):
    """Nothing that this reader may see has that path (or that version of it)."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Archived(StoreError):
    """The document was deleted or declares itself archived; version `last` still answers."""

    def __init__(self, path: str, last: int | None) -> None:
        super().__init__(path, last)
        self.path = path
        self.last = last


class Pruned(StoreError):
    """The version existed, and its bytes were let go as the retention setting says or were lost."""

    def __init__(self, path: str, version: int) -> None:
        super().__init__(path, version)
        self.path = path
        self.version = version


class NotPermitted(StoreError):
    """The store knows the caller and refuses."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Unauthorized(StoreError):
    """The peer wants to know who asks: no token was sent, or one that it does not know.

    `variable` is the environment's name for the token of that peer.
    """

    def __init__(self, place: str, variable: str) -> None:
        super().__init__(place, variable)
        self.place = place
        self.variable = variable


class Untrusted(StoreError):
    """The peer cannot prove that it is who the address names; `reason` is one line."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


class BadAddress(StoreError):
    """An address or what goes with it (tokens, certificates) cannot be used; `reason` is one line."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


class Unavailable(StoreError):
    """The store cannot answer now; trying again may help. `reason` is one line."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


class ProtocolError(StoreError):
    """A peer answered outside its protocol; `words` are its own, one line."""

    def __init__(self, place: str, words: str) -> None:
        super().__init__(place, words)
        self.place = place
        self.words = words


class BadQuery(StoreError):
    """An argument is out of its range; `allowed` says what it may be."""

    def __init__(self, argument: str, value: str, allowed: str) -> None:
        super().__init__(argument, value, allowed)
        self.argument = argument
        self.value = value
        self.allowed = allowed


class BadFilter(BadQuery):
    """A filter cannot be read; `value` is the part at fault, `allowed` the form that is understood."""

    def __init__(self, value: str, allowed: str) -> None:
        super().__init__("filter", value, allowed)


class BadRoot(StoreError):
    """The folder to serve is missing, no folder, or cannot be read; `reason` is one line."""

    def __init__(self, root: Path, reason: str) -> None:
        super().__init__(root, reason)
        self.root = root
        self.reason = reason


class DataFolderUnusable(StoreError):
    """The place for index and versions cannot be created, written or understood; `reason` is one line."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(folder, reason)
        self.folder = folder
        self.reason = reason


class TooManyFiles(StoreError):
    """The folder holds more markdown files than `limit`; nothing is indexed.

    With `names` set it is the walk that was given up, after so many names of files and folders of any kind.
    """

    def __init__(self, root: Path, limit: int, names: int | None = None) -> None:
        super().__init__(root, limit, names)
        self.root = root
        self.limit = limit
        self.names = names


@dataclass(frozen=True, slots=True)
class Failed:
    """One of several stores, by its name, and why it did not answer."""

    store: str
    error: StoreError


class AllFailed(StoreError):
    """None of several stores answered."""

    def __init__(self, failed: tuple[Failed, ...]) -> None:
        super().__init__(failed)
        self.failed = failed
