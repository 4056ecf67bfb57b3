"""Where something happened, as far as is known: what a look at the folder may be confined to."""

import os
from dataclasses import dataclass
from pathlib import Path

from .paths import folder_of, is_hidden, is_markdown
from .selection import IGNORE_FILE

MODIFIED, DELETED = 2, 3
# With more folders than this a walk of everything is no dearer.
_MOST = 500


@dataclass(frozen=True, slots=True)
class Touched:
    """Folders whose names or files may have changed; below those in `trees` anything may be another thing.

    `everywhere` when no folder can be named.
    """

    folders: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    everywhere: bool = False

    def __or__(self, other: "Touched") -> "Touched":
        """Both together."""
        folders, trees = self.folders | other.folders, self.trees | other.trees
        many = len(folders) + len(trees) > _MOST
        return Touched(folders, trees, self.everywhere or other.everywhere or many)

    def __bool__(self) -> bool:
        """Whether anything was touched."""
        return self.everywhere or bool(self.folders or self.trees)


NOWHERE = Touched()
EVERYWHERE = Touched(everywhere=True)


def touched(root: Path, own: Path, events: set[tuple[int, str]]) -> Touched:
    """What the events of a watch mean: kind (1 added, 2 modified, 3 deleted) and place in the file system.

    Hidden names, files of other types that were written, and what lies in our `own` folder mean nothing.
    """
    found = NOWHERE
    for kind, place in events:
        if not place.startswith(f"{own}{os.sep}"):
            found |= _touched(kind, "/" + place[len(str(root)) :].replace(os.sep, "/").strip("/"))
    return found


def _touched(kind: int, path: str) -> Touched:
    *above, name = path[1:].split("/")
    if any(is_hidden(part) for part in above):
        return NOWHERE
    if name == IGNORE_FILE or (path == "/" and kind != MODIFIED):
        return EVERYWHERE
    if not name or is_hidden(name) or (kind == MODIFIED and not is_markdown(name)):
        return NOWHERE
    # What came or went may have been a folder, whatever its name.
    trees = frozenset() if kind == MODIFIED else frozenset({path + "/"})
    return Touched(frozenset({folder_of(path)}), trees)
