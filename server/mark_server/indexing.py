"""`marklookup index`: bring the index up to date now, and say what was skipped and why.

Serving indexes by itself; this command is for those who want it done beforehand, or wonder why a file is
missing. Progress and warnings go to standard error, the counts to standard output.
"""

from __future__ import annotations

import sys
import time

import click

from mark_outline import encode
from mark_server.opening import folders_of, open_folder
from mark_server.settings import Settings
from mark_server.terminal import put, warn
from mark_store import FolderStore

_REFRESH = 0.1  # seconds between two looks at the progress
_MEGABYTE = 1e6


async def index_folders(settings: Settings) -> None:
    """Index each configured folder to the end, and print warnings and counts.

    Raises:
        StoreError: A folder cannot be opened or indexed.
    """
    for folder in folders_of(settings):
        await _index(folder)


async def _index(settings: Settings) -> None:
    """Index to the end, and print warnings and counts.

    Raises:
        StoreError: The folder cannot be opened or indexed.
    """
    started = time.monotonic()
    async with open_folder(settings) as store:
        await _follow(store)
        if store.stuck is not None:
            raise store.stuck
        for notice in await store.notices():
            warn(f"warning: {encode(notice.path)}: {notice.text}")
        held = await store.holdings()
        put(
            f"{held.documents} documents, {held.sections} sections, {held.size / _MEGABYTE:.1f} MB in "
            f"{store.data_folder}, {time.monotonic() - started:.1f} s\n"
        )


async def _follow(store: FolderStore) -> None:
    """Draw a progress bar until the index is complete; none where nobody looks."""
    if not sys.stderr.isatty():
        await store.ready()
        return
    with click.progressbar(length=1, label="Indexing", file=sys.stderr) as bar:
        while not (await store.ready(_REFRESH) or store.stuck):
            if progress := store.progress:
                bar.length = max(1, progress.total)
                bar.update(progress.done - bar.pos)
        bar.update((bar.length or 1) - bar.pos)
