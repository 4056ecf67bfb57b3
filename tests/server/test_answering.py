"""Our answers to requests of the Mark wire, byte for byte where the protocol says so; no transport."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mark_server.answering import answer, answer_bytes
from mark_server.desk import Desk
from mark_store import Request, Response, ResponseDecoder, encode_request
from tests.server.mark_worlds import desk_over
from tests.store.world import WORLD

EXTRA: dict[str, str | bytes] = {
    "/own.md": "---\nstatus: accepted\nmetadata-x: y\nowner: Ann\nempty: ''\n---\n# Own\n",
    "/wide.md": "---\n" + "".join(f"k{number}: {'é' * 900}\n" for number in range(60)) + "---\n# Wide\n",
    "/line\nbreak.md": "# Broken name\n\nUnusual flotsam.\n",
    "/a%20b.md": "# Percent\n",
    "/tape.md": b"\x00\x01\x02",
}


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    """The world and some odd documents."""
    folder = tmp_path_factory.mktemp("answering")
    async with desk_over(folder, {**WORLD, **EXTRA}) as found:
        yield found


async def asked(desk: Desk, verb: str, path: str, **fields: str) -> Response:
    """The answer to a request, through its bytes."""
    named = {key.replace("_", "-"): value for key, value in fields.items()}
    decoder = ResponseDecoder("us")
    decoder.feed(await answer_bytes(encode_request(Request(verb, path, named)), desk))
    return decoder.end()


@pytest.mark.proves("QS4")
async def test_a_document_is_answered_with_its_state_and_the_publisher_s_keys(desk: Desk) -> None:
    found = await asked(desk, "FETCH", "/own.md")
    assert found.body == b"# Own\n"
    content_hash = found.fields["content-hash"]
    assert {key: value for key, value in found.fields.items() if key != "modified"} == {
        "status": "ok",
        "version": "1",
        "current-version": "1",
        "etag": content_hash,
        "content-hash": content_hash,
        "body-start": "60",
        "owner": "Ann",
        "empty": "",
        "metadata-status": "accepted",
        "metadata-metadata-x": "y",
    }
    assert len(content_hash) == 64


@pytest.mark.proves("QS4")
async def test_who_has_a_document_already_is_not_sent_it_again(desk: Desk) -> None:
    found = await asked(desk, "FETCH", "/notes.md")
    etag, modified = found.fields["etag"], found.fields["modified"]
    same = await asked(desk, "FETCH", "/notes.md", if_none_match=etag)
    assert (same.fields["status"], same.fields["etag"], same.body) == ("not-modified", etag, b"")
    assert (await asked(desk, "FETCH", "/notes.md", if_none_match="other")).fields["status"] == "ok"
    later = await asked(desk, "FETCH", "/notes.md", if_modified_since=modified)
    assert later.fields["status"] == "not-modified"
    for other, status in (
        ("2001-01-01T00:00:00Z", "ok"),
        ("", "ok"),
        ("soon", "ok"),
        ("2101-01-01", "not-modified"),
        (modified.replace("Z", "+00:00"), "not-modified"),
        (modified.replace("Z", "+01:00"), "ok"),
    ):
        assert (await asked(desk, "FETCH", "/notes.md", if_modified_since=other)).fields["status"] == status
    both = await asked(desk, "FETCH", "/notes.md", if_none_match="other", if_modified_since=modified)
    assert both.fields["status"] == "ok"


@pytest.mark.proves("QS4")
async def test_versions_archived_and_binary_documents_and_wide_metadata(desk: Desk) -> None:
    assert (await asked(desk, "FETCH", "/notes.md/v1")).fields["current-version"] == "1"
    assert (await asked(desk, "FETCH", "/notes.md/v2")).fields == {"status": "not-found"}
    archived = await asked(desk, "FETCH", "/billing/old.md")
    assert archived.fields == {"status": "archived", "version": "1"}
    binary = await asked(desk, "FETCH", "/tape.md")
    assert (binary.fields["kind"], binary.body) == ("binary", b"")
    wide = await asked(desk, "FETCH", "/wide.md")
    assert (wide.body, "k1" in wide.fields, wide.fields["version"]) == (b"# Wide\n", False, "1")


@pytest.mark.proves("QS4")
async def test_a_name_that_no_line_holds_is_listed_found_and_fetched_percent_encoded(desk: Desk) -> None:
    listed = await asked(desk, "LIST", "/")
    assert b"- [line%0Abreak.md](line%0Abreak.md) - Broken name\n" in listed.body
    assert b"- [a%20b.md](a%20b.md) - Percent\n" in listed.body
    assert b"- [tape.md](tape.md) (not text)\n" in listed.body
    assert b"| /line%0Abreak.md\\" not in listed.body
    found = await asked(desk, "LOOKUP", "/", query="flotsam", match="body")
    assert b"| /line%0Abreak.md#broken-name |" in found.body
    assert (await asked(desk, "FETCH", "/line%0Abreak.md")).body.startswith(b"# Broken name")
    assert (await asked(desk, "FETCH", "/a%20b.md")).body == b"# Percent\n"


@pytest.mark.proves("QS4")
async def test_directories_come_in_pages(desk: Desk) -> None:
    first = await asked(desk, "LIST", "/", page_size="3")
    assert (first.fields["entries"], first.fields["complete"]) == ("11", "false")
    assert first.body.decode().splitlines() == [
        "- [billing/](billing/) - 2 documents",
        "- [odd/](odd/) - 1 document",
        "- [team/](team/) - 2 documents",
    ]
    last = await asked(desk, "LIST", "/", cursor=first.fields["next-cursor"])
    assert (last.fields["complete"], "next-cursor" in last.fields) == ("true", False)
    wrong = await asked(desk, "LIST", "/", cursor="junk")
    assert (wrong.fields["status"], wrong.fields["argument"], wrong.fields["value"]) == (
        "bad-request",
        "cursor",
        "junk",
    )
    assert (await asked(desk, "LIST", "/nowhere")).fields == {"status": "not-found"}


@pytest.mark.proves("QS4")
async def test_versions_are_lines_with_their_time(desk: Desk) -> None:
    found = await asked(desk, "VERSIONS", "/billing/old.md")
    assert (found.fields["total"], found.fields["current"], found.fields["archived"]) == ("1", "1", "true")
    assert found.body.startswith(b"- [v1](/billing/old.md/v1) - 20")


@pytest.mark.proves("QS5")
async def test_a_lookup_finds_what_holds_every_term(desk: Desk) -> None:
    async def paths(query: str, **fields: str) -> tuple[list[str], str]:
        found = await asked(desk, "LOOKUP", "/", query=query, match="body", **fields)
        rows = [line.split(" | ")[0] for line in found.body.decode().splitlines() if line.startswith("| /")]
        return rows, found.fields["matches"]

    assert await paths("cold vaults") == (["| /billing/storage.md#tape"], "1")
    assert await paths("cold wombats") == ([], "0")
    assert await paths("where is the tape and the vaults") == (["| /billing/storage.md#tape"], "1")
    assert (await paths("storage rotate"))[1] == "1", "title and tags count as text does"
    assert (await paths("tape", limit="2"))[1] == str(len((await paths("tape", limit="50"))[0]))
    assert len((await paths("cold wombats", question="cold wombats"))[0]) == 2


@pytest.mark.proves("QS5")
async def test_the_match_that_was_asked_for_is_echoed_and_all_but_body_is_a_catalog(desk: Desk) -> None:
    body = await asked(desk, "LOOKUP", "/billing", query="tape", match="body")
    assert body.fields["match"] == "body"
    assert "| Path | Importance | Title | Tags | Snippet |" in body.body.decode()
    for match, echo in (({}, None), ({"match": "catalog"}, "catalog"), ({"match": "fuzzy"}, None)):
        found = await asked(desk, "LOOKUP", "/billing", query="storage", **match)
        assert (found.fields["matches"], found.fields.get("match")) == ("2", echo)
        assert "| Path | Importance | Title | Tags |\n" in found.body.decode()
    assert (await asked(desk, "LOOKUP", "/", query="storage quokka")).fields["matches"] == "2", (
        "any term will do"
    )
    filtered = await asked(desk, "LOOKUP", "/", query="*", match="body", filter="type=adr")
    assert filtered.fields["matches"] == "1"


@pytest.mark.proves("QS5")
async def test_a_question_is_told_how_many_rows_it_names(desk: Desk) -> None:
    named = await asked(desk, "LOOKUP", "/", query="own", question="what is Own about", match="body")
    assert (named.fields["answered"], named.fields["named"]) == ("question", "1")
    assert b"\n| /own.md | " in named.body
    for fields in ({"query": "own"}, {"query": "tape", "question": "tape"}):
        assert "named" not in (await asked(desk, "LOOKUP", "/", match="body", **fields)).fields


@pytest.mark.proves("QS5", "WI5")
async def test_a_catalog_lookup_byte_for_byte(desk: Desk) -> None:
    asking = b"LOOKUP /billing\n---\nmatch: catalog\nquery: rotate\n---\n"
    assert await answer_bytes(asking, desk) == (
        b'---\nmatch: catalog\nmatches: "0"\nstatus: ok\n---\n'
        b'# Lookup matches for "rotate" in /billing\n\n'
        b"| Path | Importance | Title | Tags |\n|------|------------|-------|------|\n"
    )


@pytest.mark.proves("QS4", "WI5")
async def test_a_document_that_is_known_byte_for_byte(desk: Desk) -> None:
    etag = b'"3289499350f05408d8f87cf662b30181ce3beb4f7a0df8d7845730db053d144d"'
    known = await answer_bytes(b"FETCH /own.md\n---\nif-none-match: " + etag + b"\n---\n", desk)
    assert known.startswith(b"---\netag: " + etag + b'\nmodified: "20')
    assert known.endswith(b'Z"\nstatus: not-modified\nversion: "1"\n---\n')


@pytest.mark.proves("VA1", "QS4")
async def test_a_folder_that_is_gone_is_unavailable_and_says_why_once(tmp_path: Path) -> None:
    async with desk_over(tmp_path, {"/a.md": "# A\n"}) as desk:
        (tmp_path / "root").rename(tmp_path / "away")
        for asking in (b"FETCH /a.md\n", b"LIST /\n", b"LOOKUP /\n---\nquery: a\n---\n"):
            assert await answer_bytes(asking, desk) == (
                b"---\nstatus: unavailable\n---\nroot: its folder is gone\n"
            )


@pytest.mark.proves("QS2")
async def test_what_cannot_be_answered_is_a_bad_request_that_says_why(desk: Desk) -> None:
    for fields in ({"limit": "0"}, {"limit": "x"}, {"limit": "10001"}):
        found = await asked(desk, "LOOKUP", "/", query="tape", **fields)
        assert (found.fields["status"], found.body.startswith(b"limit must be")) == ("bad-request", True)
    assert (await asked(desk, "LIST", "/", page_size="1001")).fields["status"] == "bad-request"
    wrong = await asked(desk, "LOOKUP", "/", query="tape", filter="tag")
    assert (wrong.fields["argument"], wrong.fields["value"]) == ("filter", "tag")
    for verb in ("PUBLISH", "ARCHIVE", "APPEND", "DELETE"):
        found = await answer(Request(verb, "/a.md", {}, b"# A\n"), desk)
        assert (found.fields["status"], verb in found.body.decode()) == ("bad-request", True)
    assert (await answer(Request("FETCH", "/notes.md", {}, b"body"), desk)).fields["status"] == "bad-request"


@pytest.mark.proves("QS2")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.binary(max_size=80)
    | st.builds(
        lambda verb, path, block: f"{verb} {path}\n---\n{block}\n---\n".encode("utf-8", "replace"),
        st.sampled_from(["FETCH", "LIST", "VERSIONS", "LOOKUP", "PUBLISH"]),
        st.text(max_size=20).map(lambda text: "/" + text),
        st.sampled_from(
            ["query: x", "limit: -1", "page-size: 1e9", "cursor: '%'", "filter: =", "auth: x", "a: [b]"]
        ),
    )
)
@example(b"PUBLISH /a.md\n# A\n")
@example(b"FETCH /a.md\nbody")
@example(b'LOOKUP /\n---\nquery: "\\0\\uFFFF"\nmatch: body\nlimit: 5\n---\n')
async def test_any_bytes_are_answered_with_a_status(desk: Desk, data: bytes) -> None:
    decoder = ResponseDecoder("us")
    decoder.feed(await answer_bytes(data, desk))
    assert decoder.end().status("us") in {"ok", "not-found", "bad-request", "archived"}


@pytest.mark.proves("QS2")
async def test_a_malformed_request_is_told_what_it_is(desk: Desk) -> None:
    for data, words in ((b"PUBLISH /a.md\n# A\n", b"PUBLISH is no verb"), (b"x" * 5000, b"request line")):
        decoder = ResponseDecoder("us")
        decoder.feed(await answer_bytes(data, desk))
        response = decoder.end()
        assert response.fields["status"] == "bad-request"
        assert words in response.body


@pytest.mark.proves("QS4")
async def test_a_version_that_is_kept_no_more_is_told_as_such(tmp_path: Path) -> None:
    async with desk_over(tmp_path, {"/a.md": "# One\n"}, keep=1) as desk:
        file = tmp_path / "root" / "a.md"
        os.utime(file, (1, 1))
        await asked(desk, "FETCH", "/a.md")
        file.write_text("# Two\n")
        assert (await asked(desk, "FETCH", "/a.md")).fields["version"] == "2"
        found = await asked(desk, "FETCH", "/a.md/v1")
        assert found.fields == {"status": "archived", "version": "1", "pruned": "true"}
