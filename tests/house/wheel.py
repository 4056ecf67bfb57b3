"""Builds the wheel, installs it into a fresh environment and asks it a question, as a user would.

Part of `make check` and not of the tests: it needs a package index and takes half a minute.
"""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.house.sources import PACKAGES, REPO

WHEELS = REPO / "build" / "wheel"
STORE = REPO / "fixtures" / "music"
QUERY = "Which older styles did tidewave grow out of, and what did it take from each?"
BUDGET = 400
MINUTES = 5


class WheelError(Exception):
    """The wheel is not what a user should get; the text says why."""


def build() -> Path:
    """The wheel of this checkout, built anew."""
    for old in WHEELS.glob("marklookup-*.whl"):
        old.unlink()
    pip(Path(sys.executable), "wheel", "--quiet", str(REPO), "--no-deps", "-w", str(WHEELS))
    (wheel,) = WHEELS.glob("marklookup-*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """Only the four packages and the metadata: no module called `server` beside other people's code."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    packages = {top for top in tops if not top.endswith(".dist-info")}
    if packages != set(PACKAGES) or len(tops) != len(packages) + 1:
        raise WheelError(f"the wheel installs {sorted(tops)}, not just {sorted(PACKAGES)}")


def install(wheel: Path, folder: Path) -> Path:
    """The `bin` of a fresh environment that holds the wheel and its runtime dependencies."""
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip(binaries / "python", "install", "--quiet", "-c", str(REPO / "constraints.txt"), str(wheel))
    return binaries


def query(binaries: Path, folder: Path) -> str:
    """What the installed command answers, started outside the checkout."""
    command = [str(binaries / "marklookup"), "lookup", QUERY, "--store", str(STORE), "--budget", str(BUDGET)]
    answer = run(command, folder)
    if not answer.startswith("status: ok\n") or "\n>>> /" not in answer:
        raise WheelError(f"no expanded answer from the installed wheel:\n{answer}")
    return answer


def pip(python: Path, *arguments: str) -> None:
    run([str(python), "-m", "pip", "--disable-pip-version-check", *arguments], REPO)


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=60 * MINUTES,
    )
    if done.returncode:
        raise WheelError(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    wheel = build()
    check_contents(wheel)
    with TemporaryDirectory() as name:
        folder = Path(name)
        answer = query(install(wheel, folder / "environment"), folder)
    blocks = answer.count("\n>>> /")
    sys.stdout.write(f"{wheel.name}: installed in a fresh environment, answered with {blocks} blocks\n")


if __name__ == "__main__":
    try:
        main()
    except WheelError as error:
        sys.exit(f"wheel: {error}")
