"""Progress notifications: a client that gave a token is told how far indexing is while its call runs.

Whether a call waits for indexing, and how long, is the desk's; who gave no token is told in the result.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from mark_server.desk import Desk
from mark_server.served import Context

_SECONDS = 0.2  # between two notifications


@asynccontextmanager
async def reporting(context: Context, desk: Desk) -> AsyncIterator[None]:
    """Report, beside the work inside, until that is done; the SDK drops it when no token was given.

    What the work raises leaves in an `ExceptionGroup`; refusals are to be answers by then.
    """
    if desk.progress() is None:
        yield
        return
    async with anyio.create_task_group() as group:
        group.start_soon(_report, context, desk)
        yield
        group.cancel_scope.cancel()


async def _report(context: Context, desk: Desk) -> None:
    told = -1
    while progress := desk.progress():
        # Each figure must be larger than the one before, and a folder that changes may lower ours.
        if progress.done > told:
            told = progress.done
            line = f"indexing: {told} of {progress.total} files" if progress.total else "indexing"
            await context.session.report_progress(told, progress.total or None, line)
        await anyio.sleep(_SECONDS)
