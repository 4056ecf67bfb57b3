"""The example in docs/store.md runs as it stands."""

import subprocess
import sys
import textwrap
from pathlib import Path


def test_the_example_runs(repo: Path, data: Path) -> None:
    text = (repo / "docs" / "store.md").read_text(encoding="utf-8")
    start = text.index("    import anyio")
    example = textwrap.dedent(text[start : text.index("`open` returns")])
    environment = {"MARKLOOKUP_DATA": str(data), "PATH": ""}
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=repo, env=environment, capture_output=True, text=True, check=True)
    path, *_, version = done.stdout.split()
    assert (path, version) == ("/store.md", "1")
