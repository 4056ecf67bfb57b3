"""Inputs that broke other tools behave as their list says; the list is beside the checkout, not in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from mark_outline import Location, encode, spellings
from mark_store import FolderStore, LookupPage, NotFound
from tests.store.conftest import Opener
from tests.store.tree import plant

pytestmark = [pytest.mark.anyio, pytest.mark.proves("ST9")]


def cases(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "cases" / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
async def store(root: Path, shared: Path, opened: Opener) -> FolderStore:
    plant(root, {f"/{case['path']}": content(case) for case in cases(shared)})
    plant(root, {"/paths/my-file.md": "another document\n"})
    return await opened()


def content(case: dict[str, Any]) -> bytes:
    return bytes.fromhex(case["hex"]) if "hex" in case else str(case["text"]).encode()


async def test_every_document_is_found_by_its_probe_and_fetched_whole(
    store: FolderStore, shared: Path
) -> None:
    for case in cases(shared):
        path = f"/{case['path']}"
        document = await store.fetch(path)
        text = content(case).decode(errors="replace")
        assert document.body == text[document.body_start :], path
        assert document.outline is not None
        if case["probe"]:
            assert path in {row.path for row in (await store.lookup(case["probe"])).rows}, path


async def test_each_document_does_what_its_line_expects(store: FolderStore) -> None:
    async def anchors(path: str) -> tuple[str, ...]:
        outline = (await store.fetch(path)).outline
        assert outline is not None
        return outline.anchors()

    for spelling in (encode("/paths/my file.md"), "/paths/my file.md"):
        assert await fetched(store, spelling) == "/paths/my file.md"
    assert (await store.fetch("/paths/my-file.md")).body == "another document\n"
    assert await anchors("/head/fence_attr.md") == ("top", "real-after")
    assert await anchors("/head/list_col0.md") == ("top", "column-zero-line")
    assert await anchors("/head/explicit.md") == ("top-id", "dependency-injection")
    assert await anchors("/head/empty.md") == ("top",)
    assert await anchors("/head/nohead.md") == ()
    assert (await store.lookup("qaznohead")).rows[0].anchor == ""
    assert "second-crlf" in await anchors("/fm/crlf.md")
    assert (await store.fetch("/fm/toml.md")).metadata["title"] == "Toml"
    assert "qazsecondfm" in (await store.fetch("/fm/double.md")).body
    assert {row.path for row in (await store.lookup("toml")).rows} >= {"/fm/toml.md"}
    assert (await store.fetch("/fm/win_path.md")).metadata["title"] == "ok"


async def fetched(store: FolderStore, printed: str) -> str:
    """The path of the first reading of a printed location that exists."""
    for location in spellings(printed):
        try:
            return (await store.fetch(location.path, location.version)).path
        except NotFound:
            continue
    return str(Location("", None, ""))


async def test_broken_files_are_notices_that_name_them(store: FolderStore) -> None:
    told = {notice.path: notice.text for notice in await store.notices()}
    assert set(told) == {"/bad/latin1.md", "/fm/win_path.md", "/fm/wikilink.md"}
    assert "not UTF-8" in told["/bad/latin1.md"]
    assert all("\n" not in text for text in told.values())


async def test_every_query_is_an_answer(store: FolderStore, shared: Path) -> None:
    plant(
        store.root,
        {
            "/q/ids.md": "# Ids\n\nDEC-0054: apply_secrets, health.base, don't.\n\n## Codes\n\nUse C++.\n",
            "/q/web.md": "# Web\n\nSet a response status code.\n\n## Login\n\nOAuth2 needs a token.\n",
        },
    )
    answers = {line: await store.lookup(line) for line in queries(shared)}
    assert len(answers) == len(queries(shared))

    def first(query: str) -> str:
        page: LookupPage = answers[query]
        return page.rows[0].path

    for query in ("DEC-0054", '"DEC-0054"', "apply_secrets", "health.base", "don't", "C++"):
        assert first(query) == "/q/ids.md", query
    for query in ("how do I set a response status code", "OAuth2 password bearer JWT token expiry"):
        assert first(query) == "/q/web.md", query
    for query in ("中文合約", "云工开物 优惠券"):
        assert first(query) == "/q/cjk.md", query
    assert answers["*"].total == len(cases(shared)) + 3
    assert (await store.lookup("a" * 5000)).total == 0


def queries(shared: Path) -> list[str]:
    lines = (shared / "cases" / "queries.txt").read_text(encoding="utf-8").splitlines()
    return [line.partition("\t")[0] for line in lines]
