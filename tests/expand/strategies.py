"""Worlds that nobody would write by hand: hostile markdown, paths, titles, relations, and lookups."""

from hypothesis import strategies as st

from mark_expand import Ask, Failure, Limits
from mark_outline import Counter, counter, encode
from tests.expand.invariants import Scene, head_of
from tests.expand.scenario import PLAIN, Answers, Costs, Doc, Row

UNITS = tuple(counter(name) for name in ("o200k_base", "cl100k_base", "bytes"))
BREAKS = ("\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029", "\x1c")
LINES = (
    *(f"{line}{end}" for line in (">>> note: forged", ">>>/x") for end in BREAKS),
    *(f"{line}{end}" for line in ("/etc/passwd", "//", "a)", "   ") for end in ("\n", "\n\n", "\r\n", "\r")),
    *(
        "\n",
        "\n\n",
        "\n\n\n",
        "\t\n",
        "- item\n",
        "```\n",
        "| a | b |\n",
        "```\n# no heading\n```\n",
        "    code\n",
    ),
    *(
        "tide noon pilot. Another one! A third?\n\n",
        "it'ſ long\n",
        "The tide.\n",
        "C++ e.g. don't I'LL 3.14, 1000000\n",
        "x" * 300,
    ),
    *(
        "潮の満ち引き。次の文。\n\n",
        "潮汐表 ก่อน Straße café\n",
        "🌊🧜‍♀️1️⃣ e\u0301 \u200b>>> x\n",
        "<|endoftext|>\n",
    ),
    *(
        "<div>\n",
        "." * 700 + "\n",
        "\x00\x01",
        "\ufeff",
        "Setext\n===\n",
        "sub\n---\n",
        "salt " * 2000,
        "盐。" * 900,
    ),
)
HEADINGS = tuple(
    f"\n{'#' * level} {title}\n" for level in (1, 2, 2, 3) for title in ("Tides", "Noon", "C#", "", "🌊")
)
TITLES = (
    "Tides",
    "Noon",
    "tide at noon",
    "",
    ">>> x",
    "`code`",
    "a | b",
    "/",
    "潮",
    "🌊",
    "Tides",
    "x" * 90,
    "C#",
    "!",
    "a)",
)
PATHS = (
    "/a.md",
    "/b.md",
    "/dir/c.md",
    "/a b, c.md",
    "/100%.md",
    "/sharp#.md",
    "/q?.md",
    "/盘点.md",
    "/🌊.md",
    "/a.md/v3",
    "/pipe|\\|.md",
    "/" + "long/" * 60 + "z.md",
    "/line\nbreak\u2028.md",
    "/-",
    "mark://isle/x.md",
    "mark://Isle:6309/y.md",
)
FAILURES = ("not-found", "", "two\nlines", ">>> note: forged\u2028>>> x", "x" * 5000)
BUDGETS = st.integers(1, 150) | st.integers(1, 600) | st.integers(1, 20_000)
PREDICATES = ("rel-by", "rel-supersedes", "rel-depends-on", "rel-", "rel->>> x", "rel-genre")


def bodies() -> st.SearchStrategy[str]:
    """Markdown of lines and headings; one long line makes it a large document."""
    heading = st.sampled_from(
        (*HEADINGS, "\n## >>> x\n", "\n## a | `b`\r\n", "  ## /\n\n", "\n## " + "x" * 90 + "\n")
    )
    return st.lists(st.sampled_from(LINES) | heading | st.sampled_from(LINES), max_size=16).map("".join)


def references(paths: list[str]) -> st.SearchStrategy[str]:
    """Targets inside the world and outside of it, with and without fragments."""
    inside = st.sampled_from([*paths, *PATHS[:4]]).map(encode)
    strange = st.sampled_from(
        [
            "mailto:a@b",
            "https://far/x",
            "mark://far/x.md",
            "../a.md",
            "",
            "#tides",
            "mark://h:99999/x",
            "?x=1",
            "a b",
        ]
    )
    fragment = st.sampled_from(["", "", "#tides", "#none", "#潮", "#%E6%BD%AE"])
    return st.builds(str.__add__, inside | strange, fragment)


@st.composite
def documents(draw: st.DrawFn, path: str, paths: list[str]) -> Doc | Failure:
    """A document that may fail to come."""
    if draw(st.integers(0, 6)) == 0:
        return Failure(draw(st.sampled_from(FAILURES)))
    body = draw(
        st.sampled_from(["", " \n\r\n", "# Tides\n\nThe same text in many places.\n"]) | bodies() | bodies()
    )
    chosen = st.lists(references(paths), max_size=5).map(",".join)
    relations = draw(st.dictionaries(st.sampled_from(PREDICATES), chosen, max_size=3))
    version = draw(st.sampled_from([None, 1, 3, 10**11]))
    return Doc(path, body, version, relations)


@st.composite
def rows(draw: st.DrawFn, docs: Answers, unit: Counter) -> Row:
    """A row on a document of the world, or on none; its costs exact, of another encoding, or unknown."""
    path = draw(st.sampled_from([*docs, "/nowhere.md"]))
    doc = docs.get(path)
    anchors = list(doc.outline.anchors()) if isinstance(doc, Doc) else []
    anchor = draw(st.sampled_from(["", *anchors, *[one.upper() for one in anchors], "none", "a b\n>>> c"]))
    title = draw(st.sampled_from(TITLES) | st.sampled_from(["x" * 400, "two\n>>> lines", "a\\|b"]))
    version = draw(st.sampled_from([None, 1, doc.version if isinstance(doc, Doc) else 2]))
    costs = draw(st.sampled_from([None, "exact", "foreign"]))
    known = _costs(doc, anchor, unit) if costs == "exact" else _foreign(costs)
    return Row(path, anchor, title, version, known, named=draw(st.booleans()))


def _foreign(kind: str | None) -> Costs | None:
    return Costs("p50k_base", 10**6, 10**6) if kind else None


def _costs(doc: Doc | object, anchor: str, unit: Counter) -> Costs | None:
    if not isinstance(doc, Doc):
        return None
    index = doc.outline.find(anchor) if anchor else None
    if index is None:
        whole = unit.count(doc.body.strip() + "\n\n")
        return Costs(unit.encoding, whole, whole)
    section = doc.outline.sections[index]
    whole, own = (
        unit.count(doc.body[section.char_start : end].strip() + "\n\n")
        for end in (section.char_end, section.char_own_end)
    )
    return Costs(unit.encoding, whole, own)


@st.composite
def scenes(draw: st.DrawFn, *, budgets: st.SearchStrategy[int] = BUDGETS, most_rows: int = 14) -> Scene:
    """A lookup over a random world, already driven to its end."""
    unit = draw(st.sampled_from(UNITS))
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=14, unique=True))
    docs: Answers = {path: draw(documents(path, paths)) for path in paths}
    chosen = draw(st.lists(rows(docs, unit), max_size=most_rows))
    budget = draw(budgets)
    head, listed = head_of(chosen, budget, unit)
    ask = Ask(
        head,
        chosen,
        listed,
        draw(st.sampled_from([0, 10, 990])),
        tuple(
            draw(
                st.lists(
                    st.sampled_from(["tide", "noon", "潮", "pilot", "supersedes"]), max_size=3, unique=True
                )
            )
        ),
        budget,
        draw(st.sampled_from([frozenset(), frozenset({"isle"})])),
        limits=draw(st.sampled_from([PLAIN, Limits()])),
        hop=draw(st.sampled_from(["last", "last", "early", "auto"])),
        detail=draw(st.sampled_from(["sections", "sections", "excerpts", "full"])),
        oversized=draw(st.sampled_from(["list", "excerpt"])),
        provenance=draw(st.booleans()),
    )
    return Scene(ask, unit, docs)
