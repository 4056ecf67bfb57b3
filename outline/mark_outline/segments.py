"""Scripts that put no blanks between words, cut into bigrams, for the index and for queries alike."""

import re
from collections.abc import Iterator

# Thai, Lao, Khmer; Hangul Jamo; kana, Bopomofo, Hangul; Han.
_SCRIPT = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u1100-\u11ff\u3005-\u3007\u3031-\u3035\u303b\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
)
_RUN = re.compile(f"[{_SCRIPT}]+")


def segment(text: str) -> str:
    """Set every run of Han, kana, Hangul, Thai, Lao or Khmer as bigrams between blanks; the rest stays.

    A single character stands alone.

    >>> segment("the 中文合約 of 2024")
    'the 中文 文合 合約 of 2024'
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda run: _spaced(run, text), text)


def bigrams(run: str) -> list[str]:
    """Give the bigrams of a run; the run itself when it is a single character."""
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def is_run(text: str) -> bool:
    """Tell whether all of `text` is of the scripts that `segment` cuts."""
    return bool(_RUN.fullmatch(text))


def split_runs(text: str) -> Iterator[str]:
    """Give the runs of `text` and what stands between them, in order."""
    place = 0
    for run in _RUN.finditer(text):
        if run.start() > place:
            yield text[place : run.start()]
        yield run[0]
        place = run.end()
    if place < len(text):
        yield text[place:]


def _spaced(run: re.Match[str], text: str) -> str:
    before = " " if run.start() and not text[run.start() - 1].isspace() else ""
    after = " " if run.end() < len(text) and not text[run.end()].isspace() else ""
    return f"{before}{' '.join(bigrams(run[0]))}{after}"
