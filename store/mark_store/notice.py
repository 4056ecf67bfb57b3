"""Warnings as values: what a store met that its user should know, and that stopped nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Notice:
    """One line about one file or folder; `path` is decoded and rooted at the store."""

    path: str
    text: str
