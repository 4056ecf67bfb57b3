"""The account in a terminal: a bar, what was bought, what became of each candidate.

Widths are counted in cells, so that wide characters keep columns straight. Foreign texts are never read as
markup. What the words are is `wording`'s part.
"""

from __future__ import annotations

import io

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mark_server.explanation.account import Account, Decision, Item, shares
from mark_server.explanation.plain_text import plain
from mark_server.explanation.wording import adjustments, figure, piece, place, reason, size, summary

# Below this width the reason stands under the location, above it in a column of its own.
_WIDE = 110
_HEAD, _NOTE, _LEFT = ("▒", "cyan"), ("░", "yellow"), ("·", "dim")
_BLOCKS = (("█", "green"), ("▓", "blue"))
_OUTCOMES = {
    "printed": "green",
    "stub": "green",
    "covered": "cyan",
    "omitted": "yellow",
    "failed": "red",
    "skipped": "dim",
}
_Look = tuple[str, str]


def screen(account: Account, *, colour: bool, width: int | None = None) -> str:
    """Give all of it as text, as wide as the terminal is unless told."""
    written = io.StringIO()
    console = Console(
        file=written, force_terminal=colour, width=width, highlight=False, markup=False, emoji=False
    )
    for part in _parts(account, console.width):
        console.print(part)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _parts(account: Account, width: int) -> list[RenderableType]:
    query = Text("Query: ").append(plain(account.asked.query), "bold")
    parts: list[RenderableType] = [query, Text(summary(account), "bold"), _bar(account, width), Text()]
    parts += [Text(f"{key}: {plain(str(value))}", _told_style(key)) for key, value in account.told]
    parts += [Text(), _spending(account), Text()]
    if account.decisions:
        parts += [_fates(account, width), Text()]
    if account.is_scored:
        parts += [_scores(account), Text()]
    parts += [Text(f"event: {plain(event)}", "dim") for event in account.trace.events]
    if account.trace.fetches:
        parts.append(Text(f"documents read: {len(account.trace.fetches)}", "dim"))
    return parts


def _told_style(key: str) -> str:
    return "bold red" if key == "failed" else ""


def _bar(account: Account, width: int) -> Text:
    """Draw each piece as long as it is dear, with its mark where that has room."""
    left = max(0, account.left)
    cells = shares([*(item.tokens for item in account.items), left], width)
    bar = Text(no_wrap=True, overflow="crop")
    for item, look, many in zip(account.items, _looks(account.items), cells, strict=False):
        fill, style = look
        mark = item.mark if len(item.mark) < many else ""
        bar.append(mark, f"bold {style} reverse").append(fill * (many - len(mark)), style)
    return bar.append(_LEFT[0] * cells[-1], _LEFT[1])


def _looks(items: tuple[Item, ...]) -> list[_Look]:
    """Give each piece its filling; neighbouring blocks differ."""
    looks: list[_Look] = []
    blocks = 0
    for item in items:
        if item.kind in ("block", "stub"):
            looks.append(_BLOCKS[blocks % 2])
            blocks += 1
        else:
            looks.append(_HEAD if item.kind == "head" else _NOTE)
    return looks


def _spending(account: Account) -> Table:
    table = _table("Where the tokens went")
    table.add_column("", no_wrap=True)
    table.add_column("piece", ratio=1, overflow="fold")
    for name in ("header", "text", "notes", "related", "tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    for item, (_, style) in zip(account.items, _looks(account.items), strict=True):
        figures = (item.header, item.text, item.notes, item.related)
        shown = [str(figure) if figure else "" for figure in figures]
        table.add_row(Text(item.mark, style), _foreign(piece(item)), *shown, str(item.tokens))
    table.add_section()
    table.add_row("", "used", "", "", "", "", str(account.used))
    table.add_row("", "left" if account.left >= 0 else "over the budget", "", "", "", "", str(account.left))
    table.add_row("", Text("budget", "bold"), "", "", "", "", Text(str(account.budget), "bold"))
    return table


def _fates(account: Account, width: int) -> Table:
    table = _table("What became of each row and related document")
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    wide = width >= _WIDE
    table.add_column("location" if wide else "location, reason", ratio=3, overflow="fold")
    if wide:
        table.add_column("reason", ratio=2, overflow="fold")
    for one in account.decisions:
        table.add_row(*_fate(one, wide=wide))
    return table


def _fate(one: Decision, *, wide: bool) -> list[RenderableType]:
    entry = one.entry
    where, why = _foreign(entry.location), _foreign(reason(one), "dim" if not wide else "")
    if wide and entry.title:
        where.append(f"\n{plain(entry.title)}", "dim")
    cells: list[RenderableType] = [
        place(entry),
        one.mark,
        Text(entry.outcome, _OUTCOMES[entry.outcome]),
        size(entry),
    ]
    return [*cells, where, why] if wide else [*cells, where.append("\n  ").append_text(why)]


def _scores(account: Account) -> Table:
    table = _table("What the policy scored")
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("store", overflow="fold")
    for name in ("raw", "calibrated", "final"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("adjusted by", ratio=1, overflow="fold")
    for decision in account.decisions:
        if scored := decision.scored:
            figures = [figure(one) for one in (scored.raw, scored.calibrated, scored.final)]
            table.add_row(place(scored), _foreign(scored.source), *figures, _foreign(adjustments(scored)))
    return table


def _table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        expand=True,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
    )


def _foreign(text: str, style: str = "") -> Text:
    return Text(plain(text), style, overflow="fold")
