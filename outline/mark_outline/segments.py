"""Scripts that put no blanks between words, cut into bigrams for index and queries alike (O5, OL13)."""

import re
import unicodedata
from collections.abc import Iterator
from operator import add
from typing import Final

_RANGES: Final = (
    *(("\u0e01", "\u0e3a"), ("\u0e40", "\u0e4e")),  # Thai
    *(("\u0e81", "\u0ebd"), ("\u0ec0", "\u0ece"), ("\u0edc", "\u0edf")),  # Lao
    *(("\u1780", "\u17d3"), ("\u17d7", "\u17d7"), ("\u17dc", "\u17dd")),  # Khmer
    *(("\u1100", "\u11ff"), ("\u3131", "\u318e"), ("\ua960", "\ua97c"), ("\uac00", "\ud7fb")),  # Hangul
    *(("\u3041", "\u3096"), ("\u3099", "\u309a"), ("\u309d", "\u309f"), ("\u31f0", "\u31ff")),  # kana
    *(("\u30a1", "\u30fa"), ("\u30fc", "\u30ff"), ("\uff66", "\uff9f"), ("\u3031", "\u3035")),  # kana
    *(
        ("\u3105", "\u312f"),
        ("\u31a0", "\u31bf"),
        ("\u3005", "\u3007"),
        ("\u303b", "\u303b"),
    ),  # Bopomofo, signs
    *(("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003fffd")),  # Han
)
_SCRIPTS = "".join(f"{first}-{last}" for first, last in _RANGES)
# Vowel signs and tone marks of Thai, Lao and Khmer, and kana's voicing marks, belong to the character before.
_SIGNS = "".join(
    sign
    for sign in map(chr, (*range(0xE00, 0xF00), *range(0x1780, 0x1800), 0x3099, 0x309A))
    if unicodedata.category(sign).startswith("M")
)
_RUN = re.compile(f"[{_SCRIPTS}]+")
_SIGN = re.compile(f"[{_SIGNS}]")
_CHARACTER = re.compile(f".[{_SIGNS}]*")


def segment(text: str, ends: bool = False) -> str:
    """Set every run of Han, kana, Hangul, Thai, Lao or Khmer as bigrams between blanks; the rest stays.

    A character that stands alone stays alone; with `ends` the last one of each run also stands alone, so that
    every character begins a word.

    >>> segment("API文档 of 2024"), segment("API文档 of 2024", ends=True)
    ('API 文档 of 2024', 'API 文档 档 of 2024')
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda run: _spaced(run, text, ends), text)


def bigrams(run: str) -> list[str]:
    """Give every two neighbours of a run, with their signs; the run itself when it is one character.

    >>> bigrams("中文合約")
    ['中文', '文合', '合約']
    """
    if not _SIGN.search(run):
        return list(map(add, run, run[1:])) or [run]
    characters = _CHARACTER.findall(run)
    return ["".join(characters[place : place + 2]) for place in range(max(1, len(characters) - 1))]


def is_run(text: str) -> bool:
    """Tell whether all of `text` is of the scripts that `segment` cuts."""
    return _RUN.fullmatch(text) is not None


def split_runs(text: str) -> Iterator[str]:
    """Give the runs of `text` and what stands between them, in order."""
    place = 0
    for run in _RUN.finditer(text):
        yield text[place : run.start()]
        yield run[0]
        place = run.end()
    yield text[place:]


def _spaced(run: re.Match[str], text: str, ends: bool) -> str:
    before = " " if run.start() and not text[run.start() - 1].isspace() else ""
    after = " " if run.end() < len(text) and not text[run.end()].isspace() else ""
    words = bigrams(run[0])
    if ends:
        words += _CHARACTER.findall(words[-1])[1:]
    return f"{before}{' '.join(words)}{after}"
