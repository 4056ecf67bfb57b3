"""The folder client: a folder of markdown files as a store, kept up to date by itself.

It wires indexing, freshness and reading together and moves all of it off the event loop.
"""

import functools
import math
import time
from collections.abc import Callable, Collection, Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Self, TypeVar

import anyio
import anyio.to_thread

from mark_outline import Counter, authority, counter

from . import fetches, listing
from .background import Background
from .data_folder import data_folder, real_root
from .databases import Databases, Replaced, Session
from .disk import Stamp, on_disk, stamp
from .errors import BadQuery, NotFound, Unavailable
from .footing import Footing
from .holdings import Holdings, holdings
from .indexer import Indexer
from .lease import Lease
from .links import Inquiry, linked
from .live import Live
from .lookups import Answer, Question, answered
from .notice import Notice
from .paths import rooted
from .port import Document, History, Link, LookupPage, Match, Page, Progress
from .presence import check_presence
from .reader import EVERYTHING, Reader
from .selection import Selection
from .shelved import at_path
from .survey import Ground, changed_folders
from .verification import Verification, verified

_T = TypeVar("_T")

MOST_FILES = 100_000
# Files that a lookup reads again itself before it answers; a larger change is left to the background.
_AT_ONCE = 32
# Each thread holds connections with caches: two answer as quickly as four and keep some 5 MB less.
_THREADS = 2
_ROUNDS = 3
# What is asked right after an answer need not compare all folders again.
_MOMENT_SECONDS = 0.05


class FolderStore:
    """A folder as a `Store`; open it with `open`, and close it with `aclose` or `async with`."""

    def __init__(
        self,
        ground: Ground,
        folder: Path,
        encoding: str,
        poll: float | None,
        keep: int | None,
        own: frozenset[str],
    ) -> None:
        """Begin with a real root and the folder of its databases; use `open` instead."""
        self.root = ground.root
        self.data_folder = folder
        self._selection = ground.selection
        self._counter: Counter = counter(encoding)
        self._databases = Databases(folder, encoding, ground.selection.name, keep)
        self._live = Live(ground.root, folder.parent, poll)
        self._background = Background(
            Indexer(ground, self._databases, self._counter),
            _AT_ONCE,
            Lease(folder / f"index-{encoding}{ground.selection.name}.lease"),
            self._live,
        )
        self._threads = anyio.CapacityLimiter(_THREADS)
        self._own = own
        self._footing = Footing(self.root, self._databases)
        self._compared = -math.inf

    @classmethod
    async def open(
        cls,
        root: Path | str,
        index_dir: Path | None = None,
        encoding: str = "o200k_base",
        limit: int = MOST_FILES,
        *,
        ignore: bool = True,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        poll: float | None = None,
        keep: int | None = None,
        authorities: tuple[str, ...] = (),
    ) -> Self:
        """Open a folder and return at once; indexing goes on in the background (`ready`, `progress`).

        `index_dir` (else the environment's MARKLOOKUP_DATA, else the user's data folder) holds a folder of
        databases for each root; nothing is written into `root` itself. `encoding` is the one that costs are
        counted in.

        `ignore`: what `.gitignore` files name is not served; nor is what `exclude` names, nor, where there
        are `include` patterns, what none of them names. `poll`: seconds between looks at the whole folder,
        instead of the system's events. `keep`: how many versions of each document, the newest ones, have
        their bytes; all of them when it is None. `authorities`: the hosts or names whose `mark://` locations
        mean this store, in its documents' relations.

        Raises: BadRoot, DataFolderUnusable, BadQuery (include, exclude, poll, keep), and
        `mark_outline.UnknownEncoding`.
        """
        if poll is not None and not poll > 0:
            raise BadQuery("poll", str(poll), "seconds, more than 0")
        if keep is not None and keep < 1:
            raise BadQuery("keep", str(keep), "1 or more")

        def prepared() -> tuple[Ground, Path]:
            real = real_root(Path(root))
            folder = data_folder(real, index_dir)
            return Ground(real, Selection(real, ignore, include, exclude, folder.parent), limit), folder

        ground, folder = await anyio.to_thread.run_sync(prepared)
        own = frozenset(authority(f"mark://{name}") for name in authorities)
        return await anyio.to_thread.run_sync(cls, ground, folder, encoding, poll, keep, own)

    @property
    def encoding(self) -> str:
        """The encoding that costs are counted in."""
        return self._counter.encoding

    @property
    def progress(self) -> Progress | None:
        """How far indexing is; None when the index is known to be complete."""
        progress, trouble = self._background.progress, self.stuck
        return replace(progress, trouble=trouble.reason) if progress and trouble else progress

    @property
    def stuck(self) -> Unavailable | None:
        """Why indexing does not get on, once several tries in a row have failed; it is tried again."""
        return self._background.trouble if self._background.stuck else None

    @property
    def leads(self) -> bool:
        """Whether it is this store that indexes the folder, of all that are open on it in any process."""
        return self._background.leads

    async def ready(self, seconds: float = math.inf) -> bool:
        """Wait until the index is complete, at most so many seconds; whether it is.

        False at once when indexing does not get on (`stuck`).

        Raises: TooManyFiles.
        """
        longest = min(seconds, 1e6)
        done = await anyio.to_thread.run_sync(self._background.wait, longest, abandon_on_cancel=True)
        self._check()
        return done

    async def rescan(self) -> None:
        """Have the whole folder compared with the index again, in the background; `ready` waits for it."""
        self._background.want_pass()

    async def notices(self) -> tuple[Notice, ...]:
        """What the store met and its user should know: broken files, skipped names, a replaced index."""
        told = [*self._databases.notices, *([self._live.notice] if self._live.notice else [])]
        if self._background.trouble:
            told.append(Notice("/", f"indexing is tried again: {self._background.trouble.reason}"))
        kept = await self._work(
            lambda session: [Notice(*row) for row in session.index.execute("SELECT path, text FROM notice")]
        )
        return tuple(sorted({*told, *kept}))

    async def holdings(self) -> Holdings:
        """Count what the index holds."""
        return await self._work(lambda session: holdings(session.index, self._databases.size()))

    async def lookup(
        self,
        query: str,
        *,
        scope: str = "/",
        filter: str = "",  # noqa: A002 - the name of the tool's argument (surface.md)
        limit: int = 10,
        offset: int = 0,
        match: Match = "body",
        reader: Reader = EVERYTHING,
    ) -> LookupPage:
        """Rank sections by BM25 over title, trail, text and tags, or (`catalog`) documents by title and tags.

        Folders and the files of the page's rows are compared with the disk before the answer. A query without
        terms, or `*`, gives every document of the scope, the most important first.

        Raises: NotFound (unknown scope), BadFilter, BadQuery, TooManyFiles, Unavailable.
        """
        question = Question(query, scope, filter, limit, offset, match, reader)
        question.check()
        before = self.progress
        answer = await self._in_thread(lambda: self._settled(lambda: self._answer(question)))
        rows, indexing = tuple(answer.rows), self.progress or before
        return LookupPage(rows, answer.total, match, indexing, named=answer.named)

    async def fetch(self, path: str, version: int | None = None, *, reader: Reader = EVERYTHING) -> Document:
        """Read a document as its file is now, or as one immutable version.

        Body, version and outline are always those of one observed state. The outline of a version that is not
        current is made on demand.

        Raises: NotFound, Archived, Pruned, TooManyFiles, Unavailable.
        """
        name = self._named(path, reader)

        def read(session: Session) -> Document:
            if version is None:
                return fetches.current(session, name)
            return fetches.version(session, name, version, self._counter)

        return await self._in_thread(lambda: (self._fresh if version is None else self._kept)(name, read))

    async def list(
        self, path: str = "/", cursor: str = "", page_size: int = 100, *, reader: Reader = EVERYTHING
    ) -> Page:
        """Read one page of one folder level: folders with the number of documents below them, then documents.

        Raises: NotFound, BadQuery (cursor, page_size), TooManyFiles, Unavailable.
        """

        def read() -> Page:
            self._freshen_folders()
            return self._databases.read(
                lambda session: listing.level(session.index, path, cursor, page_size, reader)
            )

        return await self._in_thread(read)

    async def versions(self, path: str, *, reader: Reader = EVERYTHING) -> History:
        """Tell the versions of a document, newest first; a deleted document has them still.

        Raises: NotFound, TooManyFiles, Unavailable.
        """
        name = self._named(path, reader)
        return await self._in_thread(
            lambda: self._fresh(name, lambda session: fetches.history(session, name, reader))
        )

    async def related(
        self,
        path: str,
        predicates: tuple[str, ...] = (),
        *,
        incoming: bool = False,
        limit: int = 100,
        reader: Reader = EVERYTHING,
    ) -> tuple[Link, ...]:
        """Tell what a document declares, or what declares it, as `Relating` says.

        The documents that are named are compared with their files; folders, unless an answer did so a moment
        ago.

        Raises: BadQuery (limit), TooManyFiles, Unavailable.
        """
        inquiry = Inquiry(path, predicates, incoming, limit, reader, self._own)
        inquiry.check()

        def find() -> tuple[tuple[Link, ...], Mapping[str, Stamp]]:
            return self._databases.read(lambda session: linked(session.index, inquiry))

        return await self._in_thread(lambda: self._settled(find, _MOMENT_SECONDS))

    async def standing(self, paths: Collection[str]) -> Hashable | None:
        """Tell what answers rest on, as `Standing` says."""

        wanted = frozenset(paths)
        state = self._mending(lambda: self._footing.state_at_once(wanted))
        if state is None or self.progress:
            return await self._in_thread(lambda: self._state(wanted))
        self._background.look_around()
        return state

    async def verify(self) -> Verification:
        """Read the whole version log and tell what is wrong with it: gaps, lost bytes, a broken chain.

        Raises: Unavailable.
        """
        return await self._work(lambda session: verified(session.log_connection))

    async def aclose(self) -> None:
        """Stop indexing after the batch that is being written and close the databases; safe to call twice."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._close)

    async def __aenter__(self) -> Self:
        """Give the store itself."""
        return self

    async def __aexit__(self, *_ending: object) -> None:
        """Close the store."""
        await self.aclose()

    def _close(self) -> None:
        self._background.stop()
        self._databases.close()

    def _check(self) -> None:
        if failure := self._background.failure:
            raise failure

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        try:
            return await anyio.to_thread.run_sync(
                functools.partial(self._mending, work), limiter=self._threads
            )
        finally:
            self._background.look_around()

    async def _work(self, work: Callable[[Session], _T]) -> _T:
        return await self._in_thread(lambda: self._databases.read(work))

    def _mending(self, work: Callable[[], _T]) -> _T:
        """Do some work, once more from an empty index when the index proved damaged."""
        self._check()
        for _ in range(_ROUNDS):
            try:
                return work()
            except Replaced:
                self._background.want_pass()
        raise Unavailable(str(self.data_folder), "the index is damaged again and again")

    def _settled(self, find: Callable[[], tuple[_T, Mapping[str, Stamp]]], moment: float = 0.0) -> _T:
        """Find something until the files that it speaks of are as they were when they were read."""
        self._freshen_folders(moment)
        found, known = find()
        for _ in range(_ROUNDS):
            stale = [path for path, seen in known.items() if self._stamp(path) != seen]
            if not stale or not self._background.refresh(stale):
                break
            found, known = find()
        return found

    def _answer(self, question: Question) -> tuple[Answer, Mapping[str, Stamp]]:
        """Answer; a folder that is there but was not indexed yet has no rows yet."""
        try:
            answer = self._databases.read(lambda session: answered(session, question))
        except NotFound:
            scope = rooted(question.scope)
            if self.progress and question.reader.unlimited and scope and on_disk(self.root, scope):
                return Answer([], 0, []), {}
            raise
        return answer, {shelved.path: shelved.stamp for shelved in answer.documents}

    def _named(self, path: str, reader: Reader) -> str:
        name = fetches.named(path, reader)
        if not self._selection.may_serve(name):
            raise NotFound(path)
        return name

    def _freshen_folders(self, moment: float = 0.0) -> None:
        self._databases.read(lambda session: check_presence(self.root, session.index))
        if not self.progress and time.monotonic() - self._compared > moment:
            if where := self._databases.read(lambda session: changed_folders(self.root, session.index)):
                self._background.catch_up(where)
            self._compared = time.monotonic()

    def _state(self, paths: Collection[str]) -> Hashable | None:
        state = self._footing.state(paths)
        if state is None or self.progress:
            self._freshen_folders()
            stale = self._footing.read(paths)
            changed = bool(stale) and self._background.refresh(stale)
            state = None if changed or self.progress else self._databases.state()
        return state

    def _fresh(self, path: str, read: Callable[[Session], _T]) -> _T:
        """Read about one document after bringing it up to its file."""
        known = self._databases.read(lambda session: at_path(session.index, path))
        found = self._stamp(known.path) if known else None
        if not known or not found:
            # The index does not know the file, or it has gone from its place.
            self._freshen_folders()
            spelled = on_disk(self.root, path) if self.progress else None
            if spelled:
                self._background.refresh([spelled])
        elif found != known.stamp:
            self._background.refresh([known.path])
        return self._databases.read(read)

    def _kept(self, path: str, read: Callable[[Session], _T]) -> _T:
        """Read what never changes: as it is now, or as it is kept while the folder is not there."""
        try:
            return self._fresh(path, read)
        except Unavailable:
            with suppress(NotFound):
                return self._databases.read(read)
            raise

    def _stamp(self, path: str) -> Stamp | None:
        return stamp(self.root, path)
