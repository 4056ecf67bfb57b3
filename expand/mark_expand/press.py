"""Printing one row or target: a block, a stub, or a note that says why not (O2 to O9, C1 to C3).

Order, fetching and the closing notes are left to others.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from mark_expand.alternatives import Choice, alternatives
from mark_expand.ask import Ask
from mark_expand.cutter import Cutter, fair_share, read_on
from mark_expand.frame import header, incoming_line, note, one_line, relation_line
from mark_expand.glance import Glance, of_named, of_related
from mark_expand.hop import foremost
from mark_expand.leaf import Leaf
from mark_expand.ledger import Candidate, Ledger
from mark_expand.passage import Passage
from mark_expand.printed import Printed
from mark_expand.provenance import provenance
from mark_expand.trace import Outcome, PartKind, Reason
from mark_outline import Presence, Relation, decode, encode, relations

_Failed = tuple[Passage, Reason]
# HP3, R2: so many names at most, and no more of the room than the sixth part; what is asked for, a third.
_NAMES = (12, 6, 3, 1)
_PART = 6
_ASKED_PART = 3


@dataclass(slots=True)
class Press:
    """Buys text for candidates, and remembers what was really printed (C3)."""

    ask: Ask
    ledger: Ledger
    _printed: Printed = field(default_factory=Printed)
    _lined: set[str] = field(default_factory=set)
    _led_to: set[str] = field(default_factory=set)  # HP3: documents whose incoming relations were told.
    put_off: list[tuple[Leaf, Candidate]] = field(default_factory=list)  # RK2: sections for later.
    _parts: list[tuple[Candidate, Passage]] = field(default_factory=list)  # RK7: what is read on.
    _leaves: dict[str, Leaf] = field(default_factory=dict)
    _refused: Reason = ""  # Why the policy did not let the last text be bought.

    def expand(self, leaf: Leaf, candidate: Candidate, waiting: int = 1) -> Outcome:
        """Print the first alternative of a candidate that fits; say what became of it.

        `waiting` counts the related documents that are still to be told, this one included.
        """
        index = leaf.outline.find(candidate.anchor) if candidate.anchor else None
        if candidate.anchor and index is None:
            self.ledger.miss(candidate, leaf.where(one_line(candidate.anchor)))
            return "failed"
        # A heading alone is printed where nothing is told at a glance: the contract's plain form (O2).
        if (index is None or self.ask.limits.glance) and leaf.is_empty(index):
            self.ledger.record(candidate, leaf.where(one_line(candidate.anchor)), "omitted", "empty")
            return "omitted"
        if (
            candidate.origin == "related"
            and self.ask.detail == "excerpts"
            and not self._is_about(leaf, index)
        ):
            self.ledger.record(candidate, leaf.where(one_line(candidate.anchor)), "skipped", "below_floor")
            return "skipped"
        glance = self._glance(leaf, candidate, waiting)
        if glance and index is not None and candidate.row is not None and self._is_told_first(leaf, glance):
            outcome = self._print_first(leaf, None, candidate, glance)
            if outcome in ("printed", "stub"):
                self.put_off.append((leaf, candidate))
                return outcome
        return self._print_first(leaf, index, candidate, glance)

    def resume(self) -> None:
        """Print the first section that was put off, now that its document's relations were followed (RK2)."""
        leaf, candidate = self.put_off.pop(0)
        self._print_first(leaf, leaf.outline.find(candidate.anchor), candidate, None)

    def read_on(self) -> None:
        """Give what room is left to what follows the windows and openings of rows, in their order (RK7)."""
        for candidate, passage in [*self._parts]:
            leaf, purse = self._leaves[passage.path], self.ledger.purse
            anchor = decode(passage.where.partition("#")[2])
            index = leaf.outline.find(anchor) if anchor else None
            end = leaf.outline.size if index is None else leaf.outline.sections[index].end
            self._buy_rest(leaf, candidate, anchor, passage.end, end, purse.room)

    def _follows_opening(self, passage: Passage, candidate: Candidate) -> bool:
        """Print what of a row's section follows the opening of its document, which lies in it (RK7)."""
        leaf, limits = self._leaves[passage.path], self.ask.limits
        told = (one for _, one in self._parts if one.kind == "opening" and one.path == passage.path)
        opening = next(told, None)
        if opening is None or candidate.row is None or passage.kind not in ("section", "own"):
            return False
        # The section of a title is the document, of which the opening was to be told and no more.
        if passage.start == leaf.outline.sections[0].start or not passage.start < opening.end < passage.end:
            return False
        share = min(self.ledger.purse.room, fair_share(self.ledger.purse, limits))
        return self._buy_rest(leaf, candidate, candidate.anchor, opening.end, passage.end, share)

    def _buy_rest(
        self, leaf: Leaf, candidate: Candidate, anchor: str, start: int, end: int, most: int
    ) -> bool:
        """Print a page of a section from byte `start` on, up to whatever else of its document printed."""
        stop = self._printed.after(leaf.document.path, start)
        more = read_on(leaf, anchor, start, min(end, stop or end), self.ledger.purse, most)
        return more is not None and self._print_block(more, candidate) == "printed"

    def _goes_on(self, passage: Passage, candidate: Candidate) -> bool:
        """Tell whether more may follow a text: a window of a row, the opening of a named document."""
        if candidate.row is None or self.ask.detail != "sections" or not self.ask.limits.read_on:
            return False
        return bool(passage.part) or (passage.kind == "opening" and self.ask.rows[candidate.row].named)

    def has_printed(self, path: str) -> bool:
        """Tell whether anything of the document at `path` was printed."""
        return self._printed.holds(path)

    def line(self, leaf: Leaf) -> tuple[Relation, ...]:
        """Print the document's relation line, once; give what stands in it, nothing without one (R2)."""
        path = leaf.document.path
        if path in self._lined:
            return ()
        self._lined.add(path)
        declared, rejected = relations(encode(path), leaf.document.metadata)
        for one in rejected:
            self.ledger.trace.events.append(f"{path}: {one.key}: {one.reason}: {one_line(one.value)}")
        if not declared or self._line(leaf, relation_line(declared)):
            return declared
        kept = self._foremost(path, declared)
        return kept if self._line(leaf, relation_line(kept, len(declared) - len(kept))) else ()

    def _line(self, leaf: Leaf, line: str) -> bool:
        return self._buy(leaf.document.path, line, "relations", leaf.where())

    def _foremost(self, path: str, declared: tuple[Relation, ...]) -> tuple[Relation, ...]:
        """Choose what a line that is too long names: what a sixth of the room takes, one at least (R2)."""
        purse, gate, asked = self.ledger.purse, self.ask.gate, self.ask.asked_for(declared)

        def is_too_long(most: int) -> bool:
            line = relation_line(foremost(declared, asked, most), len(declared) - most)
            price = purse.counter.count(line)
            return price > purse.room // _PART or bool(gate and gate.refusal(path, price))

        fitting = bisect_left(range(1, len(declared)), True, key=is_too_long)
        return foremost(declared, asked, max(1, fitting))

    def incoming(self, path: str) -> None:
        """Print the line of what other documents declare to this one; few names where room is short (HP3)."""
        sources = () if path in self._led_to else self.ask.incoming.get(path, ())
        self._led_to.add(path)
        purse = self.ledger.purse
        part = _ASKED_PART if self.ask.backwards else _PART
        for most in _NAMES if sources else ():
            line = incoming_line(path, sources, most)
            if purse.counter.count(line) <= purse.room // part and self._buy(
                path, line, "relations", encode(path)
            ):
                return

    def _print_first(
        self, leaf: Leaf, index: int | None, candidate: Candidate, glance: Glance | None
    ) -> Outcome:
        failed: list[_Failed] = []
        outcome: Outcome = "omitted"
        self._leaves[leaf.document.path] = leaf
        fresh = not self._printed.holds(leaf.document.path)
        source, first = self._source(leaf, candidate), self._printed.is_empty
        cutter = Cutter(self.ask, self.ledger.purse, source, fresh, first, glance)
        for group in alternatives(leaf, index, cutter):
            outcome = _best([self._offer(choice, candidate, failed) for choice in group])
            if outcome != "omitted":
                break
        if fresh and outcome == "printed" and index is not None and candidate.row == 0:
            self._lead(leaf, candidate)
        for passage, reason in _listed(failed, nothing=outcome == "omitted"):
            # A fetch of the location of an opening, or of what stands before it, brings the document.
            told = leaf.whole() if passage.where == leaf.where() else passage
            self.ledger.leave_out(candidate, told, reason)
        return outcome

    def _glance(self, leaf: Leaf, candidate: Candidate, waiting: int) -> Glance | None:
        """What a related or named document may take; None where only the section counts."""
        limits, purse = self.ask.limits, self.ledger.purse
        if not limits.glance:
            return None
        if candidate.origin == "related":
            return of_related(purse, waiting, limits.opening)
        if candidate.row is None or not self.ask.rows[candidate.row].named:
            return None
        named = {row.path for row in self.ask.rows if row.named and not self.has_printed(row.path)}
        return of_named(purse, len(self.declared(leaf)), limits.opening, alone=named <= {leaf.document.path})

    def _is_told_first(self, leaf: Leaf, glance: Glance) -> bool:
        """Tell whether the question asks for what a document declares, and a text can stand for it."""
        asked = self.ask.asked_for(self.declared(leaf))
        return bool(asked) and (
            leaf.whole().units <= glance.whole or leaf.opening(glance.opening) is not None
        )

    def declared(self, leaf: Leaf) -> tuple[Relation, ...]:
        """Give all that a document declares, whether it prints or not."""
        return relations(encode(leaf.document.path), leaf.document.metadata)[0]

    def _lead(self, leaf: Leaf, candidate: Candidate) -> None:
        """Print the opening of the strongest document below its section, where it is cheap (RK3)."""
        opening = leaf.opening(self.ask.limits.opening) if self.ask.detail == "sections" else None
        affordable = self.ledger.purse.room * self.ask.limits.leading // 100
        if opening is None or opening.units > affordable or self._is_ranked(leaf, opening):
            return
        if not self._printed.overlap(opening):
            self._print_block(opening, candidate)

    def _is_ranked(self, leaf: Leaf, opening: Passage) -> bool:
        """Tell whether a row below holds the opening in its own text: it is that row's to print."""
        anchors = {row.anchor for row in self.ask.rows if row.path == leaf.document.path}
        return any(
            section.start < opening.end and opening.start < section.own_end and section.anchor in anchors
            for section in leaf.outline.sections
        )

    def _is_about(self, leaf: Leaf, index: int | None) -> bool:
        """Tell whether a target holds a term of the question; what does not is broad context (E5)."""
        return Presence(leaf.document.body[slice(*leaf.extent(index))]).count(self.ask.terms) > 0

    def _source(self, leaf: Leaf, candidate: Candidate) -> str:
        if not self.ask.provenance:
            return ""
        ranked = None if candidate.row is None else self.ask.rows[candidate.row].version
        return provenance(leaf.document, ranked)

    def _offer(self, choice: Choice, candidate: Candidate, failed: list[_Failed]) -> Outcome:
        first: _Failed | None = None
        for passage in choice:
            outcome = self._print(passage, candidate)
            if outcome != "omitted":
                return outcome
            # What is listed is the whole section, though a window of it may be tried before.
            if first is None or (passage.kind == "section" and first[0].kind != "section"):
                first = passage, self._refused or "budget"
        if first is not None:
            failed.append(first)
        return "omitted"

    def _print(self, passage: Passage, candidate: Candidate) -> Outcome:
        if overlap := self._printed.overlap(passage):
            if self._follows_opening(passage, candidate):
                return "printed"
            within, line = overlap
            if candidate.row is not None:
                self._say_covered(line, passage, within, candidate.row)
            self.ledger.record(candidate, passage.where, "covered", "covered", passage=passage, within=within)
            return "covered"
        if stand_in := self._printed.stand_in(passage):
            first, stub = stand_in
            text = f"{header(passage.where)}{stub}\n\n{passage.remark}"
            if self._buy(passage.path, text, "stub", passage.where):
                self.ledger.purse.itemise(header(passage.where), passage.remark)
                self._printed.add(passage)
                self.ledger.record(
                    candidate, passage.where, "stub", "duplicate", passage=passage, within=first
                )
                return "stub"
        # Reached also by a text of more bytes but fewer tokens than the stub that did not fit.
        return self._print_block(passage, candidate)

    def _say_covered(self, line: str, passage: Passage, within: str, row: int) -> None:
        """Say what covers a row; not that its own block does, nor that of a document that is named."""
        itself = within == passage.name and self.ask.limits.glance
        if itself or any(other.named and other.path == self.ask.rows[row].path for other in self.ask.rows):
            self.ledger.told.add(row)
        else:
            self.ledger.say(line, passage.where, [row])

    def _print_block(self, passage: Passage, candidate: Candidate) -> Outcome:
        if self.ask.gate and (twin := self.ask.gate.twin(passage.text)):
            line = note(f"{passage.name} says the same as {twin} above; skipped")
            self.ledger.say(line, passage.where, [candidate.row])
            self.ledger.record(
                candidate, passage.where, "covered", "similar_to", passage=passage, within=twin
            )
            return "covered"
        units = passage.units + (self.ledger.purse.counter.count(passage.remark) if passage.remark else 0)
        text = passage.block + passage.remark
        if not self._buy(passage.path, text, "text", passage.where, units=units, body=passage.text):
            return "omitted"
        self.ledger.purse.itemise(header(passage.where), passage.remark)
        self._printed.add(passage)
        if self._goes_on(passage, candidate):
            self._parts.append((candidate, passage))
        reason: Reason = "truncated" if passage.part else ""
        self.ledger.record(candidate, passage.where, "printed", reason, passage=passage)
        return "printed"

    def _buy(
        self, path: str, text: str, kind: PartKind, where: str, *, units: int | None = None, body: str = ""
    ) -> bool:
        """Buy a text of the document at `path` if budget and policy allow it; `body` is that of a block."""
        purse, gate = self.ledger.purse, self.ask.gate
        if gate is None:
            return purse.buy(text, kind, where, units=units)
        price = purse.counter.count(text) if units is None else units
        self._refused = gate.refusal(path, price)
        if self._refused or not purse.buy(text, kind, where, units=price):
            return False
        gate.admit(path, where if body else "", body, price)
        return True


def _best(outcomes: list[Outcome]) -> Outcome:
    """Sum up a group: printed if anything was, else covered if anything was."""
    order: tuple[Outcome, ...] = ("printed", "stub", "covered")
    return next((outcome for outcome in order if outcome in outcomes), "omitted")


def _listed(failed: list[_Failed], *, nothing: bool) -> list[_Failed]:
    """Choose what is listed of what did not fit: sections; less only where nothing was printed."""
    if nothing and failed and failed[0][0].kind != "section":
        return failed[:1]
    return [one for one in failed if one[0].kind == "section"]
