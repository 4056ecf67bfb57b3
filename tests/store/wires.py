"""Messages of the wire that nobody would write by hand, and the same bytes in pieces."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

from mark_store.wire_fields import LONGEST_KEY
from mark_store.wire_request import Request, RequestDecoder
from mark_store.wire_response import Response, ResponseDecoder

PEER = "peer.example"
TRICKY = (
    *(
        "1.10",
        "no",
        "NO",
        "y",
        "2026-01-05",
        "null",
        "~",
        "0x1F",
        "0o7",
        "1e3",
        "true",
        "",
        " ",
        ".inf",
        "1:30",
    ),
    *(
        "a: b",
        "a #b",
        "- a",
        "? a",
        "&a",
        "*a",
        "!!int 3",
        "[a]",
        "{a: b}",
        "|",
        ">",
        "%YAML 1.1",
        "@a",
        "`a`",
    ),
    *(
        "'",
        '"',
        '\\"',
        "\\",
        "a\nb",
        "a\r\nb",
        "\n",
        "\n\n a",
        "\t",
        "---",
        "\n---\n",
        "...",
        "\x00",
        "\x7f",
        "\x85",
    ),
    *(
        "\u2028",
        "\u2029",
        "\ufeff",
        "\ufffe",
        "\U0001f600",
        "\U0010ffff",
        "é",
        "e\u0301",
        "a ",
        " a",
        "a:",
        "#",
        "<<",
    ),
    *("9" * 400, "-0", "+1", "=", "x" * 3000),
)
texts = st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
keys = st.sampled_from(
    [text for text in TRICKY if text and text.isprintable() and len(text) <= LONGEST_KEY]
) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
fields = st.dictionaries(keys, texts, max_size=6)
bodies = st.binary(max_size=60) | st.sampled_from(
    [b"---\n", b"---\n---\n", b"---", b"\n---\n", b"---\na: b\n---\n"]
)
paths = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40).map(lambda text: f"/{text}")
verbs = st.sampled_from(["FETCH", "LIST", "VERSIONS", "LOOKUP", "PUBLISH"])
requests = st.builds(Request, verbs, paths, fields, bodies)
responses = st.builds(Response, fields, bodies)
# Where a stream of bytes is cut, counted from its start.
cuts = st.lists(st.integers(0, 400), max_size=8)


def pieces(data: bytes, at: list[int]) -> Iterator[bytes]:
    """The bytes in pieces, empty ones among them."""
    edges = [0, *sorted(min(cut, len(data)) for cut in at), len(data)]
    for start, end in pairwise(edges):
        yield data[start:end]


def read_request(data: bytes, at: list[int], longest_body: int = 1 << 20) -> Request:
    """The request that comes in these pieces."""
    decoder = RequestDecoder(PEER, longest_body)
    for piece in pieces(data, at):
        decoder.feed(piece)
    return decoder.end()


def read_response(data: bytes, at: list[int], longest_body: int = 1 << 20) -> Response:
    """The response that comes in these pieces."""
    decoder = ResponseDecoder(PEER, longest_body)
    for piece in pieces(data, at):
        decoder.feed(piece)
    return decoder.end()
