"""What a run was made of, as SHA-256: the code, the corpus, the questions, the list of tools.

Two runs with the same fingerprints and settings give the same figures; a run that differs says in what.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_types import Tool

import mark_expand
import mark_outline
import mark_server
import mark_store
from mark_server.tools import tool_list
from mark_store import SUFFIXES

_PACKAGES = (mark_outline, mark_expand, mark_store, mark_server)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Hex digests, and the version that the code says it has."""

    version: str
    code: str
    corpus: str
    questions: str
    tools: str


def fingerprints(questions: Path, folders: Mapping[str, Path]) -> Fingerprints:
    """Take the fingerprints of this build over these files and folders, which have names if they are several.

    Raises:
        OSError: The questions cannot be read.
    """
    return Fingerprints(
        version=mark_server.__version__,
        code=_code(),
        corpus=_corpora(folders),
        questions=hashlib.sha256(questions.read_bytes()).hexdigest(),
        tools=tools_digest(tool_list()),
    )


def _corpora(folders: Mapping[str, Path]) -> str:
    digests = {name: corpus(folder) for name, folder in folders.items()}
    if len(digests) == 1:
        return next(iter(digests.values()))
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def corpus(folder: Path) -> str:
    """Hash every markdown file below a folder, names and bytes; "" where the store is no folder."""
    if not folder.is_dir():
        return ""
    files = (path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    return _digest((path.relative_to(folder).as_posix(), path) for path in files)


def _code() -> str:
    """Hash the installed sources of the four packages."""
    roots = [Path(package.__path__[0]) for package in _PACKAGES]
    return _digest(
        (f"{root.name}/{path.relative_to(root).as_posix()}", path)
        for root in roots
        for path in root.rglob("*.py")
    )


def tools_digest(tools: Sequence[Tool]) -> str:
    """Hash an answer to `tools/list`."""
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    whole = hashlib.sha256()
    for name, path in sorted(files):
        try:
            own = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:  # the store leaves it out, too, and says so
            own = "unreadable"
        whole.update(f"{own}  {name}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
