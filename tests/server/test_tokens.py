"""The token file: who is known by it, that changes count at once, and the commands that keep it."""

import os
import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from mark_server.callers import Anyone, Caller, CallerError, Together, UnknownToken
from mark_server.checks import ArgumentError
from mark_server.cli import main
from mark_server.known_callers import known_callers
from mark_server.settings import Settings
from mark_server.token_entries import TokenFileError, digest, entries_of
from mark_server.token_file import TokenFile
from mark_store import EVERYTHING, Reader
from tests.server.web import environment, measured_by_nobody
from tests.waiting import until

TOKEN = "mlk_" + "a" * 43
START = f'[[token]]\nname = "ci"\nsha256 = "{digest(TOKEN)}"\n'
ENTRY = START + 'paths = ["/docs/**"]\n'


def written(path: Path, text: str = ENTRY, mode: int = 0o600) -> Path:
    """A token file, written as an editor does: a new file in place of the old one."""
    fresh = path.with_name("fresh")
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(mode)
    fresh.replace(path)
    return path


def changed_unseen(path: Path, text: str) -> None:
    """Write in place and put the time back that the file had before."""
    status = path.stat()
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def gone(path: Path) -> None:
    path.unlink()


def become_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def with_mode(path: Path, mode: int) -> None:
    path.chmod(mode)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "tokens.toml")


def ran(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["token", *(str(argument) for argument in arguments)])


async def refused(known: TokenFile, token: str | None = TOKEN) -> str:
    with pytest.raises(CallerError) as caught:
        await known.identify(token)
    assert token is None or token not in str(caught.value)
    return str(caught.value)


@pytest.mark.proves("CA1")
async def test_a_token_of_the_file_says_who_calls_and_what_may_be_read(file: Path) -> None:
    known = TokenFile(file, lambda _: None)
    assert await known.identify(TOKEN) == Caller("ci", Reader(("/docs/**",)))
    assert await refused(known, None) == "a bearer token is required"
    for token in ("", TOKEN[:-1], TOKEN + "a", TOKEN.upper(), digest(TOKEN), "\ud800", "é" * 20_000):
        with pytest.raises(UnknownToken, match=r"^the token is not known here$"):
            await known.identify(token)
    assert (list(known.issuers), list(known.scopes)) == ([], [])


@pytest.mark.proves("CA1")
async def test_an_entry_ends_when_it_says(file: Path) -> None:
    known, now = TokenFile(file, lambda _: None), datetime.now(UTC)
    for expires, valid in (
        ((now + timedelta(hours=1)).isoformat(), True),
        ((now - timedelta(seconds=1)).isoformat(), False),
        ((now + timedelta(hours=3)).astimezone().isoformat(), True),
        ((now + timedelta(days=2)).date().isoformat(), True),
        (now.date().isoformat(), False),
        (f'"{(now + timedelta(hours=1)).isoformat()}"', True),
    ):
        written(file, f"{ENTRY}expires = {expires}\n")
        if valid:
            assert (await known.identify(TOKEN)).name == "ci"
        else:
            assert await refused(known) == "the token has expired"


@pytest.mark.proves("CA1")
async def test_a_token_that_expires_while_it_is_served_is_refused_then(file: Path) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.4)
    written(file, f"{ENTRY}expires = {soon.isoformat()}\n")
    known = TokenFile(file, lambda _: None)
    assert (await known.identify(TOKEN)).name == "ci"

    async def over() -> bool:
        try:
            await known.identify(TOKEN)
        except CallerError:
            return True
        return False

    await until(over)
    assert datetime.now(UTC) >= soon


@pytest.mark.proves("CA2")
async def test_what_is_changed_added_or_taken_out_counts_with_the_next_call(file: Path) -> None:
    told: list[str] = []
    known, second = TokenFile(file, told.append), "mlk_" + "b" * 43
    more = f'[[token]]\nname = "b"\nsha256 = "{digest(second)}"\npaths = ["/"]\n'
    for _ in range(20):
        written(file, f"{ENTRY}{more}")
        assert (await known.identify(second)).reader == Reader(("/",))
        written(file, ENTRY.replace("docs", "dogs"))
        assert (await known.identify(TOKEN)).reader == Reader(("/dogs/**",))
        assert await refused(known, second) == "the token is not known here"
        # In place, of the same size, and with the time that the file had before.
        changed_unseen(file, ENTRY.replace("docs", "cats"))
        assert (await known.identify(TOKEN)).reader == Reader(("/cats/**",))
    written(file, "")
    assert await refused(known) == "the token is not known here"
    assert told == []


@pytest.mark.proves("CA2")
async def test_a_settled_file_is_not_read_again_until_it_changes(file: Path) -> None:
    long_ago = 1_000_000_000
    os.utime(file, (long_ago, long_ago))
    known = TokenFile(file, lambda _: None)
    await known.identify(TOKEN)
    with_mode(file, 0o602)
    assert (await known.identify(TOKEN)).name == "ci"
    written(file, ENTRY.replace("docs", "dogs"))
    assert (await known.identify(TOKEN)).reader == Reader(("/dogs/**",))


@pytest.mark.proves("CA3")
async def test_a_broken_new_file_leaves_the_entries_and_is_told_once(file: Path) -> None:
    told: list[str] = []
    known = TokenFile(file, told.append)
    for broken in ("[[token]", "[[token]]\nnam = 1\n"):
        written(file, broken)
        for _ in range(3):
            assert (await known.identify(TOKEN)).name == "ci"
    first, second = told
    assert re.fullmatch(rf"{re.escape(str(file))}: not TOML: [^\n]+; the entries stay as they were", first)
    assert second.endswith(": entry 1: unknown key nam; did you mean name?; the entries stay as they were")
    written(file, "")
    assert await refused(known) == "the token is not known here"


@pytest.mark.proves("CA3")
async def test_a_file_that_is_gone_knows_nobody_until_it_is_back(file: Path) -> None:
    told: list[str] = []
    known = TokenFile(file, told.append)
    gone(file)
    for _ in range(3):
        assert await refused(known) == "the token is not known here"
    assert told == [f"{file}: the token file is gone; nobody may call until it is back"]
    written(file)
    assert (await known.identify(TOKEN)).name == "ci"
    become_folder(file)
    assert (await known.identify(TOKEN)).name == "ci"
    assert told[1] == f"{file}: it is no regular file; the entries stay as they were"


@pytest.mark.proves("CA3")
@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
async def test_a_file_that_anybody_may_change_is_refused_and_one_that_others_read_is_told(file: Path) -> None:
    told: list[str] = []
    with_mode(file, 0o644)
    known = TokenFile(file, told.append)
    assert told == [f"{file}: others may read or change it; chmod 600 keeps it to you"]
    written(file, ENTRY.replace("docs", "all"), mode=0o666)
    assert (await known.identify(TOKEN)).reader == Reader(("/docs/**",))
    assert (
        told[1] == f"{file}: anybody may change it; chmod 600 keeps it to you; the entries stay as they were"
    )
    with pytest.raises(TokenFileError, match="anybody may change it"):
        TokenFile(file, told.append)


@pytest.mark.proves("CA4")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[token]\nname = 'x'\n", "each entry begins with [[token]] on a line of its own"),
        ("token = [1]", "each entry begins with [[token]] on a line of its own"),
        ("tokens = 1", "the file: unknown key tokens; did you mean token?"),
        ("[[token]]\n", "entry 1: name must have at most 64 letters"),
        (ENTRY.replace('"ci"', '"a\\nb"'), "entry 1: name must have at most 64 letters"),
        (ENTRY.replace('"ci"', "7"), "entry 1: name must have at most 64 letters"),
        (
            ENTRY.replace(digest(TOKEN), TOKEN),
            "entry 1 (ci): sha256 must be the SHA-256 of the token in 64 hex",
        ),
        (START, 'entry 1 (ci): paths must be a list of patterns, for example ["/docs/**"]'),
        (f"{START}paths = []", "entry 1 (ci): paths must be a list of patterns"),
        (f"{START}paths = '/**'", "entry 1 (ci): paths must be a list of patterns"),
        (
            f"{START}paths = ['docs/**']",
            "entry 1 (ci): each path must be a pattern of paths that begins with /",
        ),
        (f"{START}paths = ['/a/../b']", "entry 1 (ci): each path must be a pattern"),
        (f"{START}paths = ['/*a*a*a*a*a']", "entry 1 (ci): each path must be a pattern"),
        (f"{START}paths = [7]", "entry 1 (ci): each path must be a pattern"),
        (
            f"{ENTRY}expires = 2027-01-01T00:00:00",
            "entry 1 (ci): expires must be a date, or a time with its zone",
        ),
        (f"{ENTRY}expires = 'soon'", "entry 1 (ci): expires must be a date, or a time with its zone"),
        (f"{ENTRY}expires = 7", "entry 1 (ci): expires must be a date, or a time with its zone"),
        (f"{ENTRY}token = 'x'", "entry 1: unknown key token; known are name, sha256, paths, expires"),
        (f"{ENTRY}{ENTRY}", "entry 2: another entry has the same name"),
        (f"{ENTRY}{ENTRY.replace('ci', 'b')}", "entry 2: another entry has the same sha256"),
        ("a = " + "[" * 5000, "not TOML"),
        ("#" * 1_000_001, "it is over 1 MB"),
    ],
)
def test_what_is_wrong_in_the_file_is_one_line_and_repeats_no_token(text: str, said: str) -> None:
    with pytest.raises(TokenFileError) as caught:
        entries_of(text.encode())
    line = str(caught.value)
    assert line.startswith(said)
    assert "\n" not in line
    assert TOKEN not in line


@pytest.mark.proves("CA4")
@given(st.binary(max_size=80))
def test_no_bytes_are_more_than_an_error(raw: bytes) -> None:
    try:
        assert entries_of(raw) == ()
    except TokenFileError as error:
        line = str(error)
        assert "\n" not in line


@pytest.mark.proves("CA5")
async def test_a_new_token_is_printed_once_and_its_entry_added_and_nothing_else_is_changed(
    file: Path,
) -> None:
    before = f"# ours\n{ENTRY}  # no line end"
    written(file, before)
    result = ran(
        "new", "--name", "éva b", "--paths", "/a/**", "--paths", "/b.md", "--expires", "90d", "--file", file
    )
    assert result.exit_code == 0
    token = result.stdout.strip()
    assert re.fullmatch(r"mlk_[\w-]{43}", token)
    assert result.stderr == f"added éva b to {file}; the token is not shown again\n"
    text = content(file)
    assert text.startswith(before)
    assert token not in text
    known = TokenFile(file, lambda _: None)
    assert await known.identify(token) == Caller("éva b", Reader(("/a/**", "/b.md")))
    assert (await known.identify(TOKEN)).name == "ci"
    last = entries_of(text.encode())[-1]
    assert last.expires is not None
    assert timedelta(days=89) < last.expires - datetime.now(UTC) < timedelta(days=91)


@pytest.mark.proves("CA5")
def test_a_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        assert ran("new", "--name", "a", "--file", tmp_path / "new.toml").exit_code == 0
    finally:
        os.umask(old)
    assert (tmp_path / "new.toml").stat().st_mode & 0o777 == 0o600
    tables = tomllib.loads((tmp_path / "new.toml").read_text(encoding="utf-8"))["token"]
    assert [(table["name"], table["paths"]) for table in tables] == [("a", ["/**"])]


@pytest.mark.proves("CA5")
def test_an_entry_can_be_printed_to_be_added_by_hand() -> None:
    result = ran("new", "--name", "a", "--file", "-")
    token, _, text = result.stdout.partition("\n\n")
    assert entries_of(text.encode())[0].sha256 == digest(token)


@pytest.mark.proves("CA5")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--name", "ci"], 1, "{file}: it has an entry ci; choose another name, or revoke that one"),
        (["--name", "a\nb"], 2, "name must have at most 64 letters, digits, blanks"),
        (["--name", "a", "--paths", "docs"], 2, "each path must be a pattern of paths that begins with /"),
        (["--name", "a", "--expires", "soon"], 2, "expires must be a date, or a time with its zone"),
        (["--name", "a", "--expires", "99999d"], 0, "added a to "),
    ],
)
def test_what_cannot_be_made_is_one_line(file: Path, arguments: list[str], code: int, said: str) -> None:
    before = file.read_bytes()
    result = ran("new", *arguments, "--file", file)
    assert result.exit_code == code
    assert said.format(file=file) in result.stderr
    assert result.stderr.count("\n") == 1
    assert (file.read_bytes() == before) == (code != 0)


@pytest.mark.proves("CA5")
def test_a_list_tells_names_paths_and_expiry_and_no_hash(file: Path) -> None:
    file.write_text(f"{ENTRY}expires = 2020-01-01\n", encoding="utf-8")
    token = ran("new", "--name", "b", "--expires", "2099-01-31", "--file", file).stdout.strip()
    ran("new", "--name", "c", "--paths", "/a", "--paths", "/b", "--file", file)
    text = ran("list", "--file", file).stdout
    assert text.splitlines() == [
        "ci\t/docs/**\texpired 2020-01-01T00:00:00Z",
        "b\t/**\tuntil 2099-01-31T00:00:00Z",
        "c\t/a, /b\tfor ever",
    ]
    assert digest(token) not in text
    assert ran("list", "--file", file.parent / "none").stderr.endswith("none: No such file or directory\n")


@pytest.mark.proves("CA5")
def test_revoking_takes_out_one_entry_and_keeps_everything_else(file: Path) -> None:
    second = ENTRY.replace("ci", "b").replace(digest(TOKEN), "b" * 64)
    third = ENTRY.replace("ci", "c").replace(digest(TOKEN), "c" * 64)
    text = f"# top\n{ENTRY}\n# about b\n{second}# about c\n\n{third}# end"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
    assert ran("revoke", "b", "--file", file).exit_code == 0
    assert file.read_text(encoding="utf-8") == f"# top\n{ENTRY}\n# about b\n# about c\n\n{third}# end"
    assert file.stat().st_mode & 0o777 == 0o640
    assert ran("revoke", "b", "--file", file).stderr == f"marklookup: {file}: it has no entry b\n"
    assert ran("revoke", "c", "--file", file).exit_code == 0
    assert ran("revoke", "ci", "--file", file).exit_code == 0
    assert entries_of(file.read_bytes()) == ()
    assert [path.name for path in file.parent.iterdir()] == ["tokens.toml"]


@pytest.mark.proves("CA5")
def test_what_does_not_stand_on_lines_of_its_own_is_left_to_the_user(file: Path) -> None:
    table = f'{{name = "ci", sha256 = "{digest(TOKEN)}", paths = ["/"]}}'
    file.write_text(f"token = [{table}]\n", encoding="utf-8")
    before = file.read_bytes()
    for arguments in (["revoke", "ci"], ["new", "--name", "b"]):
        result = ran(*arguments, "--file", file)
        assert (result.exit_code, file.read_bytes()) == (1, before)
        assert result.stderr.endswith("by hand\n")


@pytest.mark.proves("CA5")
def test_an_entry_that_cannot_be_written_whole_leaves_the_file_as_it_was(file: Path) -> None:
    file.write_text(f"#{'x' * 490}\n", encoding="utf-8")
    before = file.read_bytes()
    limited = f'ulimit -f 1; exec "{sys.executable}" -m mark_server token new --name b --file "{file}"'
    done = subprocess.run(
        ["/bin/sh", "-c", limited],
        env=measured_by_nobody(file.parent),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"marklookup: {file}: File too large\n"
    assert file.read_bytes() == before


@pytest.mark.proves("CA3")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TokenFileError, match="it is no regular file"):
        TokenFile(tmp_path / "pipe", print)


@pytest.mark.proves("CA5")
def test_commands_at_once_lose_nothing(file: Path) -> None:
    start = [sys.executable, "-m", "mark_server", "token"]
    commands = [[*start, "new", "--name", f"n{n % 4}", "--file", str(file)] for n in range(8)]
    commands.append([*start, "revoke", "ci", "--file", str(file)])
    running = [
        subprocess.Popen(
            command, env=environment(file.parent), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    assert sorted(process.wait(60) for process in running) == [0] * 5 + [1] * 4
    assert sorted(entry.name for entry in entries_of(file.read_bytes())) == ["n0", "n1", "n2", "n3"]


@pytest.mark.proves("CA1", "CA6")
async def test_a_token_is_asked_of_each_kind_of_callers_in_turn(tmp_path: Path) -> None:
    first = TokenFile(written(tmp_path / "a"), lambda _: None)
    other, late = "mlk_" + "c" * 43, "mlk_" + "d" * 43
    entry = ENTRY.replace(digest(TOKEN), digest(other)).replace("ci", "b")
    old = f'[[token]]\nname="old"\nsha256="{digest(late)}"\npaths=["/"]\nexpires=2020-01-01\n'
    second = TokenFile(written(tmp_path / "b", entry), lambda _: None)
    both = Together([TokenFile(written(tmp_path / "c", old), lambda _: None), first, second])
    assert [(await both.identify(token)).name for token in (TOKEN, other)] == ["ci", "b"]
    for token, reason in ((late, "the token has expired"), ("x", "the token is not known here")):
        with pytest.raises(CallerError, match=reason):
            await both.identify(token)
    with pytest.raises(CallerError, match="a bearer token is required"):
        await both.identify(None)


@pytest.mark.proves("CA1")
async def test_settings_name_who_may_call(file: Path) -> None:
    assert isinstance(known_callers(Settings(), print), Anyone)
    assert await Anyone().identify(None) == Caller("anyone", EVERYTHING)
    known = known_callers(Settings(tokens=file, issuer="https://login.example", audience="a"), print)
    assert (await known.identify(TOKEN)).name == "ci"
    assert (list(known.issuers), list(known.scopes)) == (["https://login.example"], ["mark:read"])
    with pytest.raises(ArgumentError, match="issuer needs an audience"):
        known_callers(Settings(issuer="https://login.example"), print)
    with pytest.raises(ArgumentError, match="No such file"):
        known_callers(Settings(tokens=file.parent / "none"), print)
