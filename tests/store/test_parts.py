"""The parts of the store that are plain functions: their examples, and what no document shows."""

import doctest
import importlib
import pkgutil
import sqlite3
from pathlib import Path

import pytest

import mark_store
from mark_store import EVERYTHING, Reader
from mark_store.clock import iso_milliseconds, parse_iso
from mark_store.connection import connect, is_busy, writing
from mark_store.disk import is_inside, on_disk, stamp
from mark_store.snippet import snippet
from mark_store.source import decoded
from mark_store.words import any_of, forms, indexed
from tests.store.tree import plant

MODULES = sorted(module.name for module in pkgutil.iter_modules(mark_store.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"mark_store.{name}")).failed == 0


@pytest.mark.proves("ST6")
@pytest.mark.parametrize(
    ("pattern", "readable", "closed"),
    [
        ("/a", ["/a", "/a/b.md", "/a/b/c.md"], ["/ab.md", "/b/a"]),
        ("/a/", ["/a/b.md"], ["/ab.md"]),
        ("a/*.md", ["/a/b.md"], ["/a/b/c.md", "/a/b.txt"]),
        ("/a/*", ["/a/b.md", "/a/b/c.md"], ["/a"]),
        ("/**/private", ["/x/private/a.md", "/x/y/private"], ["/private.md", "/x/privates/a.md"]),
        ("/a.md", ["/a.md"], ["/aXmd", "/a.md.md"]),
        ("/é", ["/e\u0301/a.md", "/é/a.md"], ["/e/a.md"]),
        ("/", ["/a.md", "/b/c.md"], []),
        ("/a\nb", ["/a\nb/c\n.md"], ["/a"]),
    ],
)
def test_a_pattern_names_a_document_or_all_below_a_folder(
    pattern: str, readable: list[str], closed: list[str]
) -> None:
    reader = Reader((pattern,))
    assert [path for path in readable if not reader.may_read(path)] == []
    assert [path for path in closed if reader.may_read(path)] == []


@pytest.mark.proves("ST6")
def test_only_a_scope_of_everything_needs_no_asking() -> None:
    assert EVERYTHING.unlimited
    assert Reader(("/a", "/**")).unlimited
    assert not Reader(("/a",)).unlimited
    assert not Reader(()).may_read("/a.md")


@pytest.mark.proves("ST18")
@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (b"", "text", ""),
        ("é".encode(), "text", "é"),
        (b"one accent: caf\xe9, as often\n", "text", "one accent: caf\ufffd, as often\n"),
        (b"a" * 2000 + b"\xff" * 19, "text", "a" * 2000 + "\ufffd" * 19),
        (b"a" * 2000 + b"\xff" * 22, "binary", ""),
        (b"\xff\xfe\xfd", "binary", ""),
        (b"a\0", "binary", ""),
        ("\ufffd is a character like others".encode(), "text", "\ufffd is a character like others"),
    ],
)
def test_bytes_are_text_while_few_of_them_are_not_utf8(data: bytes, kind: str, text: str) -> None:
    source = decoded(data)
    assert (source.kind, source.text) == (kind, text)
    assert (source.flaw is None) == (data == text.encode())


@pytest.mark.proves("ST3")
@pytest.mark.parametrize(
    ("text", "queries", "others"),
    [
        ("C++ and C# and F#", ["c++", "C#", "f#", "C"], ["d#", "g++"]),
        ("# Heading\nsee [x](a.md#part)", ["part", "heading"], ["sharp"]),
        ("مُحَمَّد كتـــاب", ["محمد", "كتاب"], ["كاتب"]),
        ("हिन्दीभाषण शिक्षक", ["हिन्दीभाषण", "शिक्षक"], ["हिन्द", "शिक"]),
        ("ship it 🚀, now", ["🚀", "ship"], ["🎉"]),
        ("ภาษาไทยง่าย", ["ภาษาไทย", "ไทย"], ["จีน"]),
        ("潮水漲落", ["潮", "潮水"], ["海"]),
        ("naïve Ελλάδα Ёлка", ["naive", "ελλάδα", "ёлка"], ["naives"]),
        ("GB/s of __init__ in health.base", ["gb/s", "__init__", "health.base"], ["base.health"]),
    ],
)
def test_words_are_found_as_they_are_written(text: str, queries: list[str], others: list[str]) -> None:
    from mark_outline import terms

    index = connect(Path(":memory:"))
    tokenizer = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
    index.execute(f'CREATE VIRTUAL TABLE passage USING fts5(text, tokenize="{tokenizer}")')
    index.execute("INSERT INTO passage VALUES(?)", (indexed(text),))

    def finds(query: str) -> bool:
        statement = "SELECT count(*) FROM passage WHERE passage MATCH ?"
        return bool(index.execute(statement, (any_of(forms(terms(query))),)).fetchone()[0])

    found = [query for query in (*queries, *others) if finds(query)]
    index.close()
    assert found == queries


def test_a_snippet_shows_the_best_line_around_the_term() -> None:
    text = "# Title\n\nfirst line\n\n" + "word " * 60 + "kiwi lime " + "word " * 60 + "\n\nkiwi\n"
    line = snippet(text, ("kiwi", "lime"))
    assert "kiwi lime" in line
    assert len(line) <= 120
    assert snippet(text, ("nothing",)) == "first line"
    assert snippet("# Only a title\n", ("title",)) == ""
    assert snippet("潮" * 300, ("潮潮",)) == "潮" * 120


def test_a_path_is_spelled_as_on_the_disk(tmp_path: Path) -> None:
    plant(tmp_path, {"/Dir/e\u0301.md": "x\n"})
    assert on_disk(tmp_path, "/Dir/é.md") in {"/Dir/e\u0301.md", "/Dir/é.md"}
    assert on_disk(tmp_path, "/dir/é.md") is None
    assert on_disk(tmp_path, "/Dir/é.md/x.md") is None
    assert stamp(tmp_path, "/Dir") is None
    assert not is_inside(tmp_path / "Dir", "/../x.md")


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("2024-05-01", "2024-05-01T00:00:00Z"),
        ("2024-05-01T12:30:00.25+02:00", "2024-05-01T10:30:00.250Z"),
        ("20240501T103000Z", "2024-05-01T10:30:00Z"),
        ("1066-10-14", "1066-10-14T00:00:00Z"),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_time_is_read_in_any_form_and_shown_in_one(stated: str, shown: str | None) -> None:
    milliseconds = parse_iso(stated)
    assert (None if milliseconds is None else iso_milliseconds(milliseconds)) == shown
    assert iso_milliseconds(-(10**20)) == "0001-01-01T00:00:00Z"
    assert iso_milliseconds(10**20).startswith("9999-12-31T")


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    one, two = connect(tmp_path / "one.db"), connect(tmp_path / "two.db")
    for connection in (one, two):
        connection.execute("CREATE TABLE t(x)")

    with pytest.raises(KeyError), writing(one, two):  # noqa: PT012 - the failure comes after the writes
        one.execute("INSERT INTO t VALUES(1)")
        two.execute("INSERT INTO t VALUES(1)")
        raise KeyError
    assert [c.execute("SELECT count(*) FROM t").fetchone() for c in (one, two)] == [(0,), (0,)]
    one.execute("PRAGMA busy_timeout=0")
    two.close()
    holder = connect(tmp_path / "one.db")
    with writing(holder), pytest.raises(sqlite3.OperationalError) as caught, writing(one):
        raise AssertionError("two writers at once")
    assert is_busy(caught.value)
    holder.close()
    one.close()
