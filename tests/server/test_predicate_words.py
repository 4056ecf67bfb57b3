"""Words of a user's settings file by which questions ask for predicates, through command line and servers."""

import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent

from mark_expand import PredicateWords
from mark_server.cli import main
from mark_server.configuration import configured
from mark_server.predicate_words import MOST_PREDICATES, MOST_WORDS
from mark_server.settings import Settings
from tests.conftest import REPO
from tests.server.web import environment, web

QUESTION = "Feribot neye muhtaç?"
WORDS = '[predicates]\nrequires = ["muhtac"]\n'
SEED, OTHER, CITED, REQUIRED = (f">>> /{name}.md" for name in ("feribot", "tarife", "cited", "required"))


@dataclass(frozen=True, slots=True)
class Harbour:
    """A folder whose strongest document cites one document and requires another, asked through processes."""

    folder: Path
    data: Path

    def configure(self, text: str) -> Path:
        file = self.folder / "marklookup.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mark_server", *command],
            cwd=self.folder,
            env=environment(self.data),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def headers(self, *options: str) -> list[str]:
        done = self.run("lookup", QUESTION, "--budget", "900", *options)
        assert (done.returncode, done.stderr) == (0, "")
        return headers(done.stdout)


def headers(text: str) -> list[str]:
    """Headers without version and anchor."""
    return [found[0] for found in re.finditer(r"^>>> /\w+\.md(?=/v1)", text, re.MULTILINE)]


@pytest.fixture
def harbour(tmp_path: Path) -> Harbour:
    folder = tmp_path / "docs"
    folder.mkdir()
    relations = "---\nrel-cites: /cited.md\nrel-requires: /required.md\n---\n"
    for name, text in {
        "feribot": f"{relations}# Feribot\n\nFeribot muhtaç, feribot limana gelir.\n",
        "tarife": "# Tarife\n\nHer sabah bir feribot kalkar; saatler mevsime, hava durumuna ve yola kalır.\n",
        "cited": "# A song\n\nOf the sea.\n",
        "required": "# A pier\n\nOf stone.\n",
    }.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return Harbour(folder, tmp_path / "data")


@pytest.mark.proves("HP4")
def test_a_word_of_the_settings_file_brings_what_it_asks_for_first(harbour: Harbour) -> None:
    assert harbour.headers() == [SEED, CITED, REQUIRED, OTHER]
    assert harbour.headers("--hop", "auto") == [SEED, OTHER, CITED, REQUIRED]
    harbour.configure(WORDS)
    assert harbour.headers() == [SEED, REQUIRED, CITED, OTHER]
    assert harbour.headers("--hop", "auto") == [SEED, REQUIRED, CITED, OTHER]
    harbour.configure('[predicates]\ncites = ["neye bağlı", "needs"]\n')
    assert harbour.headers("--hop", "auto") == [SEED, OTHER, CITED, REQUIRED]


@pytest.mark.proves("HP4")
async def test_servers_answer_with_the_same_words(harbour: Harbour) -> None:
    config = ["--config", str(harbour.configure(WORDS)), "--hop", "auto"]
    asked = {"query": QUESTION, "budget": 900}
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mark_server", "serve", str(harbour.folder), *config],
        env=environment(harbour.data),
    )
    async with Client(parameters) as client:
        by_stdio = (await client.call_tool("mark_lookup", asked)).content
    async with web(harbour.folder, harbour.data, *config) as served, Client(served.url) as client:
        by_http = (await client.call_tool("mark_lookup", asked)).content
    for (block,) in (by_stdio, by_http):
        assert isinstance(block, TextContent)
        assert headers(block.text) == [SEED, REQUIRED, CITED, OTHER]


@pytest.mark.proves("HP4", "CF4")
def test_the_words_are_among_the_settings_in_force(harbour: Harbour) -> None:
    plain = harbour.run("config").stdout
    assert "predicates" not in plain
    text = f'{WORDS}"rel 文\\"" = ["x"]\n'.replace("rel 文", "依赖").replace(
        '["x"]', '["取决于", "CO₂ \\" n"]'
    )
    file = harbour.configure(text)
    printed = harbour.run("config", "--page", "400").stdout
    assert f'\n[predicates]\nrequires = ["muhtac"]  # {file}:2\n' in printed
    assert tomllib.loads(printed)["predicates"] == tomllib.loads(text)["predicates"]
    told = json.loads(harbour.run("config", "--json").stdout)
    assert told["predicates"] == tomllib.loads(text)["predicates"]
    kept = configured(file).predicates
    assert hash(Settings(predicates=kept)) == hash(Settings(predicates=PredicateWords(kept.own)))
    assert configured(harbour.configure(printed)).predicates == kept


@pytest.mark.proves("HP4", "CF3")
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "[predicates]\n\nrel-requires = ['needs']",
            3,
            "a predicate stands without rel-; did you mean requires?",
        ),
        ("[predicate]\nrequires = ['needs']", 1, "unknown key predicate; did you mean predicates?"),
        ("predicates = ['needs']", 1, "predicates is a section; write [predicates] on a line of its own"),
        ("[predicates]\n'' = ['needs']", 2, "a key of [predicates] must be the name of a predicate, 1 to 60"),
        (
            "[predicates]\n'a b' = ['needs']",
            2,
            "a key of [predicates] must be the name of a predicate, 1 to 60",
        ),
        (f"[predicates]\n{'a' * 61} = ['needs']", 2, "a key of [predicates] must be the name of a predicate"),
        ("[predicates]\nBy = ['belongs']\nby = ['needs']", 3, "by and By are one predicate; write it once"),
        (
            "[predicates]\nby = 'needs'",
            2,
            "by must be a list of 1 to 50 words, each of at most 60 characters, g",
        ),
        (
            "[predicates]\nby = []",
            2,
            "by must be a list of 1 to 50 words, each of at most 60 characters, got []; ",
        ),
        ("[predicates]\nby = ['needs', 1]", 2, "by must be a list of 1 to 50 words"),
        ("[predicates]\nby = ['needs', ' ']", 2, "by must be a list of 1 to 50 words"),
        (f"[predicates]\nby = ['{'n' * 61}']", 2, "by must be a list of 1 to 50 words"),
        (f"[predicates]\nby = {['needs'] * (MOST_WORDS + 1)}", 2, "by must be a list of 1 to 50 words"),
        ("[predicates.by]\nneeds = 1", 1, "by must be a list of 1 to 50 words"),
        (
            "[predicates]\nby = ['von']",
            2,
            "by must have words that say more than one letter or a stop word, got von",
        ),
        (
            "[predicates]\nby = ['x']",
            2,
            "by must have words that say more than one letter or a stop word, got x;",
        ),
        (
            "[predicates]\nby = ['?!']",
            2,
            "by must have words that say more than one letter or a stop word, got ?!",
        ),
        (
            "[predicates]\n" + "".join(f"p{n} = ['needs']\n" for n in range(MOST_PREDICATES + 1)),
            MOST_PREDICATES + 2,
            "[predicates] holds at most 100 predicates",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_file_and_line(
    harbour: Harbour, monkeypatch: pytest.MonkeyPatch, text: str, line: int, said: str
) -> None:
    file = harbour.configure(text)
    monkeypatch.chdir(harbour.folder)
    done = CliRunner().invoke(main, ["lookup", QUESTION])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"marklookup: {file}:{line}: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.proves("HP4", "CF7")
def test_the_section_is_documented_and_the_example_has_it(tmp_path: Path) -> None:
    page = (REPO / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "x.toml").write_text(example, encoding="utf-8")
    assert dict(configured(tmp_path / "x.toml").predicates.own)["requires"] == (
        "braucht",
        "hängt ab von",
        "muhtaç",
    )
    assert f"at most {MOST_PREDICATES} predicates" in page
    assert f"at most {MOST_WORDS} words" in page
