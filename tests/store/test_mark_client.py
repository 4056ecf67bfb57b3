"""The client of Mark servers against servers that are not ours: terms, echoes, statuses, what is kept."""

from pathlib import Path

import pytest

from mark_store import (
    Archived,
    BadFilter,
    BadQuery,
    KeptAnswers,
    MarkStore,
    NotFound,
    NotPermitted,
    ProtocolError,
    Pruned,
    Reader,
    Request,
    Response,
    StoreError,
    Unauthorized,
    Unavailable,
    VersionCache,
)
from mark_store.mark_questions import queries
from tests.store.foreign import Foreign, table
from tests.store.tree import found_below

OK = {"status": "ok"}


def matching_all(*words: str) -> Foreign:
    """A server with one section that holds these words, and matches all terms of a query, as servers do."""

    def answers(request: Request) -> Response:
        wanted = set(request.fields["query"].split())
        return table("/a.md") if wanted <= set(words) or wanted == {"*"} else table()

    return Foreign(answers)


@pytest.mark.proves("QC2")
async def test_a_question_becomes_queries_of_fewer_terms_until_something_is_found() -> None:
    server = matching_all("invoices", "apply_secrets")
    page = await MarkStore(server).lookup("where do the invoices go that apply_secrets wrote?")
    assert server.queries() == ["invoices go apply_secrets wrote", "invoices apply_secrets"]
    assert (page.total, page.asked, page.match) == (1, "invoices apply_secrets", "body")


@pytest.mark.proves("QC2")
async def test_at_most_three_queries_are_asked_and_what_is_found_at_once_is_final() -> None:
    server = matching_all("tape")
    page = await MarkStore(server).lookup("one two three four five six seven eight nine ten")
    assert (len(server.asked), page.total) == (3, 0)
    server = matching_all("cold", "tape")
    page = await MarkStore(server).lookup("the cold tape")
    assert (server.queries(), page.asked) == (["cold tape"], "")


@pytest.mark.proves("QC2")
@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("*", ("*",)),
        ("", ("*",)),
        ("...", ("*",)),
        ("the", ("the",)),
        ("tape", ("tape",)),
        ("what does ADR-0012 say", ("adr-0012 say", "adr-0012")),
        ("who is Ann in billing", ("ann billing", "ann")),
        ("a\nb\0 tape", ("b tape", "tape")),
        ("轉換體驗", ("轉換 換體 體驗", "換體 體驗", "體驗")),
    ],
)
def test_the_rarer_terms_are_kept(question: str, asked: tuple[str, ...]) -> None:
    assert queries(question) == asked


@pytest.mark.proves("QC2")
def test_a_question_of_any_length_fits_the_wire() -> None:
    for question in ("word " * 10_000, "🚀" * 10_000, "轉" * 10_000):
        assert all(len(query) <= 2000 for query in queries(question))
    assert len(queries("word" * 10_000)[0]) <= 2000


@pytest.mark.proves("QC2")
async def test_our_own_server_is_asked_once_with_the_question_as_it_is() -> None:
    server = Foreign(lambda _: Response({**table().fields, "answered": "question"}))
    page = await MarkStore(server).lookup("where do Cold invoices go")
    assert (len(server.asked), page.asked) == (1, "")
    assert server.asked[0].fields["question"] == "where do Cold invoices go"


@pytest.mark.proves("QC2", "RK1")
async def test_rows_that_the_server_says_are_named_are_the_first_of_all() -> None:
    def naming(says: str) -> MarkStore:
        def answers(request: Request) -> Response:
            paths = [f"/{letter}.md" for letter in "abcdefgh"][: int(request.fields["limit"])]
            found = table(*paths, matches=8)
            return Response({**found.fields, "answered": "question", "named": says}, found.body)

        return MarkStore(Foreign(answers))

    for says, first in (("2", 2), ("0", 0), ("99", 4)):
        for limit, offset in ((1, 0), (1, 1), (3, 1), (8, 0)):
            page = await naming(says).lookup("the a of b", limit=limit, offset=offset)
            assert page.named == first
            expected = [number < first for number in range(offset, offset + limit)]
            assert [row.named for row in page.rows] == expected
    with pytest.raises(ProtocolError, match="named is no number"):
        await naming("many").lookup("a")


@pytest.mark.proves("QC3")
async def test_without_the_echo_an_answer_is_that_of_a_catalog_and_says_so() -> None:
    server = Foreign(lambda _: table("/a.md", "/b.md", match="catalog"))
    page = await MarkStore(server).lookup("cold tape")
    assert (page.match, len(page.rows), len(server.asked)) == ("catalog", 2, 1)
    with pytest.raises(ProtocolError, match="table"):
        await MarkStore(Foreign(lambda _: Response(OK, table("/a.md").body))).lookup("x")
    nothing = Foreign(lambda _: Response(OK | {"matches": "0"}, b"Nothing.\n"))
    empty = await MarkStore(nothing).lookup("cold tape")
    assert (empty.match, empty.total, empty.asked) == ("catalog", 0, "")
    assert len(nothing.asked) == 1, "a catalog has any of the terms already"


@pytest.mark.proves("QC3")
async def test_totals_are_what_the_server_counts_unless_it_gives_no_more_rows() -> None:
    server = Foreign(
        lambda request: table(*(f"/{n}.md" for n in range(int(request.fields["limit"]))), matches=500)
    )
    page = await MarkStore(server).lookup("x", limit=2, offset=3)
    assert ([row.path for row in page.rows], page.total) == (["/3.md", "/4.md"], 500)
    capped = Foreign(lambda _: table("/a.md", "/b.md", matches=500))
    page = await MarkStore(capped).lookup("x", limit=2, offset=2)
    assert (page.rows, page.total) == ((), 2)
    eager = Foreign(lambda _: table("/a.md", "/b.md", "/c.md"))
    assert len((await MarkStore(eager).lookup("x", limit=2)).rows) == 2


@pytest.mark.proves("QC9")
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"status": "not-found"}, NotFound),
        ({"status": "archived", "version": "3"}, Archived),
        ({"status": "archived", "version": "3", "pruned": "true"}, Pruned),
        ({"status": "unauthorized"}, Unauthorized),
        ({"status": "not-permitted"}, NotPermitted),
        ({"status": "bad-request"}, ProtocolError),
        ({"status": "bad-request", "argument": "cursor", "value": "x", "allowed": "y"}, BadQuery),
        ({"status": "bad-request", "argument": "filter", "value": "x", "allowed": "y"}, BadFilter),
        ({"status": "server-error"}, Unavailable),
        ({"status": "unavailable"}, Unavailable),
        ({"status": "too-large"}, ProtocolError),
        ({"status": "conflict"}, ProtocolError),
        ({"status": "created"}, ProtocolError),
        ({"status": "not-modified"}, ProtocolError),
        ({"status": "splendid"}, ProtocolError),
        ({}, ProtocolError),
    ],
)
async def test_every_status_has_its_error(fields: dict[str, str], fault: type[StoreError]) -> None:
    store = MarkStore(
        Foreign(lambda _: Response(fields, b"words of\x00 the\npeer " * 99)), variable="TOKEN_OF_IT"
    )
    for ask in (
        store.fetch("/a.md"),
        store.fetch("/a.md", 2),
        store.lookup("x"),
        store.list("/b"),
        store.versions("/a.md"),
    ):
        with pytest.raises(StoreError) as caught:
            await ask
        assert type(caught.value) is fault
    if isinstance(caught.value, ProtocolError):
        assert len(caught.value.words) < 300
        assert caught.value.words.isprintable()


@pytest.mark.proves("QC9")
@pytest.mark.parametrize(
    "response",
    [
        Response(OK | {"version": "x"}, b"# A\n"),
        Response(OK | {"version": "4"}, b"\xff"),
        Response(OK | {"version": "9" * 30}, b"# A\n"),
    ],
)
async def test_a_document_that_is_none_is_the_peer_s_fault(response: Response) -> None:
    with pytest.raises(ProtocolError) as caught:
        await MarkStore(Foreign(lambda _: response)).fetch("/a.md")
    assert caught.value.place == "mark://isle.example"


@pytest.mark.proves("QC9")
async def test_another_version_than_the_one_asked_for_is_refused() -> None:
    with pytest.raises(ProtocolError, match="version 2"):
        await MarkStore(Foreign(lambda _: Response(OK | {"version": "3"}, b"x"))).fetch("/a.md", 2)
    plain = await MarkStore(Foreign(lambda _: Response(OK, b"x"))).fetch("/a.md", 2)
    assert (plain.version, plain.current, plain.body) == (2, None, "x")
    with pytest.raises(ProtocolError, match="no version"):
        await MarkStore(Foreign(lambda _: Response(OK))).versions("/a.md")


class Shelf:
    """A server with one document that changes, as others have it: etags, no hash, no history of heads."""

    def __init__(self) -> None:
        self.bodies = ["first"]
        self.status = ""
        self.sent = 0

    def answers(self, request: Request) -> Response:
        if self.status:
            return Response({"status": self.status, "version": str(len(self.bodies))})
        name, _, version = request.path.partition("/v")
        number = int(version) if version else len(self.bodies)
        etag = f"e{number}"
        if request.fields.get("if-none-match") == etag:
            return Response({"status": "not-modified"})
        self.sent += 1
        fields = OK | {
            "etag": etag,
            "version": str(number),
            "current-version": str(len(self.bodies)),
            "name": name,
        }
        return Response(fields, self.bodies[number - 1].encode())


@pytest.mark.proves("QC4")
async def test_a_version_is_asked_for_once_and_a_head_by_its_etag(tmp_path: Path) -> None:
    shelf = Shelf()
    store = MarkStore(Foreign(shelf.answers), kept(tmp_path))
    first = await store.fetch("/a.md")
    assert await store.fetch("/a.md") == first
    assert shelf.sent == 1
    shelf.bodies.append("second")
    assert (await store.fetch("/a.md")).body == "second"
    old = await store.fetch("/a.md", 1)
    assert (old.body, old.version, old.current) == ("first", 1, 2)
    assert shelf.sent == 2
    again = MarkStore(Foreign(shelf.answers), kept(tmp_path))
    assert (await again.fetch("/a.md", 2)).body == "second"
    assert shelf.sent == 2


@pytest.mark.proves("QC4")
async def test_what_is_kept_answers_while_the_server_does_not_and_hides_no_refusal(tmp_path: Path) -> None:
    shelf = Shelf()
    store = MarkStore(Foreign(shelf.answers), kept(tmp_path))
    await store.fetch("/a.md", 1)
    shelf.status = "unavailable"
    assert (await store.fetch("/a.md", 1)).current is None
    with pytest.raises(Unavailable):
        await store.fetch("/a.md")
    shelf.status = "archived"
    assert (await store.fetch("/a.md", 1)).current == 1
    for status, fault in (
        ("not-found", NotFound),
        ("not-permitted", NotPermitted),
        ("unauthorized", Unauthorized),
    ):
        shelf.status = status
        with pytest.raises(fault):
            await store.fetch("/a.md", 1)


@pytest.mark.proves("QC4")
async def test_what_one_token_or_server_gave_is_not_another_s(tmp_path: Path) -> None:
    shelf = Shelf()
    cache = VersionCache(tmp_path)
    callers = [
        KeptAnswers.of(cache, host, token) for host in ("a.example", "b.example") for token in ("", "s", "t")
    ]
    for number, caller in enumerate(callers):
        await MarkStore(Foreign(shelf.answers), caller).fetch("/a.md", 1)
        assert shelf.sent == number + 1
    assert len(found_below(tmp_path, "*")) == len(callers)


@pytest.mark.proves("QC4")
async def test_an_answer_that_cannot_be_written_again_is_given_and_not_kept(tmp_path: Path) -> None:
    long_key = Foreign(lambda _: Response(OK | {"etag": "e", "version": "1", "k" * 500: "x"}, b"x"))
    store = MarkStore(long_key, kept(tmp_path))
    assert (await store.fetch("/a.md")).body == (await store.fetch("/a.md")).body == "x"
    assert found_below(tmp_path, "*") == []


def kept(folder: Path) -> KeptAnswers:
    return KeptAnswers.of(VersionCache(folder), "isle.example", "")


@pytest.mark.proves("QC5")
async def test_a_token_goes_into_every_request_and_without_one_none_does() -> None:
    for token in ("", "secret"):
        server = Foreign(lambda _: Response({"status": "not-found"}))
        store = MarkStore(server, None, token)
        for ask in (store.fetch("/a.md"), store.lookup("x"), store.list("/b"), store.versions("/a.md")):
            with pytest.raises(NotFound):
                await ask
        assert {request.fields.get("auth", "") for request in server.asked} == {token}


@pytest.mark.proves("QC10")
async def test_a_path_that_cannot_be_asked_for_is_not_found_and_not_asked_for() -> None:
    server = Foreign(lambda _: Response({"status": "not-found"}))
    store = MarkStore(server)
    for path in ("/../a.md", "/a\nb.md", "/.git/a.md", "/" + "x" * 5000, "//a.md", "/\ud800"):
        for ask in (store.fetch(path), store.versions(path), store.list(path), store.lookup("x", scope=path)):
            with pytest.raises(NotFound):
                await ask
    with pytest.raises(NotFound):
        await store.fetch("/a.md", 0)
    assert server.asked == []


@pytest.mark.proves("QC10")
async def test_a_limited_reader_sees_its_part_and_asks_for_nothing_else() -> None:
    paths = [f"/in/{number}.md" for number in range(5)] + [f"/out/{number}.md" for number in range(5)]

    def answers(request: Request) -> Response:
        if request.verb == "LOOKUP":
            return table(*(path for path in paths if path.startswith(request.path)))
        names = {path.removeprefix(request.path).strip("/").split("/")[0] for path in paths}
        folders = request.path == "/"
        return Response(
            OK,
            "".join(
                f"- [{n}/](x/)\n".replace("x", n) if folders else f"- [{n}]({n})\n" for n in sorted(names)
            ).encode(),
        )

    store, reader = MarkStore(Foreign(answers)), Reader(("/in/1.md", "/in/3.md"))
    page = await store.lookup("x", limit=1, offset=1, reader=reader)
    assert ([row.path for row in page.rows], page.total) == (["/in/3.md"], 2)
    whole = await store.list("/", reader=reader)
    assert [(entry.path, entry.count) for entry in whole.entries] == [("/in/", 2)]
    for scope in ("/out", "/out/1.md"):
        with pytest.raises(NotFound):
            await store.lookup("x", scope=scope, reader=reader)
    with pytest.raises(NotFound):
        await store.list("/out", reader=reader)


@pytest.mark.proves("QC10")
async def test_a_limited_reader_pages_through_a_directory_and_a_foreign_cursor_is_refused() -> None:
    paths = [f"/{number}.md" for number in range(9)]

    def answers(request: Request) -> Response:
        if request.verb == "LOOKUP":
            return table(*paths)
        start = int(request.fields.get("cursor", "0"))
        more = {"next-cursor": str(start + 2)} if start + 2 < len(paths) else {}
        return Response(
            OK | more, "".join(f"- [{path[1:]}]({path[1:]})\n" for path in paths[start : start + 2]).encode()
        )

    store, reader = MarkStore(Foreign(answers)), Reader(("/2.md", "/4.md", "/8.md"))
    first = await store.list("/", page_size=2, reader=reader)
    assert [entry.path for entry in first.entries] == ["/2.md", "/4.md"]
    rest = await store.list("/", first.cursor or "", 2, reader=reader)
    assert ([entry.path for entry in rest.entries], rest.cursor, rest.total) == (["/8.md"], None, 3)
    for cursor in ("junk", "99", "-1", "٣"):
        with pytest.raises(BadQuery):
            await store.list("/", cursor, reader=reader)


@pytest.mark.proves("QC1")
async def test_closing_closes_the_way_to_the_server() -> None:
    server = Foreign(lambda _: table())
    async with MarkStore(server):
        pass
    assert server.closed == 1
