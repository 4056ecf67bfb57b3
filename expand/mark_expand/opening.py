"""The opening text of a document: its first prose, whole blocks or sentences (O4).

Works on lines alone: what is a heading was decided when the outline was made. How the text is
framed and whether it fits is left to the expansion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mark_outline import WHITE, Outline, fold

# Lines that start something other than prose: headings, quotes, tables, HTML, fences, indented code, lists,
# images, badges, link definitions, rules.
_NOT_PROSE = re.compile(
    r" {4}|\t|\s{0,3}(?:[#>|<]|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t]|!\[|\[!\[|\[[^\]]+\]:|"
    r"(?:[-*_=][ \t]*){3,}$)"
)
_LIST = re.compile(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_SENTENCE = re.compile(r"(?:[.!?…]+[\"'”’)\]]*(?=\s|$))|[。！？｡।۔]+[”」』）]*")
# A section is mainly prose when no more than two thirds of it are something else: not a checklist.
_MAINLY = 3
# So many bytes, or words, say something even where no sentence ends.
_TELLING = 80
_FEW_WORDS = 3
_LETTERS = re.compile(r"[^\W\d_]+")
# O4: sections in which a document says itself what it is, where one of the first so many is called so.
_EARLY = 8
_SUMMARY = """
abstract summary overview synopsis tl;dr tldr introduction
zusammenfassung überblick kurzfassung résumé sommaire resumen riassunto resumo
аннотация резюме обзор 摘要 概要 概述 简介 ملخص บทคัดย่อ สรุป
"""
_SUMMARIES = frozenset(_SUMMARY.split())
_NUMBERING = " .:0123456789"
_COMMENT = re.compile(r"\s*<!--(?:(?!-->).)*-->", re.DOTALL)
_UNDERLINE = re.compile(r"[>\s]*(?:=+|-+)\s*$")


def opening(body: str, outline: Outline, limit: int, most: int = 0) -> tuple[int, int] | None:
    """Find the opening text as character offsets of `body`; None when the document has no prose.

    At most `limit` UTF-8 bytes: from the first prose of a section that is called a summary, else of the first
    that is mainly prose (of the first that has any, where none is), whole blocks across headings, then whole
    sentences of the next. Where not one sentence is so short, the first of them, at most `most` bytes.
    """
    start = _summary(body, outline)
    if start is None:
        start = next(iter(_starts(body, outline)), None)
    if start is None:
        return None
    return _extend(body, outline, start, limit) or _first_sentence(body, outline, start, most)


def _starts(body: str, outline: Outline) -> list[int]:
    """Where an opening may begin, best places first: in sections that are mainly prose and say something."""
    found: list[tuple[bool, bool, int]] = []
    for first, stop in _own_texts(body, outline):
        blocks = list(_blocks(body, first, stop))
        prose = [block for block in blocks if not _NOT_PROSE.match(body, *block)]
        mainly = _MAINLY * _length(prose) >= _length(blocks)
        telling = [block for block in prose if _says_something(body[slice(*block)])]
        if prose:
            found.append((not (mainly and telling), not mainly, (telling or prose)[0][0]))
        if mainly and telling:
            break
    return [start for _, _, start in sorted(found)]


def _says_something(text: str) -> bool:
    """Tell whether a paragraph is more than a date, a name or a status of one word or two."""
    told = text.strip(WHITE)
    # The length first: a megabyte of dots would take the search for a sentence's end quadratic time.
    if len(told.encode()) >= _TELLING or len(_LETTERS.findall(told)) >= _FEW_WORDS:
        return True
    return any(mark.end() == len(told) for mark in _SENTENCE.finditer(told))


def _length(blocks: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in blocks)


def _summary(body: str, outline: Outline) -> int | None:
    """Where the prose of a section begins that is called a summary; None where there is none."""
    for section in outline.sections[:_EARLY]:
        # One that ends a chapter sums up what was told; it does not say what comes.
        is_late = section.char_start * 2 > len(body)
        if fold(section.title).strip(_NUMBERING) in _SUMMARIES and not is_late:
            first = after_heading(body, section.char_start, section.char_own_end)
            for start, end in _blocks(body, first, section.char_own_end):
                if not _NOT_PROSE.match(body, start, end):
                    return start
    return None


def _own_texts(body: str, outline: Outline) -> Iterator[tuple[int, int]]:
    """Own texts in document order, each without its heading lines."""
    first = outline.sections[0].char_start if outline.sections else len(body)
    yield 0, first
    for section in outline.sections:
        yield after_heading(body, section.char_start, section.char_own_end), section.char_own_end


def after_heading(body: str, start: int, stop: int) -> int:
    """Find the character offset below the heading lines of the own text `body[start:stop]`."""
    line_end = _line_end(body, start, stop)
    if body[start:line_end].lstrip(" \t>-*+0123456789.)").startswith("#"):
        return line_end
    while line_end < stop:
        start, line_end = line_end, _line_end(body, line_end, stop)
        if _UNDERLINE.match(body, start, line_end):
            return line_end
    return stop


def is_blank(body: str, start: int, stop: int) -> bool:
    """Tell whether there is nothing to read: white space and HTML comments.

    >>> is_blank("<!-- lint off -->\\n<!-- on -->\\n", 0, 31), is_blank("<!-- a --> b", 0, 12)
    (True, False)
    """
    while (found := _COMMENT.match(body, start, stop)) and found.end() > start:
        start = found.end()
    return not body[start:stop].strip(WHITE)


def _line_end(body: str, start: int, stop: int) -> int:
    found = body.find("\n", start, stop)
    return stop if found < 0 else found + 1


def _blocks(body: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Runs of lines between blank lines; a fence is one block."""
    begin, fence = -1, ""
    while start < stop:
        end = _line_end(body, start, stop)
        blank = not body[start:end].strip(WHITE)
        if blank and begin >= 0 and not fence:
            yield begin, start
            begin = -1
        elif not blank:
            begin = start if begin < 0 else begin
            fence = fence_after(fence, body[start:end])
        start = end
    if begin >= 0:
        yield begin, stop


def fence_after(fence: str, line: str) -> str:
    """Give the fence that is open below a line, "" when none is; `fence` is the one open above it."""
    mark = _FENCE.match(line)
    if not mark:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and not line.strip(WHITE + fence[0]) else fence


def _extend(body: str, outline: Outline, start: int, limit: int) -> tuple[int, int] | None:
    """Take in whole blocks from `start` on, across headings, then whole sentences of the next block."""
    end = start
    for begin, stop in _blocks_from(body, outline, start):
        if _size(body, start, stop) > limit:
            if not _NOT_PROSE.match(body, begin, stop):
                end = _last_sentence(body, start, begin, stop, limit) or end
            elif _LIST.match(body, begin, stop) and body[start:end].rstrip(WHITE).endswith((":", "：")):
                end = _last_item(body, start, begin, stop, limit) or end
            break
        end = stop
    return (start, end) if end > start else None


def _first_sentence(body: str, outline: Outline, start: int, most: int) -> tuple[int, int] | None:
    begin, stop = next(_blocks_from(body, outline, start))
    found = _SENTENCE.search(body, begin, min(stop, start + most + 1))
    end = found.end() if found else stop
    return (start, end) if _size(body, start, end) <= most else None


def _blocks_from(body: str, outline: Outline, start: int) -> Iterator[tuple[int, int]]:
    for first, stop in _own_texts(body, outline):
        if stop > start:
            yield from _blocks(body, max(first, start), stop)


def _last_item(body: str, start: int, begin: int, stop: int, limit: int) -> int:
    """Give the end of the last whole item of a list within `limit` bytes of `start`, or 0."""
    ends = [found.start() for found in _ITEM.finditer(body, begin + 1, min(stop, start + limit + 1))]
    return max((end for end in ends if _size(body, start, end) <= limit), default=0)


def _last_sentence(body: str, start: int, begin: int, stop: int, limit: int) -> int:
    """Give the end of the last whole sentence from `begin` on within `limit` bytes of `start`, or 0."""
    last = 0
    # A longer scan could find no more, and a megabyte of dots would take it quadratic time.
    for mark in _SENTENCE.finditer(body, begin, min(stop, start + limit + 1)):
        if _size(body, start, mark.end()) > limit:
            break
        last = mark.end()
    return last


def _size(body: str, start: int, end: int) -> int:
    return len(body[start:end].strip(WHITE).encode())
