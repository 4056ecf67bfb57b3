"""What a Mark server is asked for a question in plain words: at most three queries, each of fewer terms.

Servers match all terms of a query, so a whole question finds little. How answers are read is `mark_answers`'.
"""

from mark_outline import terms

from .paths import storable
from .wire_fields import has_controls
from .words import MOST_TERMS, asked

EVERYTHING = "*"
MOST_CHARACTERS = 2000
"""Of a question; with the longest filter it stays within the metadata's limit."""


def on_one_line(text: str) -> str:
    """Give a text that metadata can hold: sound, control characters as blanks."""
    return "".join(" " if has_controls(character) else character for character in storable(text)).strip()


def shortened(question: str) -> str:
    """Give a question as it is sent, at most 2,000 characters."""
    return on_one_line(question[:MOST_CHARACTERS])


def queries(question: str) -> tuple[str, ...]:
    """Give what to ask, in this order until something is found.

    First all terms, then the rarer half, then the rarest. A client cannot count what a server holds, and to
    ask for each term alone costs a request a term; so rarity is judged by the look of a word (`_rarity`).

    >>> queries("where do cold invoices from 2024 go?")
    ('cold invoices 2024 go', 'invoices 2024', '2024')
    >>> queries("...")
    ('*',)
    """
    line = shortened(question)
    wanted = () if line == EVERYTHING else terms(asked(line))[:MOST_TERMS]
    if not wanted:
        return (EVERYTHING,)
    ranked = sorted(wanted, key=lambda term: _rarity(term, line), reverse=True)
    sizes = dict.fromkeys((len(wanted), (len(wanted) + 1) // 2, 1))
    return tuple(_joined(wanted, ranked[:size]) for size in sizes)


def _joined(wanted: tuple[str, ...], kept: list[str]) -> str:
    return " ".join(term for term in wanted if term in kept)[:MOST_CHARACTERS]


def _rarity(term: str, question: str) -> tuple[bool, bool, int, int]:
    """Identifiers and numbers, then names (capitals inside a sentence), then long words, then late ones."""
    coded = not term.isalpha() and term.isascii()
    capital = term not in question and not question.lower().startswith(term)
    return coded, capital, len(term), question.lower().rfind(term)
