"""The settings file: which one is read, what stands before it, and what is said about a wrong one."""

import json
import os
import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from mark_server.checks import ArgumentError
from mark_server.cli import main
from mark_server.configuration import Configuration, configured
from mark_server.keys import KEYS, Key
from mark_server.mount import MOUNT_KEYS, Mount
from mark_server.options import serving_options, store_option, tokens_option
from mark_server.running import settings_of
from mark_server.settings import Settings
from tests.conftest import REPO
from tests.server.web import environment

PAGE = REPO / "docs" / "configuration.md"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the tests' own environment, and an empty working folder."""
    for name in [name for name in os.environ if name.startswith("MARKLOOKUP_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def written(folder: Path, text: str, name: str = "marklookup.toml") -> Path:
    """A settings file in a folder that is made for it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def ran(*arguments: str | Path, **variables: str) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=variables)


def in_force(*arguments: str | Path, **variables: str) -> dict[str, tuple[object, str]]:
    """Value and source of every setting, as `marklookup config` tells them."""
    result = ran("config", "--json", *arguments, **variables)
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["settings"]
    return {name: (setting["value"], setting["source"]) for name, setting in told.items()}


def resolved(*arguments: str, **variables: str) -> Settings:
    """The settings that a command is given."""
    kept: list[Settings] = []

    @click.command()
    @store_option
    @serving_options
    def command(**given: object) -> None:
        store = given["store"]
        assert store is None or isinstance(store, str)
        kept.append(settings_of(store, given))

    result = CliRunner().invoke(command, arguments, env=variables)
    assert result.exit_code == 0, result.output
    return kept[0]


def example() -> str:
    """The file of the documentation that uses every key."""
    found = re.search(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.proves("CF1")
def test_an_option_comes_before_a_variable_that_before_the_file_that_before_the_default(
    tmp_path: Path,
) -> None:
    file = written(tmp_path, "# first\nencoding = 'bytes'\npage = 400\n")
    assert in_force()["page"] == (400, f"{file}:3")
    assert in_force(MARKLOOKUP_PAGE="500")["page"] == (500, "MARKLOOKUP_PAGE")
    assert in_force(MARKLOOKUP_PAGE="")["page"] == (400, f"{file}:3")
    assert in_force("--page", "600", MARKLOOKUP_PAGE="500")["page"] == (600, "--page")
    assert in_force()["keep"] == (None, "default")
    assert resolved("--page", "600", MARKLOOKUP_KEEP="3") == Settings(encoding="bytes", page=600, keep=3)


@pytest.mark.proves("CF1")
@pytest.mark.parametrize("row", KEYS, ids=lambda row: row.name)
def test_every_setting_can_be_given_in_all_three_places(tmp_path: Path, row: Key) -> None:
    example_ = row.kind.example
    value = [example_] if row.kind.several else example_
    section, name = row.in_file
    typed = json.dumps(value) if row.kind.parse is str else str(value)
    heading = f"[{section}]\n" if section else ""
    options = [f"--{row.name}"] if row.kind.flag else [f"--{row.name}", example_]
    by_option, by_variable = resolved(*options), resolved(**{row.variable: example_})
    written(tmp_path, f"{heading}{name} = {typed}\n")
    by_file = resolved()
    assert by_option == by_variable
    if not row.kind.place:
        assert by_file == by_option
    field = "ignore" if row.name == "no-ignore" else row.parameter
    if row.default not in (example_, row.kind.parse(example_)):
        assert getattr(by_option, field) != getattr(Settings(), field)
        assert getattr(by_file, field) != getattr(Settings(), field)


@pytest.mark.proves("CF1")
@pytest.mark.parametrize(("word", "expected"), [("1", True), ("TRUE", True), ("no", False), ("off", False)])
def test_a_variable_says_true_or_false(word: str, expected: bool) -> None:
    assert resolved(MARKLOOKUP_NO_IGNORE=word).ignore is not expected
    assert resolved("--no-ignore", MARKLOOKUP_NO_IGNORE=word).ignore is False


@pytest.mark.proves("CF1")
def test_a_list_in_a_variable_is_divided_by_commas() -> None:
    assert resolved(MARKLOOKUP_INCLUDE="my docs/**, adr/**").include == ("my docs/**", "adr/**")
    assert resolved("--include", "a,b/**", MARKLOOKUP_INCLUDE="x").include == ("a,b/**",)


@pytest.mark.proves("CF2")
def test_the_nearest_file_upwards_is_read_and_a_named_one_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "page = 400\nkeep = 7\n")
    written(tmp_path / "a", "page = 500\n")
    (tmp_path / "a" / "b" / "marklookup.toml").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").mkdir()
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    assert (resolved().page, resolved().keep) == (500, None)
    other = written(tmp_path / "other", "page = 600\n", "x.toml")
    assert resolved("--config", str(other)).page == 600
    assert resolved(MARKLOOKUP_CONFIG=str(other)).page == 600
    monkeypatch.chdir(tmp_path)
    assert resolved().page == 400


@pytest.mark.proves("CF2")
def test_a_relative_path_is_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "data = '../index'\nstore = 'docs'\n[http]\ntokens = '~/tokens.toml'\n"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = written(tmp_path / "a", text)
    settings = resolved("--config", str(file))
    assert settings.data == tmp_path / "a" / "../index"
    assert settings.store == str(tmp_path / "a" / "docs")
    assert settings.tokens == tmp_path / "home" / "tokens.toml"
    stores = "[stores.a]\naddress = 'docs'\nca = 'ca.pem'\n[stores.b]\naddress = 'mark://b.example:1'\n"
    first, second = configured(written(tmp_path / "b", stores)).stores
    assert (first.address, first.ca) == (str(tmp_path / "b" / "docs"), tmp_path / "b" / "ca.pem")
    assert (second.address, second.remote, first.remote) == ("mark://b.example:1", True, False)


@pytest.mark.proves("CF3")
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\npgae = 1", 2, "unknown key pgae; did you mean page?"),
        ("limit_files = 1", 1, "unknown key limit_files; did you mean limit-files?"),
        ("zzz = 1", 1, "unknown key zzz; known are ca, "),
        ("[htpp]\naddress = 'x'", 1, "unknown key htpp; did you mean http?"),
        ("allow-host = ['x']", 1, "unknown key allow-host here; it stands below [http], as allow-host"),
        ("[http]\npage = 400", 2, "unknown key page here; it stands at the top of the file"),
        ("http = 'localhost:1'", 1, "http is a section; write [http] on a line of its own"),
        ("[stores]\na = 1", 2, "a is a section; write [stores.a] on a line of its own"),
        ("page = 299", 1, "page must be a whole number of tokens from 300 to 3000, got 299; for "),
        ("page = 400.0", 1, "page must be a whole number"),
        ("page = '400'", 1, "page must be a whole number"),
        ("keep = true", 1, "keep must be a whole number from 1, got true"),
        ("poll = inf", 1, "poll must be a number of seconds from 0.01 to 86400"),
        ("no-ignore = 'yes'", 1, "no-ignore must be true or false, got yes"),
        ("include = 'd'", 1, 'include must be a list of patterns of paths, got d; for example include=["d'),
        ("include = ['a', 1]", 1, "include must be a list of patterns"),
        ("[policy]\nbeta = nan", 2, "beta must be a finite number from 0"),
        ("[policy]\n\nnear = 'x'", 3, "near must be flag or drop, got x; for example near=flag"),
        ("[http]\naddress = 'localhost'", 2, "address must be HOST:PORT, or a port"),
        ("[http]\naddress = 'h:65536'", 2, "address must be HOST:PORT"),
        ("[http]\nissuer = 'http://login.example'", 2, "issuer must be an https address"),
        ("store = ''", 1, "store must be a folder"),
        ("a = ", None, "not TOML: Invalid value (at "),
        ("a = 1\na = 2", None, "not TOML: "),
        ("a = " + "[" * 5000, None, "not TOML: "),
        ("a = " + "9" * 5000, None, "not TOML: "),
        ("store = 'a'\n[stores.b]\naddress = 'b'", 1, "store and [stores] exclude each other; "),
        ("[stores.wiki]\nweight = 1", 1, "[stores.wiki] needs an address: a folder, mark://HOST[:PORT] or "),
        ("[stores.Wiki]\naddress = 'a'", 1, "a store's name must be a name of lower-case letters"),
        ("[stores.'a.b']\naddress = 'a'", 1, "a store's name must be a name of lower-case letters"),
        (
            "[stores.a]\naddress = 'ftp://x'",
            2,
            "address must be a folder, mark://HOST[:PORT] or https://HOST",
        ),
        ("[stores.a]\naddress = 'mark://u@x'", 2, "address must be a folder, mark://"),
        ("[stores.a]\nadress = 'a'", 2, "unknown key adress; did you mean address?"),
        ("[stores.a]\naddress = 'a'\nweight = 0", 3, "weight must be a finite number over 0, got 0"),
        ("[stores.a]\naddress = 'a'\nweight = inf", 3, "weight must be a finite number over 0"),
        ("[stores.a]\naddress = 'a'\ncap = 0", 3, "cap must be a whole number of tokens from 1"),
        ("[stores.a]\naddress = 'a'\nfloor = 1.1", 3, "floor must be a number from 0 to 1"),
        ("[stores.a]\naddress = 'a'\nshare = 1.01", 3, "share must be a part of the budget"),
        ("[stores.a]\naddress = 'a'\nshare = '1/0'", 3, "share must be a part of the budget"),
        ("[stores.a]\naddress = 'a'\nshare = 1e-999999999", 3, "share must be a part of the budget"),
        ("[stores.a]\naddress = 'a'\npins = 'x'", 3, "pins must be a list of locations"),
        ("[stores.a]\naddress='a'\nshare=0.7\n[stores.b]\naddress='b'\nshare='1/3'", 6, "the shares of all"),
        ("stores = {a = {address = 'a', cap = 0}}", 1, "cap must be a whole number"),
    ],
)
def test_what_is_wrong_is_one_line_with_file_and_line(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    file = written(tmp_path, text)
    result = ran("list", "--store", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    place = f"{file}:{line}" if line else f"{file}"
    assert result.stderr.startswith(f"marklookup: {place}: {said}")
    assert result.stderr.count("\n") == 1


@pytest.mark.proves("CF3")
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for name, content in (("large", b"#" * 1_000_001), ("latin", b"page = '\xe9'")):
        (tmp_path / name).write_bytes(content)
    for path in (tmp_path / "large", tmp_path / "latin", tmp_path / "missing", tmp_path):
        result = ran("list", "--config", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert re.fullmatch(rf"marklookup: {re.escape(str(path))}: [^\n]+\n", result.stderr)


@pytest.mark.proves("CF3")
@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("page", "5", "page must be a whole number of tokens from 300 to 3000, got 5; for example page=1000"),
        ("keep", "1.5", "keep must be a whole number from 1, got 1.5; for example keep=20"),
        ("oversized", "x", "oversized must be list or excerpt, got x; for example oversized=list"),
        ("poll", "nan", "poll must be a number of seconds from 0.01 to 86400, got nan; for example poll=5"),
    ],
)
def test_an_option_and_a_variable_are_checked_as_the_file_is(name: str, value: str, line: str) -> None:
    by_option = ran("list", f"--{name}", value)
    by_variable = ran("list", **{f"MARKLOOKUP_{name.upper()}": value})
    assert (by_option.exit_code, by_option.output) == (2, f"marklookup: {line}\n")
    assert (by_variable.exit_code, by_variable.output) == (
        2,
        f"marklookup: MARKLOOKUP_{name.upper()}: {line}\n",
    )


@pytest.mark.proves("CF3")
@given(st.text(max_size=60))
def test_no_text_is_more_than_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    said = ""
    try:
        assert configured(file).file == file
    except ArgumentError as error:
        said = str(error)
    assert not said or said.startswith(str(file))


@pytest.mark.proves("CF4")
def test_what_is_printed_is_a_file_of_the_same_effect(tmp_path: Path) -> None:
    file = written(tmp_path / "a", example())
    (tmp_path / "a" / "lab.token").touch()
    printed = ran("config", "--config", file).stdout
    again = written(tmp_path / "b", printed)
    assert resolved("--config", str(again)) == resolved("--config", str(file))
    assert tomllib.loads(ran("config", "--config", again).stdout) == tomllib.loads(printed)
    assert f"page = 1000  # {file}:11\n" in printed


@pytest.mark.proves("CF4")
def test_what_is_printed_holds_no_secret_and_stays_on_its_lines(tmp_path: Path) -> None:
    file = written(tmp_path / "a\nb", "page = 400\n[http]\naudience = 'q\"\\x7f'\n".replace("\\x7f", "é"))
    text = ran("config", "--config", file).stdout
    assert tomllib.loads(text)["http"]["audience"] == 'q"é'
    stores = "[stores.a]\naddress = 'https://a.example'\ntoken-env = 'MARKLOOKUP_TOKEN_A'\n"
    written(tmp_path, stores)
    own = {"MARKLOOKUP_TOKEN_A": "hush"}
    assert "hush" not in ran("config", **own).stdout


@pytest.mark.proves("CF5")
def test_stores_are_mounted_by_name_and_one_that_is_given_stands_in_their_place(tmp_path: Path) -> None:
    first = "[stores.a]\naddress = 'x'\nshare = 0.1\n"
    written(tmp_path, f"{first}[stores.b]\naddress = 'mark://h'\nshare = '2/3'\nweight = 2\n")
    a = Mount("a", str(tmp_path / "x"), share=Fraction(1, 10))
    b = Mount("b", "mark://h", share=Fraction(2, 3), weight=2.0)
    assert resolved().stores == (a, b)
    assert resolved().store == "."
    assert resolved("--store", "y") == Settings(store="y")
    assert resolved(MARKLOOKUP_STORE="y") == Settings(store="y")
    assert json.loads(ran("config", "--json").stdout)["stores"]["a"]["share"] == "1/10"
    assert json.loads(ran("config", "--json", "--store", "y").stdout)["stores"] == {}


@pytest.mark.proves("CF6")
@pytest.mark.parametrize(
    "text", ["token = 'x'", "[http]\ntoken = 'x'", "[stores.a]\naddress = 'a'\npassword = 'x'"]
)
def test_a_secret_in_the_file_is_an_error_that_does_not_repeat_it(tmp_path: Path, text: str) -> None:
    written(tmp_path, text.replace("'x'", "'hush'"))
    result = ran("list", "--store", tmp_path)
    assert result.exit_code == 2
    assert "no secret may stand in this file" in result.stderr
    assert "hush" not in result.stderr


@pytest.mark.proves("CF6")
def test_a_file_that_was_only_found_names_no_foreign_secret(tmp_path: Path) -> None:
    (tmp_path / "near.token").touch()
    (tmp_path / "link.token").symlink_to("/etc/hostname")
    start = "[stores.a]\naddress = 'https://a.example'\n"
    for secret in ("token-env = 'AWS_SECRET_ACCESS_KEY'", "token-file = '../x'", "token-file = 'link.token'"):
        file = written(tmp_path, f"{start}{secret}\n")
        result = ran("config")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"marklookup: {file}:3: a file that was only found may name ")
        assert ran("config", "--config", file).exit_code == 0
    for own in ("token-env = 'MARKLOOKUP_TOKEN_A'", "token-file = 'near.token'"):
        written(tmp_path, f"{start}{own}\n")
        assert ran("config").exit_code == 0
    written(tmp_path, f"{start}token-env = 'MARKLOOKUP_A'\ntoken-file = 'near.token'\n")
    assert "give either token-env or token-file" in ran("config").stderr


@pytest.mark.proves("CF6")
@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give a file away")
def test_a_file_that_was_only_found_belongs_to_the_user(tmp_path: Path) -> None:
    file = written(tmp_path, "page = 400\n")
    os.chown(file, 12345, -1)
    result = ran("list", "--store", tmp_path)
    assert result.stderr == (
        f"marklookup: {file}: it belongs to another user; to use it, name it: --config FILE\n"
    )
    assert in_force("--config", file)["page"][0] == 400


def documented(key: Key) -> str:
    """What the row of a setting begins with."""
    section = rf"`\[{key.section}\]` " if key.section else ""
    return rf"^\| `--{key.name}\b[^|]*\| `{key.variable}` \| {section}`{key.in_file[1]}` \|"


@pytest.mark.proves("CF7")
def test_every_key_is_documented_and_the_example_uses_every_key(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [key.name for key in KEYS if not re.search(documented(key), page, re.MULTILINE)] == []
    assert [name for name in MOUNT_KEYS if f"| `{name}` |" not in page] == []
    configuration = configured(written(tmp_path, example()))
    assert set(configuration.values) == {key.parameter for key in KEYS} - {"store"}
    tables = tomllib.loads(example())["stores"].values()
    assert {key for table in tables for key in table} == set(MOUNT_KEYS)


@pytest.mark.proves("CF7")
def test_the_table_and_the_settings_agree() -> None:
    plain = Settings()
    for key in KEYS:
        if key.name not in ("store", "no-ignore"):
            assert getattr(plain, key.parameter) == key.default
            assert type(getattr(plain, key.parameter)) is type(key.default)
    assert len({key.parameter for key in KEYS}) == len({key.in_file for key in KEYS}) == len(KEYS)
    assert Configuration() == configured(None)


@pytest.mark.proves("CF2")
def test_a_server_reads_the_file_of_its_working_folder(tmp_path: Path) -> None:
    written(tmp_path, "store = 'docs'\n[policy]\nname = 'x'\n")
    command = [sys.executable, "-m", "mark_server", "serve"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        input=b"",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"marklookup: {tmp_path / 'marklookup.toml'}:3: name must be rank, knapsack, slots or everything,"
        " got x; for example name=rank\n"
    )


@pytest.mark.proves("CF1")
def test_a_parameter_that_is_no_setting_is_not_taken_for_one(tmp_path: Path) -> None:
    written(tmp_path, "[http]\ntokens = 'mine.toml'\n[policy]\norder = 'cache'\n")

    @click.command()
    @click.option("--order", default="mine")
    @tokens_option
    def command(order: str, tokens: Path, **_: object) -> None:
        click.echo(f"{order} {tokens.name}")

    assert CliRunner().invoke(command, []).output == "mine mine.toml\n"
