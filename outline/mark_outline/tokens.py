"""Exact token counters, offline: `o200k_base`, `cl100k_base`, and UTF-8 bytes (B3).

Nothing is loaded before the first count. What a section costs is `costs`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final, Protocol, cast

ENCODINGS: Final = ("o200k_base", "cl100k_base", "bytes")
"""The encodings by name; `bytes` needs no vocabulary."""

_BYTES_A_TOKEN = 4
# The tokenizer keeps every chunk that it has seen: counting 22 million characters takes some 85 MB.
_KEPT = 4_000_000
_LONG_S = "'\u017f"
# Every special token of either encoding begins so.
_SPECIAL = "<|"
_BYTES_AN_ID = 4


class UnknownEncoding(ValueError):  # noqa: N818 - named for what happened, as the rest of the tree
    """No counter has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown encoding {name!r}; one of: {', '.join(ENCODINGS)}")
        self.name = name


class Counter(Protocol):
    """Counts text in units: tokens, or for `bytes` UTF-8 bytes, which four to a token are shown as tokens."""

    @property
    def encoding(self) -> str:
        """The name that `counter` knows it by."""

    def count(self, text: str) -> int:
        """Give the units of `text`; special tokens in it are ordinary text."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Give the units of each text."""

    def units(self, tokens: int) -> int:
        """Give a budget in tokens as units."""

    def tokens(self, units: int) -> int:
        """Give units as the tokens that a reader is shown, rounded up."""

    def release(self) -> None:
        """Give back the memory that counting a batch has taken."""


def counter(encoding: str) -> Counter:
    """Give the counter of `encoding`.

    Raises:
        UnknownEncoding: no encoding has this name.
    """
    if encoding not in ENCODINGS:
        raise UnknownEncoding(encoding)
    return _ByteCounter() if encoding == "bytes" else _TokenCounter(encoding)


class _ByteCounter:
    encoding: Final = "bytes"

    def count(self, text: str) -> int:
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def units(self, tokens: int) -> int:
        return tokens * _BYTES_A_TOKEN

    def tokens(self, units: int) -> int:
        return -(-units // _BYTES_A_TOKEN)

    def release(self) -> None:
        """Hold nothing."""


class _TokenCounter:
    def __init__(self, encoding: str) -> None:
        self.encoding: Final = encoding
        self._kept = 0

    def count(self, text: str) -> int:
        self._kept += len(text)
        if self._kept > _KEPT:
            self.release()
        if _LONG_S in text:
            return self._count_long_s(text)
        return self._count_plain(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def units(self, tokens: int) -> int:
        return tokens

    def tokens(self, units: int) -> int:
        return units

    def release(self) -> None:
        _tokenizer(self.encoding).clear_cache()
        self._kept = 0

    def _count_long_s(self, text: str) -> int:
        # The encodings' `(?i:'s)` takes 'ſ for a contraction, this tokenizer does not, so the words that hold
        # one may be cut otherwise: their bytes are added, which no encoding of them exceeds.
        doubtful = sum(len(word.encode()) for word in text.split() if _LONG_S in word)
        return self._count_plain(text) + doubtful

    def _count_plain(self, text: str) -> int:
        if _SPECIAL in text:
            return len(_tokenizer(self.encoding).encode_ordinary(text))
        # A fifth quicker, since it makes no list of numbers; but it takes special tokens for what they name.
        return len(_tokenizer(self.encoding).encode_flat(text)) // _BYTES_AN_ID


class _Tokenizer(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...

    def encode_flat(self, text: str) -> bytes: ...

    def clear_cache(self) -> None: ...


@cache
def _tokenizer(encoding: str) -> _Tokenizer:
    # 19 MB of vocabularies, which a store that counts bytes never needs.
    return cast(_Tokenizer, import_module("splintr").Tokenizer.from_pretrained(encoding))
