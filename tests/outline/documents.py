"""Documents for properties: built from lines that mean something, and the real ones at hand."""

import tarfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

from mark_outline import front_matter
from tests.conftest import REPO

_LINES = (
    *(
        "# One",
        "## One",
        "# *two* `x`",
        "## Trois é {#x}",
        "### 漢字 🚀",
        "# 🚀",
        "#",
        "Title\n===",
        "sub\n---",
    ),
    *(
        "text",
        "It's 12 o'clock.",
        "",
        "",
        "  ",
        "- item",
        "  - # in",
        "> # quoted",
        "```\n# no\n```",
        "    code",
    ),
    *(
        "/path\n---",
        "\r/x",
        "a\rb",
        "\ufeff",
        "\0",
        "\t",
        "\u2028",
        "\x0b",
        "\u00a0",
        "<!-- c",
        "-->",
        "[a]: /b",
    ),
    *("word " * 30, "x\r", "<|endoftext|>", "中文合約轉換體驗課問題。", "https://e.example/a/b?c=d"),
)

bodies = st.lists(
    st.tuples(st.sampled_from(_LINES), st.sampled_from(("\n", "\n\n", "\r\n", "\n\n\n"))).map("".join),
    max_size=14,
).map("".join)
"""Bodies with headings, odd characters and every line end."""


def fixture_bodies() -> list[str]:
    """Give the bodies of the project's own example documents."""
    files = sorted((REPO / "fixtures").rglob("*.md"))
    return [front_matter(path.read_bytes().decode("utf-8")).body for path in files]


def tree_bodies(shared: Path, stride: int) -> Iterator[str]:
    """Give the bodies of every `stride`-th document of the real trees beside the checkout."""
    for archive in sorted((shared / "eval" / "trees").glob("*.tar.gz")):
        with tarfile.open(archive) as tree:
            names = sorted(name for name in tree.getnames() if name.endswith(".md"))
            for name in names[::stride]:
                if member := tree.extractfile(name):
                    yield front_matter(member.read().decode("utf-8", "replace")).body
