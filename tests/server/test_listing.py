"""`mark_list` and `mark_versions` over every surface."""

# ruff: noqa: E501 - whole results stand here as they are

import re

import pytest
from inline_snapshot import snapshot

from tests.server.surfaces import Surface


@pytest.mark.proves("T3", "T10")
async def test_a_folder_lists_folders_then_documents(music: Surface) -> None:
    assert await music.text("mark_list") == snapshot("""\
status: ok
entries: 6

- [albums/](/albums/) - 4 documents
- [bands/](/bands/) - 8 documents
- [festivals/](/festivals/) - 1 document
- [genres/](/genres/) - 4 documents
- [labels/](/labels/) - 4 documents
- [notes/](/notes/) - 3 documents
""")
    assert await music.text("mark_list", url="/notes/") == snapshot("""\
status: ok
entries: 3

- [rumours.md](/notes/rumours.md) - rumours
- [tape.md](/notes/tape.md) - not text
- [unwritten.md](/notes/unwritten.md) - unwritten
""")


@pytest.mark.proves("T19")
async def test_a_cursor_continues_and_pages_make_up_the_whole(music: Surface) -> None:
    whole = await music.text("mark_list", url="/bands")
    lines: list[str] = []
    cursor = ""
    while True:
        page = await music.text("mark_list", url="/bands", page_size=3, cursor=cursor)
        head, _, body = page.partition("\n\n")
        lines += body.splitlines()
        following = re.search(r"^next-cursor: (.*)$", head, re.MULTILINE)
        if not following:
            break
        cursor = following[1]
    assert lines == whole.partition("\n\n")[2].splitlines()
    assert len(lines) == 8


async def test_what_is_no_folder_is_not_found(music: Surface) -> None:
    for url in ("/nowhere", "/notes/rumours.md", "/..", "/.git"):
        assert await music.text("mark_list", url=url) == "status: not-found\n"


@pytest.mark.proves("T10")
async def test_versions_are_told_newest_first(music: Surface) -> None:
    text = await music.text("mark_versions", url="/notes/rumours.md")
    assert re.sub(r" - \d{4}-\d\d-\d\dT[\d:.]+Z - ", " - TIME - ", text) == snapshot("""\
status: ok
total: 1
current: 1

- [v1](/notes/rumours.md/v1) - TIME - 348 bytes - 5e4bf403385a8f25b5766cd7956ac272262006cd84f55e63ed083020b65bf8a3
""")


async def test_versions_of_an_archived_document_say_so(music: Surface) -> None:
    text = await music.text("mark_versions", url="/albums/harbour-tapes.md")
    assert text.partition("\n\n")[0] == snapshot("""\
status: ok
total: 1
current: 1
archived: true\
""")


async def test_versions_of_nothing_are_not_found(music: Surface) -> None:
    assert await music.text("mark_versions", url="/nowhere.md") == "status: not-found\n"
