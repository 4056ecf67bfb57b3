"""A world in which names, titles, anchors and metadata hold what is hard to print in a line or a table."""

from pathlib import Path

NAMES = (
    "a b.md",
    "a%20b.md",
    "100%.md",
    "100%25.md",
    "%zz.md",
    "a#b.md",
    "q?.md",
    "c,d.md",
    "pipe|x.md",
    "[x].md",
    "(p).md",
    "e\u0301te\u0301.md",
    "new\nline.md",
    "tab\t.md",
    "\u2028break.md",
    "back\\slash.md",
    "under_score*~`.md",
    "x>>> y.md",
    "mark:.md",
    "v2.md",
    "emoji😀.md",
    "sub dir/v1/y.md",
)

# An explicit id with what would end a table cell; a title with what looks like the frame.
_DOCUMENT = """\
---
title: "T {number} | [b] >>> c"
status: accepted
next: start=4
rel-x: /a%20b.md, /c%2Cd.md, /100%2525.md, /a%23b.md#x|y
---
# Head {number} >>> |x

quark in common, number {number}

## Part {number} {{#x|y}}

quark of the part {number}
"""


def write_odd_world(folder: Path) -> Path:
    """Write the world into a new folder."""
    for number, name in enumerate(NAMES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_DOCUMENT.format(number=number), encoding="utf-8")
    return folder
