"""Which names can be documents, and how a caller's spelling becomes a rooted path.

Percent-encoding is `mark_outline`'s; what is on the disk is `scan`'s.
"""

import unicodedata

SUFFIXES = (".md", ".markdown", ".mdx", ".mkd")


def is_hidden(name: str) -> bool:
    """Whether a file or folder name is hidden; `.` and `..` are.

    >>> is_hidden(".git"), is_hidden("a.md")
    (True, False)
    """
    return name.startswith(".")


def is_markdown(name: str) -> bool:
    """Whether a visible file of this name is a document.

    >>> is_markdown("A.MD"), is_markdown(".a.md"), is_markdown("a.txt")
    (True, False, False)
    """
    return name.lower().endswith(SUFFIXES) and not is_hidden(name)


def is_storable(text: str) -> bool:
    """Whether a text has a UTF-8 form; a file name with foreign bytes has none.

    >>> is_storable("a"), is_storable("\\udcff")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    """The text with what has no UTF-8 form replaced by `?`.

    >>> storable("a\\ud800b")
    'a?b'
    """
    return text if is_storable(text) else text.encode(errors="replace").decode()


def rooted(path: str) -> str | None:
    """The rooted form of a decoded path, "/" for the root, no slash at the end; None if it can name nothing.

    >>> rooted("a/b.md"), rooted("/a/"), rooted(""), rooted("/a/../b.md"), rooted("/.git/x.md")
    ('/a/b.md', '/a', '/', None, None)
    """
    inner = path.removeprefix("/").removesuffix("/")
    if not inner:
        return "/"
    if "\0" in inner or not is_storable(inner):
        return None
    if any(not part or is_hidden(part) for part in inner.split("/")):
        return None
    return "/" + inner


def nfc(path: str) -> str:
    """The composed form, by which spellings of one path are compared."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def folder_of(path: str) -> str:
    """The folder that holds a document or folder, with its closing slash.

    >>> folder_of("/a/b.md"), folder_of("/a/b/"), folder_of("/c.md")
    ('/a/', '/a/', '/')
    """
    return path.rstrip("/").rpartition("/")[0] + "/"


def folders_above(folder: str) -> list[str]:
    """A folder and those above it without the root, outermost first, each with its closing slash.

    >>> folders_above("/a/b/")
    ['/a/', '/a/b/']
    """
    parts = folder.strip("/").split("/") if folder != "/" else []
    return ["/" + "/".join(parts[: depth + 1]) + "/" for depth in range(len(parts))]


def below(folder: str) -> tuple[str, str]:
    """Bounds of the paths inside a folder, as `bound[0] <= path < bound[1]` ("0" follows "/").

    >>> below("/a/")
    ('/a/', '/a0')
    """
    return folder, folder[:-1] + "0"
