"""The account as one HTML page that needs nothing else: no script, no font, no address is loaded.

Its look is `page.css`, its escaping `markup`; what the words are is `wording`'s part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from mark_server.explanation.account import Account, Decision, Item
from mark_server.explanation.markup import Html, address, element, foreign, joined
from mark_server.explanation.plain_text import plain
from mark_server.explanation.wording import (
    ITEMS,
    adjustments,
    figure,
    place,
    reason,
    size,
    summary,
)

# Besides the escaping: a browser loads and runs nothing, whatever stands in the page.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# Below this share of the bar a piece has no room for its mark.
_NARROW = 0.02
_NUMBERS = ("header", "text", "notes", "related", "tokens", "raw", "calibrated", "final")
_OPTIONS = ("url", "filter", "limit", "offset", "match", "detail")


def page(account: Account, version: str) -> str:
    """Give the whole page; `version` is the program's."""
    style = files("mark_server.explanation").joinpath("page.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"Where the budget went: {plain(account.asked.query[:80])}"),
        element("style", Html(style)),
    )
    body = element("body", element("main", *_sections(account)), _footer(version))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(account: Account) -> Iterable[Html]:
    yield element("h1", "Where the budget went")
    yield element("p", foreign(account.asked.query), class_="query")
    yield element("p", summary(account), class_="summary")
    yield from _warnings(account)
    yield _bar(account)
    yield _spending(account)
    if account.decisions:
        yield _fates(account)
    if account.is_scored:
        yield _scores(account)
    yield from _listed("Events", account.trace.events)
    yield from _listed("Documents read", account.trace.fetches)
    yield _asked(account)


def _warnings(account: Account) -> Iterable[Html]:
    for key, value in account.told:
        if key == "failed":
            text = joined(("Stores that did not answer: ", foreign(str(value))))
            yield element("p", text, class_="warning", role="note")


def _bar(account: Account) -> Html:
    """Draw the budget; the table below says the same in words."""
    whole = max(account.budget, account.used, 1)
    pieces = [
        _segment(item, whole, look)
        for item, look in zip(account.items, _looks(account.items), strict=True)
        if item.tokens
    ]
    if account.left > 0:
        label = "left" if account.left > whole * _NARROW * 3 else ""
        pieces.append(element("span", label, class_="left", style=f"flex-grow:{account.left}"))
    named = f"Bar of the budget: {summary(account)}. The table below lists the pieces."
    return element("div", *pieces, class_="bar", role="img", aria_label=named)


def _looks(items: Sequence[Item]) -> Iterator[str]:
    """Name the classes of each piece; neighbouring blocks differ."""
    blocks = 0
    for item in items:
        blocks += item.kind in ("block", "stub")
        yield item.kind if blocks % 2 else f"{item.kind} turn"


def _segment(item: Item, whole: int, look: str) -> Html:
    mark = item.mark if item.tokens > whole * _NARROW else ""
    text = f"{item.mark}: {_said(item)}, {item.tokens} tokens"
    return element("span", mark, class_=look, style=f"flex-grow:{item.tokens}", title=text)


def _said(item: Item) -> str:
    return " ".join(part for part in (ITEMS[item.kind], plain(item.location)) if part)


def _spending(account: Account) -> Html:
    heads = ("mark", "piece", "header", "text", "notes", "related", "tokens")
    rows = [_spent(item, look) for item, look in zip(account.items, _looks(account.items), strict=True)]
    left = ("used", account.used), ("left" if account.left >= 0 else "over the budget", account.left)
    sums = [_sum(*pair) for pair in (*left, ("budget", account.budget))]
    return _table("Where the tokens went", heads, rows, sums)


def _spent(item: Item, look: str) -> Html:
    figures = [_number(str(one) if one else "") for one in (item.header, item.text, item.notes, item.related)]
    what = [address(item.location)] if item.location else []
    if item.kind != "block":
        what.insert(0, element("span", ITEMS[item.kind], class_="kind"))
    swatch = element("th", element("span", item.mark, class_=f"mark {look}"), scope="row")
    return element("tr", swatch, element("td", *what, class_="where"), *figures, _number(str(item.tokens)))


def _sum(name: str, tokens: int) -> Html:
    return element("tr", element("th", name, scope="row", colspan=6), _number(str(tokens)))


def _fates(account: Account) -> Html:
    heads = ("row", "mark", "outcome", "tokens", "location", "reason")
    rows = [_fate(decision) for decision in account.decisions]
    return _table("What became of each row and related document", heads, rows)


def _fate(decision: Decision) -> Html:
    entry = decision.entry
    where = [address(entry.location)]
    if entry.title:
        where.append(element("div", foreign(entry.title), class_="title"))
    return element(
        "tr",
        element("th", place(entry), scope="row"),
        element("td", decision.mark),
        element("td", element("span", entry.outcome, class_=f"outcome {entry.outcome}")),
        _number(size(entry)),
        element("td", *where, class_="where"),
        element("td", foreign(reason(decision)), class_="why"),
    )


def _scores(account: Account) -> Html:
    heads = ("row", "store", "raw", "calibrated", "final", "adjusted by")
    rows = [_score(decision) for decision in account.decisions if decision.scored]
    return _table("What the policy scored", heads, rows)


def _score(decision: Decision) -> Html:
    scored = decision.scored
    if scored is None:
        return Html()
    figures = [_number(figure(one)) for one in (scored.raw, scored.calibrated, scored.final)]
    return element(
        "tr",
        element("th", place(scored), scope="row"),
        element("td", foreign(scored.source)),
        *figures,
        element("td", foreign(adjustments(scored))),
    )


def _table(title: str, heads: Sequence[str], rows: Iterable[Html], sums: Iterable[Html] = ()) -> Html:
    """Make a table that scrolls by itself where the window is narrow."""
    top = element("thead", element("tr", *[_column(name) for name in heads]))
    foot = element("tfoot", *sums)
    table = element("table", element("caption", title), top, element("tbody", *rows), foot)
    return element("div", table, class_="table", role="region", aria_label=title, tabindex=0)


def _column(name: str) -> Html:
    return element("th", name, scope="col", class_="number" if name in _NUMBERS else "")


def _number(text: str) -> Html:
    return element("td", text, class_="number")


def _listed(title: str, lines: Sequence[str]) -> Iterable[Html]:
    if lines:
        yield element("h2", title)
        yield element("ul", *[element("li", foreign(line)) for line in lines])


def _asked(account: Account) -> Html:
    """Say what was asked, and what the head of the result says."""
    options = [(name, getattr(account.asked, name)) for name in _OPTIONS]
    pairs = [(key, value) for key, value in (*options, *account.told) if value != ""]
    rows = [joined((element("dt", key), element("dd", foreign(str(value))))) for key, value in pairs]
    return joined((element("h2", "The lookup"), element("dl", *rows)))


def _footer(version: str) -> Html:
    return element("footer", element("p", f"marklookup {version}"))
