"""Every command that README and docs show is run, in a copy of the checkout's documents, and works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPO
from tests.server.documented import commands, shown
from tests.server.web import environment


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader of the documentation has before them, where nothing can be harmed."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(REPO / "fixtures", folder / "fixtures")
    for page in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(REPO / page, folder / page)
    shutil.copytree(REPO / "docs", folder / "docs")
    return folder


@pytest.mark.proves("T18")
@pytest.mark.parametrize(("page", "command"), shown(REPO))
def test_a_command_that_is_shown_works(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, page: str, command: str
) -> None:
    data = tmp_path_factory.getbasetemp() / "documented"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", command],
        cwd=checkout,
        env={**environment(data), "PATH": path},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{page}: {command}\n{done.stderr.decode()}"


@pytest.mark.proves("T18")
def test_commands_are_read_as_the_convention_says() -> None:
    page = "\n".join(
        [
            *("```sh", "make demo", "marklookup list \\", "  /adr", "", "# a comment", "git clone x", "```"),
            *("```console", "$ marklookup fetch /<path>", "```", "```sh", "makefile", "```"),
        ]
    )
    assert list(commands(page)) == ["marklookup list    /adr", "makefile"]
    assert any(name == "docs/tools.md" for name, _ in shown(REPO))
