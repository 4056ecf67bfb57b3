"""Which server an address names, and which token goes to it."""

from pathlib import Path

import pytest

from mark_store import BadAddress, Peer, is_mark_address, open_mark
from mark_store.mark_address import Address, token_for


@pytest.mark.proves("QC11")
@pytest.mark.parametrize(
    ("text", "host", "port", "authority"),
    [
        ("mark://Docs.Example", "docs.example", 6309, "docs.example"),
        ("mark://docs.example:6309/", "docs.example", 6309, "docs.example"),
        ("MARK://docs.example:7000", "docs.example", 7000, "docs.example:7000"),
        ("mark://localhost", "localhost", 6309, "localhost"),
        ("mark://127.0.0.1:1", "127.0.0.1", 1, "127.0.0.1:1"),
        ("mark://[::1]:65535", "::1", 65535, "[::1]:65535"),
        ("mark://[0:0::1]", "::1", 6309, "[::1]"),
        ("mark://bücher.example", "xn--bcher-kva.example", 6309, "xn--bcher-kva.example"),
    ],
)
def test_an_address_names_a_server(text: str, host: str, port: int, authority: str) -> None:
    assert is_mark_address(text)
    address = Address.read(text)
    assert (address.host, address.port, address.authority) == (host, port, authority)
    assert address.place == f"mark://{authority}"


@pytest.mark.proves("QC11")
@pytest.mark.parametrize(
    "text",
    [
        *("mark://", "mark:///", "mark://a b", "mark://host:0", "mark://host:65536", "mark://host:x"),
        *("mark://host:999999999999", "mark://host/docs", "mark://user:secret@host", "mark://[::1"),
        *("mark://[zz]", "mark://ho_st..x", "https://host", "mark://host?x", "mark://-host"),
        "mark://" + "a" * 300,
    ],
)
def test_what_names_none_is_one_line_that_says_what_does(text: str) -> None:
    with pytest.raises(BadAddress) as caught:
        Address.read(text)
    assert "mark://host" in caught.value.reason
    assert "secret" not in str(caught.value)


ADDRESS = Address("docs.example", 6309)


@pytest.mark.proves("QC5")
def test_a_token_is_that_of_its_host_and_port_alone(tmp_path: Path) -> None:
    assert ADDRESS.variable == "MARKLOOKUP_TOKEN_DOCS_EXAMPLE"
    environment = {"MARKLOOKUP_TOKEN_DOCS_EXAMPLE": " secret \n"}
    assert token_for(ADDRESS, environment, None) == "secret"
    for other in (Address("docs.example", 7000), Address("example", 6309), Address("docs.example.org", 6309)):
        assert token_for(other, environment, None) == ""
    file = private(tmp_path, "# tokens\n\nDocs.Example:6309 from-file\ndocs.example:7000 other\n")
    assert token_for(ADDRESS, {}, file) == "from-file"
    assert token_for(Address("docs.example", 7000), {}, file) == "other"
    assert token_for(Address("docs.example", 7001), {}, file) == ""
    assert token_for(ADDRESS, environment, file) == "secret"


@pytest.mark.proves("QC5")
def test_a_file_of_tokens_that_others_may_read_or_nobody_can_is_refused(tmp_path: Path) -> None:
    for mode in (0o640, 0o604, 0o660, 0o644, 0o620):
        file = private(tmp_path, "docs.example secret\n", mode)
        with pytest.raises(BadAddress, match="chmod 600"):
            token_for(ADDRESS, {}, file)
    for content in ("docs.example\n", "docs.example a b\n"):
        with pytest.raises(BadAddress, match="line 1"):
            token_for(ADDRESS, {}, private(tmp_path, content))
    with pytest.raises(BadAddress, match="cannot be read"):
        token_for(ADDRESS, {}, tmp_path / "missing")
    broken = private(tmp_path, "")
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(BadAddress, match="UTF-8"):
        token_for(ADDRESS, {}, broken)


@pytest.mark.proves("QC5")
def test_a_token_that_cannot_be_sent_is_refused_without_being_shown() -> None:
    for token in ("sec\nret", "sec\x00ret", "geheimß"):
        with pytest.raises(BadAddress) as caught:
            token_for(ADDRESS, {ADDRESS.variable: token}, None)
        assert "ret" not in str(caught.value)
        assert "geheim" not in str(caught.value)


def private(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "tokens"
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.mark.proves("QC6", "QC11")
async def test_what_goes_with_an_address_is_checked_when_it_is_opened(tmp_path: Path) -> None:
    no_pem = private(tmp_path, "no certificate\n")
    for peer, reason in (
        (Peer(ca=tmp_path / "missing"), "cannot be read"),
        (Peer(ca=no_pem), "no certificates"),
        (Peer(tokens=tmp_path / "missing"), "cannot be read"),
    ):
        with pytest.raises(BadAddress, match=reason):
            await open_mark("mark://docs.example", peer)
    store = await open_mark("mark://docs.example", Peer(data=tmp_path))
    await store.aclose()
