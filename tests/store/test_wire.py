"""The codec of the Mark wire: examples byte for byte, round trips in any chunking, limits, hostile bytes."""

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mark_store import ProtocolError
from mark_store.wire_fields import LONGEST_BLOCK, LONGEST_KEY, encode_fields
from mark_store.wire_request import LONGEST_LINE, Request, RequestDecoder, can_name, encode_request
from mark_store.wire_response import Response, encode_response
from tests.conftest import REPO
from tests.store.wires import PEER, TRICKY, cuts, read_request, read_response, requests, responses

CASES: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (REPO / "fixtures" / "cases" / "wire.toml").read_text(encoding="utf-8")
)
REQUESTS, RESPONSES = CASES["request"], CASES["response"]
READERS: list[Callable[[bytes, list[int]], object]] = [read_request, read_response]


def named(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.mark.proves("WI2", "WI5")
@pytest.mark.parametrize("case", [case for case in REQUESTS if not case.get("wrong")], ids=named)
def test_a_request_reads_and_writes_as_its_example(case: dict[str, Any]) -> None:
    data = case["bytes"].encode()
    stated = Request(case["verb"], case["path"], case.get("fields", {}), case.get("body", "").encode())
    for size in (1, 2, 3, 7, 1000):
        assert read_request(data, list(range(0, len(data), size))) == stated
    if case.get("written"):
        assert encode_request(stated) == data


@pytest.mark.proves("WI2", "WI5")
@pytest.mark.parametrize("case", [case for case in RESPONSES if not case.get("wrong")], ids=named)
def test_a_response_reads_and_writes_as_its_example(case: dict[str, Any]) -> None:
    data = case["bytes"].encode()
    stated = Response(case["fields"], case.get("body", "").encode())
    for size in (1, 2, 3, 7, 1000):
        assert read_response(data, list(range(0, len(data), size))) == stated
    if case.get("written"):
        assert encode_response(stated) == data


@pytest.mark.proves("WI3")
@pytest.mark.parametrize("case", [case for case in REQUESTS + RESPONSES if case.get("wrong")], ids=named)
def test_a_wrong_example_is_refused_in_every_chunking(case: dict[str, Any]) -> None:
    data = case["bytes"].encode()
    read = read_request if case in REQUESTS else read_response
    for size in (1, 2, 3, 7, 1000):
        with pytest.raises(ProtocolError) as caught:
            read(data, list(range(0, len(data), size)))
        assert caught.value.place == PEER
        assert caught.value.words.isprintable()


@pytest.mark.proves("WI1", "WI2")
@given(requests, cuts)
@example(Request("FETCH", "/a", {}, b"---\n"), [14, 15, 16, 17, 18])
def test_a_request_comes_back_from_its_bytes(request: Request, at: list[int]) -> None:
    assert read_request(encode_request(request), at) == request


@pytest.mark.proves("WI1", "WI2")
@given(responses, cuts)
def test_a_response_comes_back_from_its_bytes(response: Response, at: list[int]) -> None:
    assert read_response(encode_response(response), at) == response


@pytest.mark.proves("WI2")
@pytest.mark.parametrize("value", TRICKY)
def test_a_value_is_the_text_that_it_was(value: str) -> None:
    data = encode_response(Response({"status": "ok", "a": value}))
    assert read_response(data, []).fields["a"] == value
    assert encode_response(read_response(data, [])) == data


@pytest.mark.proves("WI1", "WI3")
@given(
    st.sampled_from([b"", b"FETCH /a\n", b"FETCH /a\n---\n", b"---\n", b"---\nstatus: ok\n"]),
    st.binary(max_size=80)
    | st.text(alphabet="-\n:{}[]&*!|>'\"#%@` abc\t\r\x00", max_size=80).map(str.encode),
    st.sampled_from([b"", b"\n---\n", b"---\n"]),
    cuts,
)
def test_any_bytes_are_read_or_refused_alike_in_every_chunking(
    start: bytes, middle: bytes, end: bytes, at: list[int]
) -> None:
    data = start + middle + end
    for read in READERS:
        assert outcome(read, data, at) == outcome(read, data, [])


def outcome(read: Callable[[bytes, list[int]], object], data: bytes, at: list[int]) -> object:
    try:
        return read(data, at)
    except ProtocolError as error:
        return error.place


@pytest.mark.proves("WI3")
@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 60_000,
        "{" * 60_000,
        "- " * 30_000,
        "a: &a [*a]\n",
        "&a " * 20_000,
        "? " * 30_000,
        "a: " + "'" * 60_001,
    ],
)
def test_a_block_that_is_made_to_hurt_is_refused(block: str) -> None:
    with pytest.raises(ProtocolError):
        read_response(f"---\n{block}\n---\n".encode(), [])


@pytest.mark.proves("WI4")
@pytest.mark.parametrize("at", [[], [10], list(range(0, 70_000, 997))])
def test_limits_hold_to_the_byte(at: list[int]) -> None:
    path = "/" + "a" * (LONGEST_LINE - len("FETCH /\n"))
    assert read_request(encode_request(Request("FETCH", path)), at).path == path
    with pytest.raises(ProtocolError):
        encode_request(Request("FETCH", path + "a"))
    for ending in (b"", b"\n"):
        with pytest.raises(ProtocolError, match="request line"):
            read_request(f"FETCH {path}a".encode() + ending, at)
    value = "a" * (LONGEST_BLOCK - len("k: \n"))
    longest = encode_fields({"k": value}, PEER)
    assert read_response(longest + b"body", at) == Response({"k": value}, b"body")
    assert read_request(b"FETCH /\n" + longest, at).fields == {"k": value}
    with pytest.raises(ProtocolError):
        encode_fields({"k": value + "a"}, PEER)
    for ending in (b"", b"\n---\n", b"\n---\nbody" * 9000):
        with pytest.raises(ProtocolError, match="metadata"):
            read_response(f"---\nk: {value}a".encode() + ending, at)
    assert read_response(longest + b"12345", at, 5).body == b"12345"
    for data in (longest + b"123456", b"123456", b"---"):
        with pytest.raises(ProtocolError, match="body"):
            read_response(data, at, 5 if len(data) > 5 else 2)
    with pytest.raises(ProtocolError, match="body"):
        read_request(b"FETCH /\nx", at, 0)


@pytest.mark.proves("WI4")
def test_what_passes_a_limit_is_refused_before_its_end() -> None:
    assert taken(RequestDecoder(PEER, 0), b"x" * 100) == LONGEST_LINE // 100
    decoder = RequestDecoder(PEER, 100)
    decoder.feed(b"PUBLISH /a\n")
    assert decoder.verb == "PUBLISH"
    assert taken(decoder, b"x" * 10) == 10


def taken(decoder: RequestDecoder, piece: bytes) -> int:
    """How many pieces a decoder takes before it refuses one."""
    for count in range(1000):
        try:
            decoder.feed(piece)
        except ProtocolError:
            return count
    return 1000


@pytest.mark.proves("WI3")
@pytest.mark.parametrize(
    "fields", [{"": "x"}, {"a\nb": "x"}, {"a" * (LONGEST_KEY + 1): "x"}, {"a": "\ud800"}, {"\udc00": "x"}]
)
def test_what_cannot_be_written_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ProtocolError):
        encode_response(Response(fields))


@pytest.mark.proves("WI3")
@pytest.mark.parametrize("path", ["a.md", "", "/a\nb", "/a\x85b", "/\ud800", "/" + "é" * 3000])
def test_a_path_that_no_line_holds_is_refused(path: str) -> None:
    assert not can_name(path)
    with pytest.raises(ProtocolError):
        encode_request(Request("FETCH", path))


@pytest.mark.proves("WI3")
@pytest.mark.parametrize("stated", ["", "x", "-1", "1.0", "9" * 16, "１"])
def test_a_number_that_is_none_is_refused(stated: str) -> None:
    response = Response({"matches": stated})
    with pytest.raises(ProtocolError):
        response.number("matches", PEER)
    assert response.number("limit", PEER) is None


@pytest.mark.proves("WI3")
def test_an_answer_without_a_word_of_the_protocol_or_with_a_broken_text_is_refused() -> None:
    assert Response({"status": "not-found"}).status(PEER) == "not-found"
    for response in (Response({}), Response({"status": "OK"}), Response({"status": "fine\n" * 50})):
        with pytest.raises(ProtocolError) as caught:
            response.status(PEER)
        assert caught.value.words.isprintable()
    with pytest.raises(ProtocolError):
        Response({}, b"\xff").text(PEER)
