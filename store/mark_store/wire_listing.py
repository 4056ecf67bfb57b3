"""The bodies of LIST and VERSIONS answers: a line for each entry, written and read here.

The protocol's lines are `- [name](name)` and `- [vN](…/vN) - time`. What we add stands behind, where other
readers take it for prose; what others leave out is empty here.
"""

import re
from collections.abc import Iterable
from typing import Final

from mark_outline import WHITE, encode

from .errors import ProtocolError
from .port import Entry, Version
from .wire_fields import has_controls

_DOCUMENTS = re.compile(r"([0-9]{1,12}) documents?", re.ASCII)
_BINARY: Final = " (not text)"
_REMARK: Final = " - "
_LONGEST_LINE: Final = 20_000
"""Characters of one line; a longer one is no entry."""
_VERSION = re.compile(
    r"- \[v([1-9][0-9]{0,14})\]\(.*/v\1\) - (\S{1,40})"
    r"(?: - ([0-9]{1,15}) bytes - ([0-9a-f]{64}))?( - pruned)?",
    re.ASCII,
)
_LONGEST_TITLE: Final = 1000
# What would end a name too early, or its line.
_BROKEN = re.compile(r"[\x00-\x1f\x7f-\x9f]|\](?=\()")


def write_entries(entries: Iterable[Entry]) -> str:
    """Write a page of a directory; in a name, what its line could not hold is percent-encoded."""
    return "".join(_entry_line(entry) for entry in entries)


def read_entries(text: str, folder: str, place: str) -> tuple[Entry, ...]:
    """Read a page of the directory `folder` (with its closing slash).

    Raises: ProtocolError, when a line is no entry or a name leaves the directory.
    """
    return tuple(_entry(line, folder, place) for line in _lines(text))


def write_versions(path: str, versions: Iterable[Version]) -> str:
    """Write the versions of the document at `path`."""
    shown = _written(path)
    return "".join(
        f"- [v{version.number}]({shown}/v{version.number}) - {version.time} - {version.size} bytes - "
        f"{version.content_hash}{' - pruned' if version.pruned else ''}\n"
        for version in versions
    )


def read_versions(text: str, place: str) -> tuple[Version, ...]:
    """Read versions, newest first whatever the order of the lines.

    Raises: ProtocolError, when a line is no version, or a number comes twice.
    """
    found = [_version(line, place) for line in _lines(text)]
    if len({version.number for version in found}) < len(found):
        raise ProtocolError(place, "a version is listed twice")
    return tuple(sorted(found, key=lambda version: -version.number))


def _lines(text: str) -> list[str]:
    lines = [line.strip(WHITE) for line in text.split("\n")]
    return [line for line in lines if line and not line.startswith("# ")]


def _entry_line(entry: Entry) -> str:
    shown = _written(entry.path.rstrip("/").rpartition("/")[2]) + ("/" if entry.kind == "folder" else "")
    return f"- [{shown}]({shown}){_remark(entry)}\n"


def _written(name: str) -> str:
    return _BROKEN.sub(lambda found: "%5D" if found[0] == "]" else encode(found[0]), name)


def _remark(entry: Entry) -> str:
    if entry.kind == "folder":
        return f" - {entry.count} {'document' if entry.count == 1 else 'documents'}"
    if entry.kind == "binary":
        return _BINARY
    title = " ".join(entry.title.split())[:_LONGEST_TITLE]
    return f" - {title}" if title else ""


def _entry(line: str, folder: str, place: str) -> Entry:
    name, remark = _parted(line, place)
    inner = name.removesuffix("/")
    if not inner or "/" in inner or inner in {".", ".."} or has_controls(inner):
        raise ProtocolError(place, f"a listed name is none: {name[:40]!r}")
    if name.endswith("/"):
        counted = _DOCUMENTS.fullmatch(remark.removeprefix(_REMARK))
        return Entry(folder + name, "folder", "", int(counted[1]) if counted else 0)
    if remark == _BINARY:
        return Entry(folder + name, "binary", "", 1)
    return Entry(folder + name, "document", remark.removeprefix(_REMARK) or name, 1)


def _parted(line: str, place: str) -> tuple[str, str]:
    """Name and remark: the first reading in which link text and target are one name."""
    found = line.startswith("- [") and len(line) <= _LONGEST_LINE
    end = line.find("](") if found else -1
    while end >= 0:
        name = line[3:end]
        remark = line[end + len(name) + 3 :]
        if line.startswith(f"{name})", end + 2) and (remark in {"", _BINARY} or remark.startswith(_REMARK)):
            return name, remark
        end = line.find("](", end + 1)
    raise ProtocolError(place, f"a line lists nothing: {line[:60]!r}")


def _version(line: str, place: str) -> Version:
    found = _VERSION.fullmatch(line)
    if not found:
        raise ProtocolError(place, f"a line names no version: {line[:60]!r}")
    number, time, size, content_hash, pruned = found.groups()
    return Version(int(number), time, int(size or 0), content_hash or "", bool(pruned))
