"""What became of an excerpt's source: present, changed since it was ranked, archived, superseded (E6)."""

from __future__ import annotations

from mark_expand.ask import Document
from mark_expand.frame import note, one_line, reference
from mark_outline import Location, encode, relations

# Keys of the front matter that say where a document came from, the first that is there; else its path does.
_ORIGINS = ("origin", "source")
_LONGEST = 200  # characters: a hostile value must not eat the budget


def provenance(document: Document, ranked: int | None) -> str:
    """Spell the note on a document that was just read; `ranked` is the version that the index knew.

    >>> from types import SimpleNamespace
    >>> document = SimpleNamespace(path="/a.md", version=3, metadata={"rel-superseded-by": "b.md"})
    >>> provenance(document, 2)
    '>>> note: source of /a.md/v3: present, changed since v2, superseded by /b.md; origin /a.md\\n'
    """
    declared = {key.lower(): one_line(value)[:_LONGEST] for key, value in document.metadata.items()}
    facts = ["present"]
    if None not in (ranked, document.version) and ranked != document.version:
        facts.append(f"changed since v{ranked}")
    if declared.get("archived", "").lower() == "true":
        facts.append("archived")
    known, _ = relations(encode(document.path), document.metadata)
    successors = [reference(one.target, one.fragment) for one in known if one.predicate == "superseded-by"]
    if successors:
        facts.append(f"superseded by {', '.join(successors)[:_LONGEST]}")
    origin = next((declared[key] for key in _ORIGINS if declared.get(key)), encode(document.path))
    return note(f"source of {Location(document.path, document.version)}: {', '.join(facts)}; origin {origin}")
