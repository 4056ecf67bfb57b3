"""Reads the commands that the documentation shows, so that they can be run.

A block fenced as ```sh holds commands, one a line; a line that ends in a backslash goes on. Output stands in
a block of its own (```text). What cannot be run everywhere (placeholders, installation, the configuration
of a client) is shown in a block of another kind (```console, ```json). Lines that begin with `make`, `git`,
`cd`, `pip`, `pipx`, `uv` or `#` are not run.
"""

import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXEMPT = re.compile(r"(?:make|git|cd|pip|pipx|uv)\b|#|$")


def commands(text: str) -> Iterator[str]:
    """Give each command of the sh blocks of a page that is to be run."""
    for block in _BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if not _EXEMPT.match(line.strip()):
                yield line.strip()


def shown(repo: Path) -> list[tuple[str, str]]:
    """Every command of README and docs with the page that shows it."""
    pages = [repo / "README.md", *sorted((repo / "docs").rglob("*.md"))]
    return [
        (page.relative_to(repo).as_posix(), command)
        for page in pages
        for command in commands(page.read_text(encoding="utf-8"))
    ]
