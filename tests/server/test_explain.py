"""`marklookup explain` through its command line: figures, reasons, terminal, files."""

import fcntl
import io
import json
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from rich.cells import cell_len

from mark_expand import Reason
from mark_server.cli import main
from mark_server.explanation.wording import REASONS
from tests.server.web import environment
from tests.store.tree import plant

QUERY = "Which policy replaced the signing policy of 1997?"
HOSTILE = "<script>alert(1)</script> tide [red]x[/red] 潮 \u202ea\u202c"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
DOCS = {
    "/a<b>.md": "---\nrel-by: b.md, gone.md\n---\n# <script>alert(1)</script> & [bold]tide[/bold]\n\ntide\n",
    "/b.md": "# 潮汐表と潮の満ち引きについての長い題名がここにある 🌊🧜\u200d♀️ tide\n\n潮 tide.\n\n"
    "## \u202etide\u202c שלום\n\ntide\n",
    "/c.md": f"# tide {'x' * 300}\n\ntide here\n",
    "/潮の満ち引き🌊とても長いファイル名がここにあります.md": "# 潮 tide </style>\n\ntide\n",
    "/big.md": f"# Big tide\n\n{'tide word ' * 2000}\n",
}
WIKI = {"/c.md": "# Wiki tide\n\nThe tide there.\n"}
SETTINGS = """\
[policy]
name = "knapsack"
[stores.docs]
address = "docs"
weight = 2
floor = 0.9
[stores.wiki]
address = "wiki"
minimum = 900
[stores.late]
address = "late"
"""


@pytest.fixture
def store(music_folder: Path, place: Path) -> list[str]:
    """The options that lead to the music world."""
    return ["--store", str(music_folder), "--data", str(place / "data")]


@pytest.fixture
def odd_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with three stores under a policy, one of them missing, and hostile titles."""
    plant(tmp_path / "docs", DOCS)
    plant(tmp_path / "wiki", WIKI)
    (tmp_path / "marklookup.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MARKLOOKUP_DATA", str(tmp_path / "data"))
    return tmp_path


def ran(*arguments: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, ["explain", *map(str, arguments)])


def explained(*arguments: str | Path) -> dict[str, Any]:
    result = ran(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.proves("EX2", "EX3")
def test_a_lookup_is_shown_as_bar_pieces_and_reasons(store: list[str]) -> None:
    result = ran(QUERY, "--budget", "500", "--limit", "2", *store)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot("""\
Query: Which policy replaced the signing policy of 1997?
449 of 500 tokens used, 51 left (o200k_base)
A▒▒▒▒▒B█████████████████████████C▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓D█████████E░░░░········

matches: 9

Where the tokens went
    piece                               header   text   notes   related   tokens
────────────────────────────────────────────────────────────────────────────────
A   envelope and table                             39                         39
B   /labels/signing-policy-1997.md/v1       23    109                30      162
    #north-star-signing-policy-of-199
    7
C   /labels/signing-policy-2016.md/v1       13     81      10        50      154
D   /labels/north%20star.md/v1              12     40      10                 62
E   last line: how many rows                       32                         32

    used                                                                     449
    left                                                                      51
    budget                                                                   500

What became of each row and related document
  row       outcome   tokens   location, reason
────────────────────────────────────────────────────────────────────────────────
    1   B   printed      132   /labels/signing-policy-1997.md/v1#north-star-sign
                               ing-policy-of-1997
                                 whole section
hop 1   C   printed       94   /labels/signing-policy-2016.md/v1
                                 opening text of the document; no more matched
                               or fitted
hop 2   D   printed       52   /labels/north%20star.md/v1
                                 opening text of the document; no more matched
                               or fitted
    2       covered      152   /labels/signing-policy-2016.md/v1#north-star-sign
                               ing-policy-of-2016
                                 printed already, all or part of it, in C

documents read: 3
""")


@pytest.mark.proves("EX1", "EX2", "EX6")
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "bytes"])
@pytest.mark.parametrize("options", [[], ["--detail", "excerpts"], ["--verbose"], ["--limit", "40"]])
@pytest.mark.parametrize("budget", [60, 500, 2000])
def test_pieces_add_up_to_the_very_tokens_of_the_lookup(
    store: list[str], encoding: str, options: list[str], budget: int
) -> None:
    asked = [QUERY, "--budget", str(budget), "--encoding", encoding, *options, *store]
    found = explained(*asked)
    text = CliRunner().invoke(main, ["lookup", *asked]).stdout
    from mark_outline import counter

    unit = counter(encoding)
    assert found["used"] == unit.tokens(unit.count(text))
    assert found["used"] == sum(item["tokens"] for item in found["items"])
    assert found["used"] + found["left"] == found["budget"] == budget
    for item in found["items"]:
        assert item["tokens"] == item["header"] + item["text"] + item["notes"] + item["related"]
    assert found["trace"] == json.loads(CliRunner().invoke(main, ["lookup", *asked, "--json"]).stdout)
    printed = [entry for entry in found["trace"]["entries"] if entry["outcome"] in ("printed", "stub")]
    blocks = [item for item in found["items"] if item["kind"] in ("block", "stub")]
    assert [entry["location"] for entry in printed] == [block["location"] for block in blocks]


@pytest.mark.proves("EX2")
@pytest.mark.parametrize("options", [[], ["--budget", "0"], ["--budget", "-5"], ["--json"]])
def test_without_a_budget_there_is_nothing_to_explain(tmp_path: Path, options: list[str]) -> None:
    # The folder is not there: what is asked is checked before it is opened.
    result = ran("tide", *options, "--store", tmp_path / "none", "--data", tmp_path / "data")
    assert (result.exit_code, result.stdout) == (2, "")
    line = "marklookup: explain needs a budget, whose spending it shows; for example --budget 1500\n"
    assert result.stderr == line


@pytest.mark.proves("EX2")
def test_a_detail_with_a_budget_of_its_own_needs_none(store: list[str]) -> None:
    assert explained(QUERY, "--detail", "excerpts", *store)["budget"] == 1000


@pytest.mark.proves("EX2")
@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["--budget", "1.5"], 2, "budget must be a whole number"),
        (["--budget", "500", "--url", "/nowhere"], 1, "/nowhere: not-found"),
        (["--budget", "500", "--filter", "x"], 2, "filter must be key=value"),
    ],
)
def test_what_a_lookup_refuses_is_one_line(
    store: list[str], options: list[str], code: int, line: str
) -> None:
    result = ran("tide", *options, *store)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith(f"marklookup: {line}")
    assert result.stderr.count("\n") == 1


@pytest.mark.proves("EX3")
def test_every_reason_has_words() -> None:
    assert set(REASONS) == set(get_args(Reason))
    assert all(words for reason, words in REASONS.items() if reason)


@pytest.mark.proves("EX3")
@pytest.mark.usefixtures("odd_stores")
def test_failed_stores_scores_and_what_a_policy_left_out_are_shown() -> None:
    result = ran("tide", "--budget", "1500")
    assert result.exit_code == 0, result.stderr
    assert "failed: late: " in result.stdout
    assert "its score is below the store's floor" in result.stdout
    assert "weight ×2" in result.stdout
    assert "event: minimum_unmet:wiki:" in result.stdout


@pytest.mark.proves("EX3")
def test_a_failed_fetch_and_the_fate_of_a_hop_are_told_in_words(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    plant(
        docs,
        {"/a.md": "---\nrel-by: gone.md, b.md#none\n---\n# Tide\n\ntide\n", "/b.md": "# B\n"},
    )
    found = ran("tide", "--budget", "900", "--store", docs, "--data", tmp_path / "data").stdout
    assert re.search(r"hop 1 +failed +/gone\.md\n +could not be read: not-found\n", found)
    assert re.search(r"hop 2 +failed +/b\.md/v1#none\n +there is no such section\n", found)
    assert re.search(r"[B-Z] +note on /gone\.md +\d+ +\d+\n", found)


@pytest.mark.proves("EX3")
def test_a_table_without_room_says_by_how_much_it_is_over(store: list[str]) -> None:
    found = explained(QUERY, "--budget", "20", "--verbose", *store)
    assert [item["kind"] for item in found["items"]] == ["head", "overspend"]
    assert found["left"] < 0
    shown = ran(QUERY, "--budget", "20", "--verbose", *store).stdout
    assert f"{found['used']} of 20 tokens used, {-found['left']} over" in shown
    assert "note: the table left no room" in shown


def in_a_terminal(columns: int, folder: Path, **variables: str) -> str:
    """What the command writes into a real terminal of this width; the missing store's line is left out."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in environment(folder / "data").items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, "-m", "mark_server", "explain", HOSTILE, "--budget", "1500"],
        cwd=folder,
        env={**kept, "TERM": "xterm-256color", **variables},
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        shown = b"".join(_chunks(terminal))
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n")


def _chunks(terminal: io.FileIO) -> Iterator[bytes]:
    while True:
        try:
            yield terminal.read(65536)
        except OSError:  # how Linux says that nobody is at the other end any more
            return


@pytest.mark.proves("EX4")
@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_colour_and_no_line_that_is_too_wide(odd_stores: Path, columns: int) -> None:
    shown = in_a_terminal(columns, odd_stores)
    plain = ESCAPE.sub("", shown)
    assert shown != plain
    assert "\x1b" not in plain
    assert max(cell_len(line) for line in plain.splitlines()) == columns
    assert "<script>alert(1)</script> tide [red]x[/red] 潮 %E2%80%AEa%E2%80%AC" in plain
    assert "[bold]tide[/bold]" in plain or columns == 80
    assert "\u202e" not in plain
    assert ESCAPE.sub("", in_a_terminal(columns, odd_stores, NO_COLOR="1")) == plain


@pytest.mark.proves("EX4")
@pytest.mark.usefixtures("odd_stores")
@pytest.mark.parametrize("columns", ["20", "60", "80", "200"])
def test_elsewhere_there_is_no_colour_and_columns_are_kept(
    monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = ran(HOSTILE, "--budget", "1500").stdout
    assert "\x1b" not in shown
    assert max(cell_len(line) for line in shown.splitlines()) <= int(columns)


@pytest.mark.proves("EX4")
def test_a_query_moves_no_cursor_and_makes_no_line(store: list[str]) -> None:
    shown = ran("tide\x1b[2J\r\n\x9b31m\x07 \u2028x", "--budget", "300", *store).stdout
    assert re.match(r"Query: tide \[2J 31m +x\n", shown)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", shown)


@pytest.mark.proves("EX5")
def test_a_page_is_written_once_and_again_only_by_force(store: list[str], tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    asked: list[str | Path] = [QUERY, "--budget", "500", *store, "--html", file]
    first = ran(*asked)
    assert (first.exit_code, first.stderr) == (0, "")
    assert re.fullmatch(
        rf"{re.escape(str(file))}: \d+ of 500 tokens used, \d+ left \(o200k_base\)\n", first.stdout
    )
    page = file.read_bytes()
    file.write_text("mine", encoding="utf-8")
    again = ran(*asked)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == f"marklookup: {file} exists; choose another name, or give --force\n"
    assert file.read_text(encoding="utf-8") == "mine"
    assert ran(*asked, "--force").exit_code == 0
    assert file.read_bytes() == page
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.proves("EX5")
def test_force_follows_a_link_and_spares_what_is_no_file(store: list[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "real.html").write_text("old", encoding="utf-8")
    (tmp_path / "link.html").symlink_to("real.html")
    asked = [QUERY, "--budget", "500", *store, "--force", "--html"]
    assert ran(*asked, tmp_path / "link.html").exit_code == 0
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    for wrong, line in (("folder", "is no file"), ("none/x.html", "No such file")):
        result = ran(*asked, tmp_path / wrong)
        assert (result.exit_code, result.stdout) == (1, "")
        assert line in result.stderr
    assert ran(*asked[:-1]).stderr.endswith("--force goes with --html FILE\n")


@pytest.mark.proves("EX5")
def test_a_page_that_cannot_be_written_is_said_before_anything_is_looked_up(tmp_path: Path) -> None:
    result = ran("x", "--budget", "9", "--store", tmp_path / "none", "--html", tmp_path / "no" / "page.html")
    assert result.exit_code == 1
    assert "its folder does not exist" in result.stderr
