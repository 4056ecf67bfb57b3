"""Front matter: the metadata at the head of a file, taken off before the body is parsed (OL9, OL10).

YAML stands between `---` and `---` or `...`, TOML between `+++` and `+++`. How their values become strings is
`yaml_values` and `toml_values`; which keys mean something is left to the store.
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import yaml

from mark_outline.toml_values import toml_values
from mark_outline.white import WHITE
from mark_outline.yaml_values import NoMappingError, yaml_values

LONGEST: Final = 65_536
"""Characters: of longer front matter only the plain lines are read."""
MOST_LINES: Final = 1000
"""Lines: of broken front matter no more are looked at."""


class _Syntax(NamedTuple):
    """One kind of front matter: the block with its fences, its reader, and one plain line of it."""

    block: re.Pattern[str]
    read: Callable[[str], dict[str, str]]
    line: re.Pattern[str]


_END = r"[ \t]*\r?(?:\n|\Z)"
_YAML = _Syntax(
    # A blank line after the fence makes it a thematic break.
    re.compile(rf"---[ \t]*\r?\n(?!{_END})(?:(.*?)\r?\n)??(?:---|\.\.\.){_END}", re.DOTALL),
    yaml_values,
    re.compile(r"([^\s#:\"'\[\]{}&*!|>%@`,-][^:\n]{0,127}?)[ \t]*:(?:[ \t]+(.*))?"),
)
_TOML = _Syntax(
    re.compile(rf"\+\+\+[ \t]*\r?\n(?:(.*?)\r?\n)??\+\+\+{_END}", re.DOTALL),
    toml_values,
    re.compile(r"([\w.-]{1,128})[ \t]*=[ \t]*(.*)"),
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's metadata and its body, which starts `body_start` characters into the file's text.

    `raw` is the text between the fences, empty when there is no front matter; `warning` is one line, without
    the file's name, where the front matter is broken.
    """

    metadata: dict[str, str]
    body: str
    body_start: int
    raw: str
    warning: str | None


def front_matter(text: str) -> FrontMatter:
    """Take the front matter and a BOM off the text of a file; never raises.

    >>> front_matter("---\\ntitle: Setup\\n---\\n# Setup\\n").metadata
    {'title': 'Setup'}
    """
    start = int(text.startswith("\ufeff"))
    for syntax in (_YAML, _TOML):
        block = syntax.block.match(text, start)
        values = _values(block[1] or "", syntax) if block else None
        if block and values:
            metadata, warning = values
            return FrontMatter(metadata, text[block.end() :], block.end(), block[1] or "", warning)
    return FrontMatter({}, text[start:], start, "", None)


def _values(raw: str, syntax: _Syntax) -> tuple[dict[str, str], str | None] | None:
    """Give metadata and warning, or None when the text is no front matter but body between two rules."""
    try:
        if len(raw) <= LONGEST:
            return {key: value.strip(WHITE) for key, value in syntax.read(raw).items()}, None
        warning = f"front matter of {len(raw)} characters: only plain lines are read"
    except NoMappingError:
        return None
    except (yaml.YAMLError, tomllib.TOMLDecodeError) as error:
        warning = _warning(error)
    return (_plain_values(raw, syntax), warning) if _is_matter(raw, syntax) else None


def _plain_values(raw: str, syntax: _Syntax) -> dict[str, str]:
    """Give the values of the lines `key: value` that stand on their own, each read alone where it can be."""
    values: dict[str, str] = {}
    for line in raw.splitlines()[:MOST_LINES]:
        if (plain := syntax.line.fullmatch(line)) and plain[2]:
            values |= _line_values(line, plain, syntax)
    return values


def _line_values(line: str, plain: re.Match[str], syntax: _Syntax) -> dict[str, str]:
    try:
        return syntax.read(line)
    except (yaml.YAMLError, tomllib.TOMLDecodeError, NoMappingError):
        return {plain[1]: plain[2].strip(WHITE)}


def _is_matter(raw: str, syntax: _Syntax) -> bool:
    """Tell broken front matter from prose between two rules: most lines that are not indented are entries."""
    lines = [line for line in raw.splitlines() if line and not line[0].isspace()]
    entries = sum(1 for line in lines if line[0] in "#-[]{}" or syntax.line.fullmatch(line))
    return entries * 2 > len(lines)


def _warning(error: yaml.YAMLError | tomllib.TOMLDecodeError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    # The fence is the file's first line, and the parser counts from 0.
    place = f" (line {mark.line + 2})" if mark else ""
    return f"broken front matter: {' '.join(str(problem).split())}{place}"
