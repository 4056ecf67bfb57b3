"""The command line: results are the tools', errors are one line, and help costs nothing."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from mark_server.arguments import ToolName, checked
from mark_server.calls import call
from mark_server.cli import main
from mark_server.desk import Desk
from tests.server.web import environment, measured_by_nobody

QUERY = "Which policy replaced the signing policy of 1997?"


@pytest.fixture
def store(music_folder: Path, place: Path) -> list[str]:
    """The options that lead to the music world."""
    return ["--store", str(music_folder), "--data", str(place / "data")]


def ran(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def spawned(
    data: Path, *arguments: str | Path | bytes, module: str = "mark_server", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        command,
        env={**environment(data), **variables},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.proves("T15")
@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("mark_lookup", {"query": QUERY}, ["lookup", QUERY]),
        (
            "mark_lookup",
            {"query": QUERY, "budget": 700, "limit": 5, "offset": 1, "filter": "type=policy"},
            *[["lookup", QUERY, "--budget=700", "--limit=5", "--offset=1", "--filter=type=policy"]],
        ),
        (
            "mark_lookup",
            {"query": "tidewave", "url": "/genres", "match": "catalog", "verbose": True},
            ["lookup", "tidewave", "--url", "/genres", "--match", "catalog", "--verbose"],
        ),
        ("mark_fetch", {"url": "/bands/todaimori.md"}, ["fetch", "/bands/todaimori.md"]),
        (
            "mark_fetch",
            {"url": "/bands/pale-ferrymen.md", "budget": 90, "start": 40},
            ["fetch", "/bands/pale-ferrymen.md", "--budget", "90", "--start", "40"],
        ),
        (
            "mark_fetch",
            {"url": "/bands/pale-ferrymen.md", "force": True, "verbose": True},
            ["fetch", "/bands/pale-ferrymen.md", "--force", "--verbose"],
        ),
        ("mark_list", {}, ["list"]),
        ("mark_list", {"url": "/bands", "page_size": 2}, ["list", "/bands", "--page-size", "2"]),
        ("mark_versions", {"url": "/notes/rumours.md"}, ["versions", "/notes/rumours.md"]),
    ],
)
async def test_output_is_the_tool_s_result_byte_for_byte(
    music_desk: Desk,
    store: list[str],
    place: Path,
    tool: ToolName,
    given: dict[str, object],
    command: list[str],
) -> None:
    from anyio import to_thread

    done = await to_thread.run_sync(lambda: spawned(place / "data", *command, *store))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == await call(music_desk, checked(tool, given))


@pytest.mark.proves("T15")
def test_output_is_the_same_in_a_terminal_of_another_encoding(store: list[str], place: Path) -> None:
    plain = spawned(place / "data", "fetch", "/bands/todaimori.md", *store)
    ascii_only = spawned(
        place / "data", "fetch", "/bands/todaimori.md", *store, PYTHONIOENCODING="ascii", LC_ALL="C"
    )
    assert (ascii_only.returncode, ascii_only.stdout, ascii_only.stderr) == (0, plain.stdout, b"")
    trace = spawned(
        place / "data", "lookup", "灯台森", "--budget=300", "--json", *store, PYTHONIOENCODING="ascii"
    )
    assert (trace.returncode, trace.stderr) == (0, b"")
    error = spawned(place / "data", "lookup", "x", "--limit=十", *store, PYTHONIOENCODING="ascii")
    assert error.stderr.decode().endswith("got 十; for example limit=10\n")


@pytest.mark.proves("T15")
def test_a_reader_that_leaves_early_causes_no_traceback(place: Path, music_folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mark_server",
        "lookup",
        "*",
        "--limit=1000",
        "--store",
        str(music_folder),
    ]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        done = subprocess.run(
            command, env=environment(place / "data"), stdout=nobody, stderr=subprocess.PIPE, check=False
        )
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.proves("T15")
def test_a_status_other_than_ok_is_printed_and_is_exit_code_1(store: list[str]) -> None:
    result = ran("fetch", "/nowhere.md", *store)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "status: not-found\n", "")


@pytest.mark.proves("T15")
def test_a_trace_that_cannot_be_made_is_one_line(store: list[str]) -> None:
    result = ran("lookup", "x", "--url", "/nowhere", "--budget", "500", "--json", *store)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "marklookup: /nowhere: not-found\n"


@pytest.mark.proves("T4", "T15")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["lookup", " "], "query is required and must not be empty; for example query="),
        (["lookup", "x", "--budget", "1.5"], "budget must be a whole number of tokens up to "),
        (["lookup", "x", "--limit", "0"], "limit must be a whole number from 1 to 1000, got 0; "),
        (["lookup", "x", "--filter", "tag"], "filter must be key=value pairs divided by commas"),
        (["lookup", "x", "--filter", "tag", "--json", "--budget=9"], "filter must be key=value pairs"),
        (
            ["lookup", "x", "--json"],
            "--json needs a budget, whose spending it shows; for example --budget 1500",
        ),
        (
            ["fetch", "/notes/rumours.md#x"],
            "section #x not found in /notes/rumours.md; available anchors: none",
        ),
        (["list", "--cursor", "x"], "cursor must be the cursor of the page before"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(
    store: list[str], command: list[str], line: str
) -> None:
    result = ran(*command, *store)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"marklookup: {line}")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.proves("T15")
def test_a_server_is_of_one_kind(store: list[str]) -> None:
    result = ran("serve", store[1], "--mark", "127.0.0.1:0", "--http", "127.0.0.1:0")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "marklookup: a server has one of --mark and --http; start one for each\n"


@pytest.mark.proves("T15")
@pytest.mark.parametrize("command", [["lookup"], ["fetch"], ["nonsense"], ["lookup", "x", "--nope"], []])
def test_wrong_usage_is_exit_code_2_and_shows_the_usage(command: list[str]) -> None:
    result = ran(*command)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")


@pytest.mark.proves("T13")
@pytest.mark.parametrize("command", [["serve"], ["index"], ["lookup", "x", "--store"], ["list", "--store"]])
@pytest.mark.parametrize("kind", ["missing", "file", "loop", "long name"])
def test_a_folder_that_cannot_be_read_is_one_line_and_exit_code_1(
    tmp_path: Path, command: list[str], kind: str
) -> None:
    folder = tmp_path / ("x" * 300 if kind == "long name" else "folder")
    if kind == "file":
        folder.write_text("# A file\n", encoding="utf-8")
    if kind == "loop":
        folder.symlink_to(folder)
    result = ran(*command, folder, "--data", tmp_path / "data")
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(
        rf"marklookup: {re.escape(str(folder))}: [^\n]+; give a folder of markdown that can be read\n",
        result.stderr,
    )


@pytest.mark.proves("T13")
@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read and write everything")
def test_permissions_are_respected(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    assert ran("index", closed, "--data", tmp_path / "data").exit_code == 1
    (tmp_path / "world").mkdir()
    assert ran("index", tmp_path / "world", "--data", closed).exit_code == 1


@pytest.mark.proves("T13")
@pytest.mark.parametrize("kind", ["file", "below a file", "nowhere to write"])
def test_a_data_folder_that_cannot_be_used_is_one_line_and_exit_code_1(tmp_path: Path, kind: str) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    world.mkdir()
    if kind == "nowhere to write":
        data = Path("/proc/nowhere")
    else:
        data.write_text("a file", encoding="utf-8")
        data = data / "below" if kind == "below a file" else data
    for command in (["index"], ["serve"], ["lookup", "x", "--store"]):
        result = ran(*command, world, "--data", data)
        assert (result.exit_code, result.stdout) == (1, "")
        assert re.fullmatch(
            r"marklookup: [^\n]+; name another place for the index with --data or MARKLOOKUP_DATA\n",
            result.stderr,
        )


@pytest.mark.proves("T13")
def test_a_damaged_version_log_is_set_aside_and_told(tmp_path: Path) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    world.mkdir()
    (world / "a.md").write_text("# A\n", encoding="utf-8")
    ran("index", world, "--data", data)
    (log,) = data.rglob("versions.db")
    for side in ("-wal", "-shm"):
        Path(f"{log}{side}").unlink(missing_ok=True)
    log.write_bytes(b"no database" * 1000)
    result = ran("index", world, "--data", data)
    assert result.exit_code == 0
    assert result.stdout.startswith("1 documents, 1 sections")
    assert re.search(r"^warning: /: [^\n]*versions\.db", result.stderr, re.MULTILINE)


@pytest.mark.proves("T15")
def test_the_trace_tells_what_was_spent(store: list[str]) -> None:
    result = ran("lookup", QUERY, "--budget", "500", "--json", *store)
    assert result.exit_code == 0
    trace = json.loads(result.stdout)
    assert trace["budget"] == 500
    assert trace["tokens"] <= 500


def test_an_outline_needs_no_index(music_folder: Path) -> None:
    result = ran("outline", music_folder / "bands" / "red-buoy.md")
    assert result.exit_code == 0
    assert result.stdout.replace(str(music_folder), "") == snapshot("""\
- Красный буй (Red Buoy) (#красный-буй-red-buoy, 14 lines)
  - История (#история, 6 lines)
  - Правило фонаря (#правило-фонаря, 4 lines)
""")
    assert ran("outline", music_folder / "notes" / "unwritten.md").exit_code == 0


def test_an_outline_of_no_file_is_one_line(music_folder: Path) -> None:
    result = ran("outline", music_folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr
        == f"marklookup: {music_folder}: Is a directory; give a markdown file that can be read\n"
    )
    assert ran("outline", music_folder / "no\0.md").exit_code in (1, 2)


@pytest.mark.proves("T16")
def test_index_counts_and_warns(tmp_path: Path) -> None:
    world = tmp_path / "world"
    world.mkdir()
    (world / "a.md").write_text("# A\n\n## B\n", encoding="utf-8")
    (world / "broken\n.md").write_bytes(b"---\nkey: [\n---\n# C\n\nquark \xff\n")
    (world / "link.md").symlink_to("/etc/hostname")
    result = ran("index", world, "--data", tmp_path / "data")
    assert result.exit_code == 0
    counts = r"2 documents, 3 sections, \d+\.\d MB in \S+, \d+\.\d s\n"
    assert re.fullmatch(counts, result.stdout)
    warnings = result.stderr.splitlines()
    assert all(line.startswith("warning: /") for line in warnings)
    assert {line.split(": ")[1] for line in warnings} == {"/broken%0A.md", "/link.md"}


@pytest.mark.proves("T16")
def test_index_draws_its_progress_on_a_terminal_only(tmp_path: Path, music_folder: Path) -> None:
    pty = pytest.importorskip("pty")
    reading, terminal = pty.openpty()
    command = [sys.executable, "-m", "mark_server", "index", str(music_folder)]
    subprocess.run(
        command, env=environment(tmp_path), stderr=terminal, stdout=subprocess.DEVNULL, check=True, timeout=60
    )
    os.close(terminal)
    assert b"Indexing" in os.read(reading, 65536)
    os.close(reading)


def test_variables_stand_for_options(music_folder: Path, place: Path) -> None:
    done = spawned(
        place / "data", "list", "/labels", MARKLOOKUP_STORE=str(music_folder), MARKLOOKUP_ENCODING="bytes"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"(/labels/north%20star.md)" in done.stdout


@pytest.mark.proves("T17")
def test_help_imports_neither_the_protocol_nor_the_store(tmp_path: Path) -> None:
    probe = (
        "import sys; from mark_server.cli import main; main(['--help'], standalone_mode=False);"
        "print([m for m in sys.modules if m.split('.')[0] in"
        " ('mcp', 'mcp_types', 'mark_store', 'mark_expand', 'mark_outline', 'anyio', 'pydantic', 'splintr')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], env=environment(tmp_path), capture_output=True, check=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", [None, *main.commands])
def test_every_command_has_help(command: str | None) -> None:
    result = ran(*([command] if command else []), "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")
    assert result.stdout == ran(*([command] if command else []), "-h").stdout


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"marklookup \d+\.\d+\.\d+\n", ran("--version").stdout)


@pytest.mark.proves("T18")
def test_every_command_and_option_is_documented(repo: Path) -> None:
    pages = ("tools.md", "configuration.md", "callers.md")
    page = "".join((repo / "docs" / name).read_text(encoding="utf-8") for name in pages)
    missing = [name for name, command in main.commands.items() if f"### `marklookup {name}" not in page]
    for command in main.commands.values():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                missing += [name for name in parameter.opts if f"`{name}" not in page]
            if isinstance(parameter.envvar, str) and f"`{parameter.envvar}`" not in page:
                missing.append(parameter.envvar)
    assert missing == []


@pytest.mark.proves("T18")
def test_every_tool_and_argument_is_documented(repo: Path) -> None:
    from mark_server.descriptions import DESCRIPTIONS

    page = (repo / "docs" / "tools.md").read_text(encoding="utf-8")
    names = [name for tool, (_, schema) in DESCRIPTIONS.items() for name in (tool, *schema["properties"])]
    assert [name for name in names if f"`{name}`" not in page] == []


def titled(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n\ntide\n", encoding="utf-8")
    return folder


@pytest.mark.proves("T15")
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["/a.md", "/drafts/c.md"]),
        (("--no-ignore",), ["/a.md", "/b.md", "/drafts/c.md"]),
        (("--exclude", "drafts/**"), ["/a.md"]),
        (("--include", "drafts/**"), ["/drafts/c.md"]),
    ],
)
def test_options_choose_the_files_that_are_read(
    tmp_path: Path, options: tuple[str, ...], found: list[str]
) -> None:
    world = titled(tmp_path / "world", "a.md", "b.md", "drafts/c.md")
    (world / ".gitignore").write_text("b.md\n", encoding="utf-8")
    result = ran("lookup", "tide", "--store", world, "--data", tmp_path / "data", *options)
    rows = re.findall(r"^\| (/[^ #]+)", result.stdout, re.MULTILINE)
    assert sorted(rows) == found


@pytest.mark.proves("T15")
def test_a_version_that_is_kept_no_more_is_told_and_the_log_still_holds(tmp_path: Path) -> None:
    world = titled(tmp_path / "world", "a.md")
    options = ("--store", world, "--data", tmp_path / "data", "--keep", "1")
    ran("fetch", "/a.md", *options)
    (world / "a.md").write_text("# A\n\nebb, not tide\n", encoding="utf-8")
    assert ran("fetch", "/a.md", *options).stdout.startswith("status: ok\nversion: 2\n")
    pruned = ran("fetch", "/a.md/v1", *options)
    assert pruned.exit_code == 1
    assert pruned.stdout == "status: archived\n\n/a.md/v1 is kept no more, as the retention setting says\n"
    assert ran("versions", "/a.md", *options).stdout.endswith(" - pruned\n")
    verified = ran("versions", "--verify", *options)
    assert verified.exit_code == 0
    assert verified.stdout.startswith("1 documents, 2 versions (1 pruned), 0 findings, head ")


@pytest.mark.proves("T15")
def test_a_version_log_that_was_changed_is_found_out(tmp_path: Path) -> None:
    options = ("--store", titled(tmp_path / "world", "a.md"), "--data", tmp_path / "data")
    ran("fetch", "/a.md", *options)
    (log,) = (tmp_path / "data").rglob("versions.db")
    with closing(sqlite3.connect(log, isolation_level=None)) as connection:
        connection.execute("UPDATE entry SET size=size+1")
    result = ran("versions", "--verify", *options)
    assert result.exit_code == 1
    assert "the chain is broken at this entry" in result.stdout


@pytest.mark.proves("T15")
def test_a_document_that_was_renamed_names_its_other_path(tmp_path: Path) -> None:
    world = titled(tmp_path / "world", "a.md")
    options = ("--store", world, "--data", tmp_path / "data")
    ran("fetch", "/a.md", *options)
    (world / "a.md").rename(world / "b.md")
    assert "\nmoved-from: /a.md/v1\n" in ran("versions", "/b.md", *options).stdout
    assert "\nmoved-to: /b.md/v1\n" in ran("versions", "/a.md", *options).stdout


@pytest.mark.proves("T13")
def test_a_full_disk_is_one_line_and_not_waited_for(tmp_path: Path) -> None:
    world = titled(tmp_path / "world", *(f"{number}.md" for number in range(800)))
    limited = f'ulimit -f 600; exec "{sys.executable}" -m mark_server "$@"'
    result = subprocess.run(
        ["/bin/sh", "-c", limited, "sh", "index", str(world), "--data", str(tmp_path / "data")],
        env=measured_by_nobody(tmp_path / "data"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"marklookup: [^\n]+; try again\n", result.stderr)
