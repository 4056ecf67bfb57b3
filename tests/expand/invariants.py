"""What holds for every result, whatever was asked: budget, counts, fetches, frame, locations, trace."""

import re
from dataclasses import dataclass, field, replace

from mark_expand import Ask, Entry, Expansion, PartKind, Result, frame_safe, thin_table
from mark_expand.closing import spell_table_overspend
from mark_outline import WHITE, Counter, Location, spellings
from tests.expand import oracle
from tests.expand.scenario import Answers, Counted, Doc, Row, counted_all, drive

BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# The tokenizer of the product counts words with this letter by their bytes, so never too few.
LONG_S = "'\u017f"
FORMS = tuple(
    re.compile(form)
    for form in (
        r"note: (?P<a>\S+) is within (?P<b>\S+) above",
        r"note: (?P<a>\S+) encloses (?P<b>\S+) above; skipped",
        r"note: (?P<a>\S+): own text only, whole section ~\d+ tokens",
        r"note: opening text of ~\d+ tokens",
        r"note: (?P<a>\S+): section #.* not found",
        r"note: did not fit: (?P<list>\S+( \(~\d+ tokens\))?(, \S+( \(~\d+ tokens\))?){0,2})( \+\d+ more)?",
        r"note: expanded \d+ of \d+ rows( \(\d+ covered\))?( and [1-3] related documents)? within the .*",
        r"note: stopped: deadline of 10 s reached",
        r"note: fetch limit of 10 documents reached; later rows on unfetched documents skipped",
        r"note: the table used \d+ of \d+ result tokens; raise budget or fetch a row",
        r"note: (?P<a>\S+): .+",
        r"note: characters \d+-\d+ of \d+(; (next|before): mark_fetch url=(?P<a>\S+) start=\d+)?",
        r"note: (?P<a>\S+): section only, whole document ~\d+ tokens",
        r"note: source of (?P<a>\S+): present(, changed since v\d+)?(, archived)?(, superseded .+)?; .+",
        r"note: (?P<a>\S+): characters \d+-\d+ of \d+ are within (?P<b>\S+) above",
        r"note: (?P<a>\S+): characters \d+-\d+ of \d+ overlap (?P<b>\S+) above; skipped",
        r"related: rel-\S+ \S+.*",
    )
)
OVERSPEND = re.compile(r"result tokens; raise budget or fetch a row$")
EXCERPT = re.compile(
    r"^>>> (?P<where>\S+)\n\n(?P<text>(?:(?!>>> )[^\n]*\n)*?)\n"
    r">>> note: characters (?P<start>\d+)-(?P<end>\d+) of (?P<total>\d+)"
    r"(?:; (?P<way>next|before): mark_fetch url=(?P<url>\S+) start=(?P<at>\d+))?\n",
    re.MULTILINE,
)


@dataclass(slots=True)
class Scene:
    """One lookup: an ask, the unit it is counted in, and the answers to its fetches."""

    ask: Ask
    unit: Counter
    docs: Answers
    result: Result = field(init=False)

    def __post_init__(self) -> None:
        self.result = drive(Expansion(self.ask, self.unit), self.docs)

    def with_costs(self) -> "Scene":
        """The same lookup over documents that carry costs."""
        return Scene(self.ask, self.unit, counted_all(self.docs, self.unit))

    def with_rows(self, rows: list[Row]) -> "Scene":
        """The same lookup, head included, with other rows."""
        return Scene(replace(self.ask, rows=rows), self.unit, self.docs)


def head_of(rows: list[Row], budget: int, unit: Counter) -> tuple[str, int]:
    """Envelope and thin table, and how many rows it lists."""
    table, listed = thin_table(rows, budget, unit)
    return f"status: ok\nmatches: {len(rows)}\n\n{table}", listed


def check(scene: Scene) -> None:
    """All of it."""
    the_budget_holds(scene)
    the_count_is_exact(scene)
    the_parts_add_up(scene)
    fetches_are_bounded(scene)
    every_row_is_in_the_trace(scene)
    only_the_frame_looks_like_it(scene)
    locations_lead_back(scene)
    excerpts_continue_exactly(scene)


def the_budget_holds(scene: Scene) -> None:
    """B2 and B4, by tiktoken's own count."""
    text, budget = scene.result.text, scene.ask.budget
    used = oracle.tokens(scene.unit.encoding, text)
    if used > budget:
        head = oracle.tokens(scene.unit.encoding, scene.ask.head)
        assert not scene.result.trace.fetches
        assert LONG_S in text or text in _overspent(scene, head)
        note = oracle.tokens(scene.unit.encoding, f"\n{spell_table_overspend(head, budget)}")
        assert used <= max(head, budget) + note


def _overspent(scene: Scene, head: int) -> set[str]:
    note = "" if not scene.ask.rows else f"\n{spell_table_overspend(head, scene.ask.budget)}"
    return {scene.ask.head + note, f"{scene.ask.head}\n{spell_table_overspend(head, scene.ask.budget)}"}


def the_count_is_exact(scene: Scene) -> None:
    """B3: what was bought piece by piece is the count of the whole."""
    text, unit = scene.result.text, scene.unit
    assert scene.result.trace.tokens == unit.tokens(unit.count(text))
    if LONG_S not in text:
        assert scene.result.trace.tokens == oracle.tokens(unit.encoding, text)


def the_parts_add_up(scene: Scene) -> None:
    """EX1: what the pieces cost is what the whole costs, and each is charged what its own text counts."""
    trace, text = scene.result.trace, scene.result.text
    assert sum(part.tokens for part in trace.parts) == trace.tokens
    headers = [part.location for part in trace.parts if part.kind == "header"]
    assert headers == [entry.location for entry in trace.entries if _is_shown(entry)]
    lines = [f"{line}\n" for line in text.split("\n") if line.startswith(">>> ")]
    notes = [line for line in lines if line.startswith(">>> note: ") and not OVERSPEND.search(line)]
    declared = [f"{line}\n" for line in lines if line.startswith(">>> related: ")]
    if scene.unit.encoding != "bytes":
        assert _charged(scene, "remark", "note", "stop", "omissions", "count") == _counted(scene, notes)
        assert _charged(scene, "relations") == _counted(scene, declared)
        assert _charged(scene, "header") == _counted(scene, [f">>> {one}\n\n" for one in headers])


def _charged(scene: Scene, *kinds: PartKind) -> int:
    return sum(part.tokens for part in scene.result.trace.parts if part.kind in kinds)


def _counted(scene: Scene, texts: list[str]) -> int:
    return sum(scene.unit.count_many(texts))


def fetches_are_bounded(scene: Scene) -> None:
    """F1: ten at most, each document once."""
    fetches = scene.result.trace.fetches
    assert len(fetches) == len(set(fetches)) <= 10


def every_row_is_in_the_trace(scene: Scene) -> None:
    """X3: each row has an outcome, and one that is omitted or failed has a reason."""
    entries = scene.result.trace.entries
    ranks = {entry.rank for entry in entries if entry.origin == "row"}
    assert ranks == set(range(1, len(scene.ask.rows) + 1))
    assert all(entry.reason for entry in entries if entry.outcome != "printed")


def only_the_frame_looks_like_it(scene: Scene) -> None:
    """O9: every line that starts with `>>>` is one that the trace explains, headers in its order."""
    lines = [line for line in BREAK.split(scene.result.text) if line.startswith(">>>")]
    entries = scene.result.trace.entries
    told = {entry.location for entry in entries}
    headers = []
    for line in lines:
        assert line.startswith(">>> "), line
        found = next((form.fullmatch(line[4:]) for form in FORMS if form.fullmatch(line[4:])), None)
        if found is None:
            headers.append(line[4:])
        elif place := found.groupdict().get("b"):
            assert place in told
    assert headers == [entry.location for entry in entries if entry.outcome in ("printed", "stub")]


def locations_lead_back(scene: Scene) -> None:
    """X1, O6: what is printed as a location is read back as a document that was asked for."""
    text = scene.result.text
    omitted = re.findall(r"^>>> note: did not fit: (.*)$", text, re.MULTILINE)
    names = [re.sub(r" \(~\d+ tokens\)", "", re.sub(r" \+\d+ more$", "", line)) for line in omitted]
    places = [place for line in names for place in line.split(", ")]
    places += [entry.location for entry in scene.result.trace.entries if _is_shown(entry)]
    for place in places:
        _leads_back(place, scene)


def excerpts_continue_exactly(scene: Scene) -> None:
    """E1: the text is that of its characters, and what the note says leads on without a gap."""
    for shown in EXCERPT.finditer(scene.result.text):
        where, text = shown["where"], shown["text"].removesuffix("\n")
        raw = _text_of(where, scene)
        start, end, total = int(shown["start"]), int(shown["end"]), int(shown["total"])
        assert total == len(raw)
        assert text == frame_safe(raw[start:end].strip(WHITE)) or text.startswith("same text as ")
        assert start == 0 or raw[start] not in WHITE
        assert end == total or (raw[end - 1] not in WHITE and raw[end:].strip(WHITE))
        following = ("next", end) if end < total else ("before", 0) if start else (None, None)
        assert (shown["way"], int(shown["at"]) if shown["at"] else None) == following
        assert shown["url"] in (None, where)


def _text_of(where: str, scene: Scene) -> str:
    place = next(one for one in spellings(where) if _exists(one, scene))
    doc = scene.docs.get(place.path)
    assert isinstance(doc, Doc | Counted)
    index = doc.outline.find(place.anchor) if place.anchor else None
    if index is None:
        return doc.body
    section = doc.outline.sections[index]
    return doc.body[section.char_start : section.char_end]


def _is_shown(entry: Entry) -> bool:
    return entry.outcome in ("printed", "stub")


def _leads_back(place: str, scene: Scene) -> None:
    readings = [one for one in spellings(place) if _exists(one, scene)]
    if not readings:
        # A target outside this world: the reader gets the very path that would have been fetched.
        assert place in {entry.location for entry in scene.result.trace.entries if entry.origin == "related"}
        return
    unread = {entry.location for entry in scene.result.trace.entries if not entry.kind}
    # An unfetched document is named as the row or relation has it; nobody knows whether that is right.
    if place not in unread:
        # Where `/a.md` has a version 3 and another document is called `/a.md/v3`, one of them is meant.
        assert any(_has_section(one, scene) for one in readings), place


def _has_section(read: Location, scene: Scene) -> bool:
    doc = scene.docs.get(read.path)
    return not read.anchor or not isinstance(doc, Doc | Counted) or doc.outline.find(read.anchor) is not None


def _exists(place: Location, scene: Scene) -> bool:
    rows = {(row.path, row.version) for row in scene.ask.rows}
    doc = scene.docs.get(place.path)
    version = doc.version if isinstance(doc, Doc | Counted) else None
    return (place.path, place.version) in rows or (
        place.path in scene.docs and place.version in (None, version)
    )
