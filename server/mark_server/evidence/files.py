"""Writes what an evaluation leaves behind: whole or not at all, and never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from mark_server.evidence.errors import BadFile, Taken


def claim(files: Iterable[Path]) -> None:
    """Check before hours of work that each of these files can be written after them.

    Raises:
        Taken: One is there already.
        BadFile: One has no folder to be in.
    """
    named = list(files)
    for place, file in enumerate(named):
        if file in named[:place]:
            raise BadFile(file, "is named twice; give each result a file of its own")
        if os.path.lexists(file):
            raise Taken(file)
        if not file.parent.is_dir():
            raise BadFile(file, "its folder does not exist")


def write_new(file: Path, data: bytes) -> None:
    """Write a file that does not exist yet; whoever stops this, a part of it is never left.

    Raises:
        Taken: It exists.
        BadFile: It cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(data)
            _publish(part, file)
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError as error:
        raise Taken(file) from error
    except OSError as error:
        raise BadFile(file, error.strerror or "cannot be written") from error


def _publish(part: Path, file: Path) -> None:
    """Give the finished file its name; a link fails where the name is taken, whoever took it meanwhile."""
    try:
        file.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here: the name is taken by creating it, then filled at once.
        file.touch(exist_ok=False)
        part.replace(file)


def write_over(file: Path, data: bytes) -> None:
    """Write a file whole or not at all, over one that is there; a link goes on naming the same file.

    Raises:
        BadFile: It cannot be written, or what is there is no file.
    """
    target = file.resolve()
    if target.exists() and not target.is_file():
        raise BadFile(file, "is no file that can be written over")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(data)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise BadFile(file, error.strerror or "cannot be written") from error
