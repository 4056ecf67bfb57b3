"""Markdown only: headings, anchors, sections, front matter, relations, token costs. Pure; no I/O.

Where documents live is `mark_store`'s part, what to print of them within a budget `mark_expand`'s.
"""

from mark_outline.authority import authority, same_authority
from mark_outline.costs import Costs, pieces, with_costs
from mark_outline.folding import fold
from mark_outline.location import Location, decode, encode, plain, spellings
from mark_outline.matter import FrontMatter, front_matter
from mark_outline.presence import Presence
from mark_outline.query import root, terms
from mark_outline.reading import outline
from mark_outline.relation import Rejected, Relation, relations
from mark_outline.section import Section
from mark_outline.segments import segment
from mark_outline.slug import slugify
from mark_outline.stop_words import STOP_WORDS
from mark_outline.table import cell_location, escape_cell, row_cells, table_rows, unescape_cell
from mark_outline.tokens import ENCODINGS, Counter, UnknownEncoding, counter
from mark_outline.tree import Outline
from mark_outline.white import WHITE

__all__ = [
    "ENCODINGS",
    "STOP_WORDS",
    "WHITE",
    "Costs",
    "Counter",
    "FrontMatter",
    "Location",
    "Outline",
    "Presence",
    "Rejected",
    "Relation",
    "Section",
    "UnknownEncoding",
    "authority",
    "cell_location",
    "counter",
    "decode",
    "encode",
    "escape_cell",
    "fold",
    "front_matter",
    "outline",
    "pieces",
    "plain",
    "relations",
    "root",
    "row_cells",
    "same_authority",
    "segment",
    "slugify",
    "spellings",
    "table_rows",
    "terms",
    "unescape_cell",
    "with_costs",
]
