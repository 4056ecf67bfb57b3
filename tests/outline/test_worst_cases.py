"""Bodies made to be slow or deep: each is read in bounded time, with a result that is defined (OL7)."""

import time

import pytest

from mark_outline import front_matter, outline
from mark_outline.blocks import DEEPEST
from mark_outline.reading import MOST_SECTIONS

pytestmark = pytest.mark.proves("OL7")

SIZE = 200_000
# Each takes at most 0.6 s here; what is quadratic takes minutes.
SECONDS = 20


def lists(depth: int) -> str:
    return "".join(f"{'  ' * level}- a\n" for level in range(depth))


UNITS = (
    *(
        ">",
        "[",
        "*",
        "`",
        "#",
        "-",
        "_",
        "=",
        "~",
        "<",
        "\\",
        "&",
        "\t",
        "\0",
        "\r",
        "\n",
        " ",
        "a",
        "> ",
        "- ",
    ),
    *("1. ", "+ - ", "![", "](", "<a ", "a\n", "- a\n", "- a\n\n", "> a\n\n", "1.\n", "# a\n", "=\n", "-\n"),
    *(
        ">\n-\n",
        "```\n",
        "<!--\n\n",
        "<div>\n\n",
        "[a\n",
        "[a]: /b 't\n",
        "[\\\n",
        "* * *\n",
        "|a|b|\n",
        "</\n",
    ),
    *("# a\n# a-1\n", "# *a* `b`\n", "# [a](b)\n", "{#a}"),
)
SLOW = {
    **{f"nothing but {unit!r}": unit * (SIZE // len(unit)) for unit in UNITS},
    "markers that make no rule": "* " * (SIZE // 2) + "a",
    "quotes on every line": (">" * 100 + "a\n") * (SIZE // 102),
    "a lazy paragraph in deep quotes": ">" * 39 + "a\n" + "a\n" * (SIZE // 2),
    "a lazy paragraph in deep lists": "- " * 19 + "a\n" + "a\n" * (SIZE // 2),
    "thousands of list levels": lists(440),
    "carriage returns before a letter": "\r" * SIZE + "x",
    "blanks before an id": "# a" + " " * SIZE + "b {#c}",
    "an unclosed fence": "```\n" + "# a\n" * (SIZE // 4),
    "an unclosed comment": "<!--\n" + "# a\n" * (SIZE // 4),
    "a long heading": "# " + "*a" * (SIZE // 2),
    "headings of brackets": ("# " + "[" * 16 + "*" * 600 + "\n") * (SIZE // 619),
    "headings of delimiters": ("# " + "*_" * 480 + "\n") * (SIZE // 963),
    "headings of backticks": ("# " + "".join("`" * n + "a" for n in range(1, 40)) + "\n") * (SIZE // 822),
    "headings of attributes": ("# a {" + "#x " * 300 + "\n") * (SIZE // 906),
}


@pytest.mark.parametrize("body", SLOW.values(), ids=SLOW)
def test_it_is_read_in_bounded_time(body: str) -> None:
    start = time.perf_counter()
    outline(front_matter(body).body)
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize(("container", "levels"), [("> ", 1), ("- ", 2)])
def test_a_heading_opens_a_section_down_to_the_deepest_level(container: str, levels: int) -> None:
    deepest = DEEPEST // levels
    body = f"{container * (deepest - 1)}# in\n\n{container * deepest}# out\n\n# after\n"
    assert [section.title for section in outline(body).sections] == ["in", "after"]


def test_what_lies_too_deep_ends_with_its_container() -> None:
    depth = 25
    body = f"{lists(depth)}{'  ' * depth}# in\n\n{'  ' * depth}# in\n\n- item\n\n# after\n"
    assert [section.title for section in outline(body).sections] == ["after"]


def test_quotes_that_are_read_too_often_are_read_no_deeper() -> None:
    body = ">" * 39 + "a\n" + "a\n" * 40_000 + "\n# after\n"
    assert [section.title for section in outline(body).sections] == ["after"]


def test_after_so_many_sections_the_rest_is_text_of_the_last() -> None:
    body = "# a\n" * (MOST_SECTIONS + 5)
    read = outline(body)
    assert len(read.sections) == MOST_SECTIONS
    assert (read.sections[-1].end, read.size) == (len(body), len(body))
