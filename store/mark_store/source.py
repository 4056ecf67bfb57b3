"""A file's bytes as text: decoded, or found to be no text at all."""

from dataclasses import dataclass

from .port import Kind

# More undecodable bytes than this share make a file "binary" (store.md, Documents); a few accents of
# another encoding in a short note do not.
_TOLERATED = 0.01
_FEW = 16
_FEW_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Source:
    """Decoded text; "" for a binary file. `flaw` is one line about what was wrong with the bytes."""

    text: str
    kind: Kind
    flaw: str | None


def decoded(data: bytes) -> Source:
    """Decode UTF-8, invalid bytes as U+FFFD; NUL bytes or over 1 % of invalid bytes make the file binary.

    >>> decoded(b"caf\\xe9 " + b"x" * 200).text[:4], decoded(b"a\\0b").kind
    ('caf�', 'binary')
    """
    if b"\0" in data:
        return Source("", "binary", "holds NUL bytes: listed, not read as text")
    try:
        return Source(data.decode(), "text", None)
    except UnicodeDecodeError as error:
        first = error.start
    # Each undecodable byte becomes one lone surrogate, which valid UTF-8 cannot yield.
    invalid = sum("\udc80" <= character <= "\udcff" for character in data.decode(errors="surrogateescape"))
    if invalid > max(_TOLERATED * len(data), min(_FEW, _FEW_SHARE * len(data))):
        return Source("", "binary", f"{invalid} of {len(data)} bytes are not UTF-8: listed, not read as text")
    line = data.count(b"\n", 0, first) + 1
    return Source(
        data.decode(errors="replace"), "text", f"{invalid} bytes are not UTF-8 (first in line {line})"
    )
