"""Whether a file system tells of every change, or only of those that this machine makes."""

from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
# Shared with other machines, with the host of a virtual machine, or answered by a program of its own.
_SILENT = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "virtiofs"),
    *("vboxsf", "vmhgfs", "prl_fs", "fuse", "osxfs", "grpcfuse", "fakeowner", "drvfs"),
}


def tells_of_changes(place: Path, table: Path = _TABLE) -> bool:
    """Whether events can be relied on at a real path; True where the system does not say (`table`)."""
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return True
    best, kind = "", ""
    for line in lines:
        left, _, right = line.partition(" - ")
        mount = left.split(" ")[4:5]
        if not mount or not right:
            continue
        point = mount[0].encode("latin-1", "surrogateescape").decode("unicode_escape").rstrip("/")
        # Of two mounts at one place the later one is seen.
        if len(point) >= len(best) and (str(place) == point or str(place).startswith(f"{point}/")):
            best, kind = point, right.split(" ")[0]
    return kind.partition(".")[0] not in _SILENT
