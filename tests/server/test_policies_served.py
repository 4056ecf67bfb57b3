"""Policies and limits of a settings file, through the real command line and a spawned server."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent

from tests.server.web import environment

BUDGET = "700"


@dataclass(frozen=True, slots=True)
class World:
    """A folder with two stores and a settings file, asked through processes."""

    folder: Path
    data: Path

    def configure(self, policy: str, docs: str = "", wiki: str = "") -> None:
        """Write the settings file; a section is lines divided by `;`."""
        lines = [
            "[policy]",
            *policy.split(";"),
            *("[stores.docs]", 'address = "docs"', *docs.split(";")),
            *("[stores.wiki]", 'address = "wiki"', *wiki.split(";")),
        ]
        (self.folder / "marklookup.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def lookup(self, *options: str, budget: str = BUDGET) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mark_server", "lookup", "ferry", "--budget", budget, *options],
            cwd=self.folder,
            env=environment(self.data),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def text(self, *options: str) -> str:
        done = self.lookup(*options)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def trace(self, *options: str) -> dict[str, list[dict[str, object]]]:
        found: dict[str, list[dict[str, object]]] = json.loads(self.text("--json", *options))
        return found

    async def served(self) -> str:
        """The same lookup by a client of a spawned server."""
        command = [sys.executable, "-m", "mark_server", "serve"]
        # A server has no working folder of its own choosing: its settings file is named.
        config = ["--config", str(self.folder / "marklookup.toml")]
        parameters = StdioServerParameters(
            command=command[0], args=[*command[1:], *config], env=environment(self.data), cwd=str(self.folder)
        )
        async with Client(parameters) as client:
            result = await client.call_tool("mark_lookup", {"query": "ferry", "budget": int(BUDGET)})
        (block,) = result.content
        assert isinstance(block, TextContent)
        assert not result.is_error, block.text
        return block.text


@pytest.fixture
def world(tmp_path: Path) -> World:
    for store, word in (("docs", "timetable"), ("wiki", "history")):
        (tmp_path / "folder" / store).mkdir(parents=True)
        for number in range(5):
            body = f"# Ferry {word} {number}\n\n" + f"The ferry has its {word} here, page {number}. " * 6
            (tmp_path / "folder" / store / f"{number}.md").write_text(body, encoding="utf-8")
    (tmp_path / "folder" / "docs" / "index.md").write_text("# Index\n\nWhere to begin.\n", encoding="utf-8")
    return World(tmp_path / "folder", tmp_path / "data")


def heads(text: str, store: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f">>> mark://{store}/")]


@pytest.mark.proves("PO20")
async def test_a_settings_file_rules_command_line_and_server_alike(world: World) -> None:
    world.configure('name = "knapsack"', docs='cap = 150;pins = ["/index.md"]')
    text = world.text()
    assert heads(text, "docs")[0].startswith(">>> mark://docs/index.md/v1")
    assert len(heads(text, "docs")) == 2
    assert len(heads(text, "wiki")) > 2
    assert await world.served() == text
    trace = world.trace()
    reasons = {str(entry["reason"]) for entry in trace["entries"] if entry["source"] == "docs"}
    assert {"", "source_cap"} <= reasons <= {"", "source_cap", "budget"}


@pytest.mark.proves("PO20", "PO9")
def test_slots_and_everything_by_option_over_the_same_stores(world: World) -> None:
    world.configure('name = "rank"', docs='share = "1/4"', wiki='share = "3/4"')
    assert world.lookup("--policy", "everything").returncode == 2
    text = world.text("--policy", "slots", "--limit", "20")
    # 175 tokens for docs, which stands first, and 525 for wiki.
    assert 0 < len(heads(text, "docs")) < len(heads(text, "wiki"))
    blocks = [line for line in text.splitlines() if line.startswith(">>> mark://")]
    assert blocks == heads(text, "docs") + heads(text, "wiki")
    world.configure('name = "rank"')
    done = world.lookup("--policy", "everything")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("marklookup: policy everything, beside ")
    assert " tokens do not fit into 700: mark://" in done.stderr
    assert done.stderr.count(" tokens)") == 10
    assert done.stderr.count("\n") == 1
    traced = world.lookup("--policy", "everything", "--json")
    assert (traced.returncode, traced.stdout, traced.stderr) == (2, "", done.stderr)
    for budget in ("150", BUDGET):
        refused = world.lookup("--policy", "everything", budget=budget)
        proposed = refused.stderr.partition("for example budget=")[2].partition(",")[0]
        whole = world.lookup("--policy", "everything", budget=proposed)
        assert (refused.returncode, whole.returncode, whole.stderr) == (2, 0, "")


@pytest.mark.proves("PO20", "PO7")
def test_rank_without_limits_is_the_interleaving_of_the_stores(world: World) -> None:
    world.configure('name = "rank"', wiki="weight = 3")
    text = world.text()
    blocks = [line.split("/")[2] for line in text.splitlines() if line.startswith(">>> mark://")]
    assert blocks[0] == "wiki"
    world.configure('name = "rank"', docs="minimum = 60", wiki="weight = 3")
    assert next(line for line in world.text().splitlines() if line.startswith(">>> mark://")).startswith(
        ">>> mark://docs/"
    )


@pytest.mark.proves("PO13", "PO20")
@pytest.mark.parametrize("command", [("lookup", "ferry"), ("serve",)])
def test_a_file_whose_limits_its_policy_would_ignore_is_refused_at_once(
    world: World, command: tuple[str, ...]
) -> None:
    world.configure('name = "everything"', docs="cap = 100")
    done = subprocess.run(
        [sys.executable, "-m", "mark_server", *command],
        cwd=world.folder,
        env=environment(world.data),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "marklookup: policy everything: docs: cap is 100; allowed: "
        "none with the policy everything, unless it truncates\n"
    )


@pytest.mark.proves("PO11")
def test_pins_that_do_not_fit_are_one_line_and_exit_code_2(world: World) -> None:
    world.configure('name = "rank"', docs='pins = ["/index.md", "/1.md"]')
    done = world.lookup(budget="1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("marklookup: policy rank: pinned: ")
    assert done.stderr.endswith("; give a larger budget\n")
