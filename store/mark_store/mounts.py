"""File systems by the table of mounts: which tell of every change, and which never keep one waiting."""

from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
# Shared with other machines, with the host of a virtual machine, or answered by a program of its own.
_SILENT = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "virtiofs"),
    *("vboxsf", "vmhgfs", "prl_fs", "fuse", "osxfs", "grpcfuse", "fakeowner", "drvfs"),
}
# On a disk or in the memory of this machine.
_NEAR = {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"}


def tells_of_changes(place: Path, table: Path = _TABLE) -> bool:
    """Whether events can be relied on at a real path; True where the system does not say (`table`)."""
    mounts = _mounts(table)
    return mounts.get(_point(mounts, str(place)), "").partition(".")[0] not in _SILENT


def is_near(place: Path, table: Path = _TABLE) -> bool:
    """Whether a real path, and all that is mounted in it, is on this machine; only where the system says so.

    Elsewhere looking at a file may wait for ever, which the event loop must not.
    """
    mounts, path = _mounts(table), str(place).rstrip("/")
    inside = [kind for point, kind in mounts.items() if point.startswith(f"{path}/")]
    return all(kind in _NEAR for kind in (mounts.get(_point(mounts, path)), *inside))


def _mounts(table: Path) -> dict[str, str]:
    """The kind of file system at each mount point (proc(5)), "" for the root; empty without a table."""
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        left, _, right = line.partition(" - ")
        mount = left.split(" ")[4:5]
        if mount and right:
            point = mount[0].encode("latin-1", "surrogateescape").decode("unicode_escape").rstrip("/")
            # Of two mounts at one place the later one is seen.
            found[point] = right.split(" ")[0]
    return found


def _point(mounts: dict[str, str], path: str) -> str:
    """The innermost mount point at or above a path."""
    around = (point for point in mounts if path == point or path.startswith(f"{point}/"))
    return max(around, key=len, default="")
