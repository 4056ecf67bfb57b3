"""The top level of a YAML mapping as strings, read from parser events.

Events are a flat stream: nothing is built, so aliases cannot multiply and depth cannot exhaust the stack.
"""

from collections.abc import Iterator
from itertools import takewhile

import yaml

_LOADER: type[yaml.CBaseLoader] | type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class NoMappingError(Exception):
    """The text is valid YAML and no mapping."""


def yaml_values(text: str) -> dict[str, str]:
    """Give the scalars of a YAML mapping as written (`1.10` stays `1.10`), lists of scalars joined with `, `.

    Nested values are left out; of a key that comes twice, the last value stays.

    Raises:
        yaml.YAMLError: the text is no YAML.
        NoMappingError: it is YAML and no mapping.

    >>> yaml_values("version: 1.10\\ntags: [a, b]")
    {'version': '1.10', 'tags': 'a, b'}
    """
    # A lone surrogate cannot be given to the parser.
    events = yaml.parse(text.encode("utf-8", "replace").decode(), Loader=_LOADER)
    nodes = iter(_nodes(events))
    pairs = dict(zip(nodes, nodes, strict=False))
    return {key: value for key, value in pairs.items() if key and value is not None}


def _nodes(events: Iterator[yaml.Event]) -> list[str | None]:
    """Give the keys and values of the mapping in turn; None for what is neither scalar nor list of them."""
    nodes: list[str | None] = []
    known: dict[str, str] = {}
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            first = next(events)
            if isinstance(first, yaml.MappingStartEvent):
                nodes = _children(events, known)
            elif not (isinstance(first, yaml.ScalarEvent) and not first.value):
                raise NoMappingError
    return nodes


def _children(events: Iterator[yaml.Event], known: dict[str, str]) -> list[str | None]:
    """Give the nodes up to the end of the collection that was just opened, and remember their anchors."""
    nodes: list[str | None] = []
    for event in takewhile(lambda event: not isinstance(event, yaml.CollectionEndEvent), events):
        node = _node(event, events, known)
        nodes.append(node)
        anchor = getattr(event, "anchor", None)
        if anchor and node is not None and not isinstance(event, yaml.AliasEvent):
            known[anchor] = node
    return nodes


def _node(event: yaml.Event, events: Iterator[yaml.Event], known: dict[str, str]) -> str | None:
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    if isinstance(event, yaml.AliasEvent):
        return known.get(event.anchor or "")
    items = _flat(events)
    return ", ".join(items) if isinstance(event, yaml.SequenceStartEvent) and items is not None else None


def _flat(events: Iterator[yaml.Event]) -> list[str] | None:
    """Read to the end of the collection just opened; give its scalars, or None when it holds more."""
    items: list[str] | None = []
    depth = 1
    while depth:
        event = next(events)
        if isinstance(event, yaml.CollectionStartEvent):
            depth, items = depth + 1, None
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and items is not None:
            items.append(event.value)
        else:
            items = None
    return items
