"""Whether a folder lies on a disk of this machine, so that looking at a few of its files never waits.

Over a network a look may wait for ever, which the event loop must not.
"""

from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_LOCAL = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"})
# As mount points are written there (proc(5)); the backslash first.
_ESCAPES = (("\\", r"\134"), (" ", r"\040"), ("\t", r"\011"), ("\n", r"\012"))


def is_near(*folders: Path) -> bool:
    """Whether all of these real paths are here; only where the system tells (Linux)."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return all(is_near_by(mounts, str(folder)) for folder in folders)


def is_near_by(mounts: str, folder: str) -> bool:
    """Whether a table of mounts has a folder, and all that is mounted in it, on file systems that are local.

    >>> table = "1 0 8:1 / / rw - ext4 /dev/sda rw\\n2 1 0:9 / /srv rw shared:1 - nfs4 box:/x rw\\n"
    >>> [is_near_by(table, folder) for folder in ("/home/docs", "/srv/docs", "/", "/srvs")]
    [True, False, False, True]
    """
    for character, escape in _ESCAPES:
        folder = folder.replace(character, escape)
    own, kinds = "", {}
    for line in mounts.splitlines():
        place, _, source = line.partition(" - ")
        point = place.split(" ")[4]
        # The later of two mounts at one point hides the earlier.
        kinds[point] = source.split(" ")[0]
        if _is_in(folder, point) and len(point) >= len(own):
            own = point
    return all(kind in _LOCAL for point, kind in kinds.items() if point == own or _is_in(point, folder))


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")
