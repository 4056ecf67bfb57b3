"""A process that serves a folder as a server does, and asks itself about it until its standard input ends.

`python -m tests.store.serving ROOT DATA` prints a line when it leads, one for every answer that is wrong, and
how many lookups it made.
"""

import random
import sys
from pathlib import Path

import anyio
import anyio.to_thread

from mark_store import Archived, FolderStore, NotFound, StoreError
from tests.waiting import until

CHANCE = random.Random()  # noqa: S311 - what is asked is no secret
WORDS = ("kiwi", "lime", "mango", "pear", "plum")


async def main(*arguments: str) -> None:
    root, data = arguments
    async with await FolderStore.open(root, Path(data), "bytes") as store, anyio.create_task_group() as group:
        group.start_soon(ask, store)
        group.start_soon(tell_when_leading, store)
        await anyio.to_thread.run_sync(sys.stdin.read)
        group.cancel_scope.cancel()


async def tell_when_leading(store: FolderStore) -> None:
    await until(lambda: store.leads, 1e6)
    say("leads")


async def ask(store: FolderStore) -> None:
    made = 0
    try:
        while True:
            try:
                await ask_once(store, CHANCE.choice(WORDS))
            except StoreError as error:
                say(f"wrong {error!r}")
            made += 1
    finally:
        say(f"asked {made}")


async def ask_once(store: FolderStore, word: str) -> None:
    """Whatever happens meanwhile, a row's version has the word, and a document says where it lies."""
    page = await store.lookup(word, limit=5)
    for row in page.rows:
        stated = await store.fetch(row.path, row.version)
        if word not in stated.body:
            say(f"wrong {row.path} version {row.version} has no {word}: {stated.body!r}")
    for row in page.rows[:2]:
        try:
            now = await store.fetch(row.path)
        except (Archived, NotFound):
            continue
        name = row.path.rpartition("/")[2]
        if name not in now.body:
            say(f"wrong {row.path} says {now.body!r}")


def say(line: str) -> None:
    # One write for each line, which no kill cuts.
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
